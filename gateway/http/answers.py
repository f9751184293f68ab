"""The stored answer to a message that was answered before, for a client that asks again."""

from collections.abc import Sequence
from typing import Protocol

from channels.messages import InboundMessage, OutboundMessage, Scope, session_key
from memory.messages import AssistantMessage, Message, UserMessage

_PAGE = 200


class Inbox(Protocol):
    """What was accepted."""

    async def accepted(self, message_id: str) -> bool | None:
        """None: never seen. False: waiting. True: answered."""


class Pages(Protocol):
    """The messages of sessions."""

    async def page(self, key: str, *, before: int, limit: int) -> list[Message]:
        """The nearest messages before a number, oldest first."""


class StoredAnswers:
    """Reads sessions from their end: what is asked again is nearly always the newest."""

    def __init__(self, inbox: Inbox, sessions: Pages, *, scope: Scope) -> None:
        self._inbox = inbox
        self._sessions = sessions
        self._scope = scope

    async def accepted(self, message_id: str) -> bool | None:
        """See `Inbox.accepted`."""
        return await self._inbox.accepted(message_id)

    async def answer_to(self, message: InboundMessage) -> OutboundMessage | None:
        """The answer of the turn that stored the message; None for a command's and for what failed."""
        key = message.session_key or session_key(message, scope=self._scope)
        later: list[Message] = []
        before = 1 << 62
        while page := await self._sessions.page(key, before=before, limit=_PAGE):
            before = page[0].seq
            for known in page:
                if isinstance(known, UserMessage) and known.source_id == message.id:
                    return _answer([*page, *later], turn=known.turn, message=message)
            # A turn may reach into the page after the one that its first message is in.
            later = [*page, *later][: 2 * _PAGE]
        return None


def _answer(messages: Sequence[Message], *, turn: str, message: InboundMessage) -> OutboundMessage | None:
    own = [one for one in messages if one.turn == turn]
    answers = [one for one in own if isinstance(one, AssistantMessage) and not one.tool_calls]
    if not answers:
        return None
    return OutboundMessage(
        id=turn,
        channel=message.channel,
        chat_id=message.chat_id,
        text=answers[-1].content,
        answers=(
            *(one.source_id for one in own if isinstance(one, UserMessage) and one.source_id != message.id),
            message.id,
        ),
        seq=answers[-1].seq,
    )
