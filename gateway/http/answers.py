"""What was said and answered before under an id, for a client that sends it again."""

from collections.abc import Sequence

from channels.messages import InboundMessage, OutboundMessage, Scope, session_key
from gateway.journal.base import Journal
from memory.messages import AssistantMessage, Message, UserMessage
from memory.sessions.manager import SessionManager

_PAGE = 200


class StoredAnswers:
    """Reads sessions from their end: what is asked again is nearly always the newest."""

    def __init__(self, journal: Journal, sessions: SessionManager, *, scope: Scope) -> None:
        self._journal = journal
        self._sessions = sessions
        self._scope = scope

    async def accepted(self, message_id: str) -> bool | None:
        """See `gateway.journal.base.Inbox`."""
        return await self._journal.accepted(message_id)

    async def is_other(self, message: InboundMessage) -> bool:
        """Whether other words were accepted under this id; False also where the first ones are kept no more."""
        waiting = await self._journal.message(message.id)
        if waiting is not None:
            return waiting.text != message.text
        known, _turn = await self._find(message)
        return known is not None and not known.erased and known.content != message.text

    async def answer_to(self, message: InboundMessage) -> OutboundMessage | None:
        """The answer of the turn that stored the message; what else answers it, a command's reply, only while it is owed.

        None for a message that is forgotten: whoever asks again can't be told from whoever uses its id for other words.
        """
        known, messages = await self._find(message)
        if known is not None and known.erased:
            return None
        answer = known and _answer(messages, turn=known.turn, message=message)
        return answer or await self._owed(message)

    async def _owed(self, message: InboundMessage) -> OutboundMessage | None:
        owed = (entry.message for entry in await self._journal.entries())
        return next((part for part in owed if message.id in part.answers), None)

    async def _find(self, message: InboundMessage) -> tuple[UserMessage | None, list[Message]]:
        """The message as it is stored, and what stands around it."""
        key = message.session_key or session_key(message, scope=self._scope)
        later: list[Message] = []
        before = 1 << 62
        while page := await self._sessions.page(key, before=before, limit=_PAGE):
            before = page[0].seq
            for known in page:
                if isinstance(known, UserMessage) and known.source_id == message.id:
                    return known, [*page, *later]
            # A turn may reach into the page after the one that its first message is in.
            later = [*page, *later][: 2 * _PAGE]
        return None, []


def _answer(messages: Sequence[Message], *, turn: str, message: InboundMessage) -> OutboundMessage | None:
    own = [one for one in messages if one.turn == turn]
    answers = [one for one in own if isinstance(one, AssistantMessage) and not one.tool_calls]
    if not answers or answers[-1].erased:
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
