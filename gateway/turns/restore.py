"""How far a turn came before: read off what was written, never off what we were doing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import takewhile

from channels.messages import Entrance, InboundMessage
from gateway.journal.base import InboxEntry
from gateway.turns.prompt import inbound_text
from gateway.turns.records import OURS
from memory import tokens
from memory.messages import AssistantMessage, Message, Provenance, ToolCall, ToolMessage, UserMessage
from memory.sessions.quotation import quotation
from memory.sessions.session import Session

CANCELLED = "Cancelled: the person stopped this turn before the tool had finished."


@dataclass(slots=True, kw_only=True)
class Work:
    """What a turn has to do: which messages it answers, which of them are not stored yet, what is done already.

    A turn that is steered answers more messages as it goes on; everything else was found at its beginning.
    """

    turn_id: str
    messages: tuple[InboundMessage, ...]
    unstored: list[InboundMessage]
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

    def join(self, messages: Iterable[InboundMessage]) -> None:
        """These, which came meanwhile, are answered too."""
        more = tuple(messages)
        self.messages += more
        self.unstored += more


def find(session: Session, entries: Sequence[InboxEntry]) -> Work:
    """The work that waits in `entries`.

    If the first of them is stored, a turn began on it before: only the messages that this turn stored belong to
    it, the others are the next turn's.
    """
    messages = tuple(entry.message for entry in entries)
    own = last_turn(session)
    stored = {message.source_id for message in own if isinstance(message, UserMessage)}
    if messages[0].id not in stored:
        return Work(turn_id=messages[0].id, messages=messages, unstored=list(messages), answer=None, rounds=0)
    spoken = [message for message in own if isinstance(message, AssistantMessage)]
    return Work(
        turn_id=own[0].turn,
        messages=tuple(message for message in messages if message.id in stored),
        unstored=[],
        answer=next((message for message in spoken if not message.tool_calls), None),
        rounds=sum(1 for message in spoken if message.tool_calls),
    )


def last_turn(session: Session) -> list[Message]:
    """What the last turn stored, oldest first: an interrupted turn is always the last one of its session."""
    turn = session.messages[-1].turn if session.messages else ""
    own = list(takewhile(lambda message: message.turn == turn, reversed(session.messages))) if turn else []
    own.reverse()
    return own


def open_calls(session: Session, turn_id: str) -> tuple[ToolCall, ...]:
    """The calls of the turn's last round that have no result yet."""
    done = set()
    for message in reversed(last_turn(session)):
        if message.turn != turn_id:
            break
        if isinstance(message, ToolMessage):
            done.add(message.tool_call_id)
        elif isinstance(message, AssistantMessage):
            return tuple(call for call in message.tool_calls if call.id not in done)
    return ()


async def stored_form(message: InboundMessage, work: Work, *, role: str) -> Message:
    """An inbound message as the session keeps it."""
    text = inbound_text(message)
    stored = UserMessage(
        content=text,
        at=message.received_at,
        sender=message.entrance if message.entrance in OURS else message.person or message.sender_id,
        sender_name=message.sender_name,
        source_id=message.id,
        provenance=provenance(message, role=role),
        media=tuple(item.media for item in message.attachments if item.media is not None),
    )
    return await counted(stored, turn_id=work.turn_id)


async def stored_quotation(message: InboundMessage, work: Work) -> Message | None:
    """What the person replied to, as a record of its own: somebody else's words never count as theirs (P14)."""
    if message.quoted is None:
        return None
    stored = UserMessage(
        content=quotation(message.quoted.sender_name, message.quoted.text),
        at=message.received_at,
        sender=message.quoted.sender_name,
        provenance=Provenance.STRANGER,
    )
    return await counted(stored, turn_id=work.turn_id)


def provenance(message: InboundMessage, *, role: str) -> Provenance:
    """Whose words a message holds; a forwarded one holds somebody else's, whoever forwarded it (P14)."""
    if message.entrance is Entrance.SUBAGENT:
        return Provenance.SUBAGENT
    if message.entrance is Entrance.SCHEDULE:
        return Provenance.ASSISTANT  # a model may have written it, so it never counts as a person's words
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
