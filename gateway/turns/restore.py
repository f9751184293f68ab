"""How far a turn came before: read off what was written, never off what we were doing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from channels.messages import Entrance, InboundMessage
from gateway.journal.base import InboxEntry
from gateway.turns.prompt import inbound_text
from memory import tokens
from memory.messages import AssistantMessage, Message, Provenance, ToolCall, ToolMessage, UserMessage
from memory.sessions.session import Session

CANCELLED = "Cancelled: the person stopped this turn before the tool had finished."


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a turn has to do: which messages it answers, which of them are not stored yet, what is done already."""

    turn_id: str
    messages: tuple[InboundMessage, ...]
    unstored: tuple[InboundMessage, ...]
    answer: AssistantMessage | None
    rounds: int

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the messages that are answered."""
        return tuple(message.id for message in self.messages)

    @property
    def newest(self) -> InboundMessage:
        """The last message: where the reply goes."""
        return self.messages[-1]


def find(session: Session, entries: Sequence[InboxEntry]) -> Work:
    """The work that waits in `entries`.

    If the first of them is stored, a turn began on it before: only the messages that this turn stored belong to
    it, the others are the next turn's.
    """
    messages = tuple(entry.message for entry in entries)
    stored = {
        message.source_id: message.turn
        for message in session.messages
        if isinstance(message, UserMessage) and message.source_id
    }
    turn_id = stored.get(messages[0].id)
    if turn_id is None:
        return Work(turn_id=messages[0].id, messages=messages, unstored=messages, answer=None, rounds=0)
    begun = tuple(message for message in messages if stored.get(message.id) == turn_id)
    own = [message for message in session.messages if message.turn == turn_id]
    spoken = [message for message in own if isinstance(message, AssistantMessage)]
    return Work(
        turn_id=turn_id,
        messages=begun,
        unstored=(),
        answer=next((message for message in spoken if not message.tool_calls), None),
        rounds=sum(1 for message in spoken if message.tool_calls),
    )


def open_calls(session: Session, turn_id: str) -> tuple[ToolCall, ...]:
    """The calls of the turn's last round that have no result yet."""
    own: list[Message] = [message for message in session.messages if message.turn == turn_id]
    done = {message.tool_call_id for message in own if isinstance(message, ToolMessage)}
    for message in reversed(own):
        if isinstance(message, AssistantMessage):
            return tuple(call for call in message.tool_calls if call.id not in done)
    return ()


async def stored_form(message: InboundMessage, work: Work, *, role: str) -> Message:
    """An inbound message as the session keeps it."""
    text = inbound_text(message)
    stored = UserMessage(
        content=text,
        at=message.received_at,
        sender=message.person or message.sender_id,
        sender_name=message.sender_name,
        source_id=message.id,
        provenance=provenance(message, role=role),
        media=tuple(item.media for item in message.attachments if item.media is not None),
    )
    return await counted(stored, turn_id=work.turn_id)


def provenance(message: InboundMessage, *, role: str) -> Provenance:
    """Whose words a message holds; a forwarded one holds somebody else's, whoever forwarded it (P14)."""
    if message.entrance is Entrance.SUBAGENT:
        return Provenance.SUBAGENT
    if message.forwarded_from or message.person is None:
        return Provenance.STRANGER
    return Provenance.OWNER if role == "owner" else Provenance.MEMBER


async def counted(message: Message, *, turn_id: str) -> Message:
    """The message as this turn stores it: marked as its own, its tokens counted once and for all."""
    return replace(message, turn=turn_id, tokens=await tokens.message_tokens_async(message))


def cancelled_result(call: ToolCall) -> ToolMessage:
    """What stands for a result that will not come any more."""
    return ToolMessage(
        content=CANCELLED, tool_call_id=call.id, name=call.name, is_error=True, at=datetime.now(UTC)
    )
