"""What lies outside of the view, brought back as passages: for the prompt by itself, for the `recall` tool on request."""

from collections.abc import Sequence
from datetime import datetime

import structlog

from gateway.llm.client import Passage
from memory.archive.search import Hit, SearchIndex
from memory.errors import StoreError
from memory.messages import AssistantMessage, Message, UserMessage, reference
from memory.sessions.manager import SessionManager
from memory.sessions.session import Session

log = structlog.get_logger(__name__)


class Recollection:
    """The archive of an audience as the turn and the tools see it."""

    def __init__(self, index: SearchIndex, sessions: SessionManager) -> None:
        self._index = index
        self._sessions = sessions

    async def passages(
        self, session: Session, query: str, *, visible_from: int, max_tokens: int
    ) -> Sequence[Passage]:
        """The best passages that the model does not see already; none is better than noise, and than a failed turn."""
        if not query.strip() or max_tokens <= 0:
            return ()
        try:
            hits = await self._index.recall(
                session.audience, query, max_tokens=max_tokens, exclude=(session.key, visible_from)
            )
        except StoreError as error:
            log.warning("recall_failed", error=str(error))
            return ()
        return [_passage(hit) for hit in hits]

    async def search(
        self,
        audience: str,
        query: str,
        *,
        limit: int,
        from_at: datetime | None = None,
        to_at: datetime | None = None,
    ) -> Sequence[Passage]:
        """Ranked passages of this audience."""
        hits = await self._index.search(audience, query, limit=limit, from_at=from_at, to_at=to_at)
        return [_passage(hit) for hit in hits]

    async def expand(self, audience: str, session: str, *, from_seq: int, to_seq: int) -> Sequence[Passage]:
        """These messages whole; nothing of another audience's session (P13)."""
        if await self._sessions.audience_of(session) != audience:
            return ()
        messages = await self._sessions.read(session, from_seq=from_seq, to_seq=to_seq)
        return [_whole(session, message) for message in messages if not message.erased]


def _passage(hit: Hit) -> Passage:
    return Passage(
        ref=hit.ref, at=hit.at, sender=hit.sender, text=hit.text, score=hit.score, provenance=hit.provenance
    )


def _whole(session: str, message: Message) -> Passage:
    if isinstance(message, UserMessage):
        sender = message.sender_name or message.sender
    elif isinstance(message, AssistantMessage):
        sender = "assistant"
    else:
        sender = f"tool {message.name}"
    return Passage(
        ref=reference(session, message.seq),
        at=message.at,
        sender=sender,
        text=message.content,
        provenance=message.provenance,
    )
