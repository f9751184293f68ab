"""What lies outside of the view, brought back as passages: for the prompt by itself, for the `recall` tool on request."""

import asyncio
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime

import structlog

from gateway.errors import ToolError
from gateway.llm.client import Passage
from memory import tokens
from memory.archive.documents import sender_of
from memory.archive.recall import excerpt
from memory.archive.search import Hit, SearchIndex
from memory.archive.terms import terms
from memory.errors import StoreError
from memory.messages import Message, Provenance, reference
from memory.sessions.codec import role_of
from memory.sessions.manager import SessionManager
from memory.sessions.session import Session

RECALL = "recall"
"""The tool that searches."""

PASSAGE_TOKENS = 400
"""Of each passage that a search gives: enough to judge it by; the whole is read by its reference."""

LONGEST_READ = 100_000
"""Characters of one message that are looked through for its best sentences."""

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
        """Ranked passages of this audience, long ones cut to what is near to the query; ToolError without an index."""
        try:
            hits = await self._index.search(audience, query, limit=2 * limit, from_at=from_at, to_at=to_at)
        except StoreError as error:
            log.warning("recall_failed", error=str(error))
            raise ToolError("What was said earlier can't be searched now.") from error
        said = [hit for hit in hits if not _is_copy(hit)]
        return await asyncio.to_thread(_passages, said[:limit], set(terms(query)))

    async def expand(self, audience: str, session: str, *, from_seq: int, to_seq: int) -> Sequence[Passage]:
        """These messages whole; nothing of another audience's session (P13)."""
        if await self._sessions.audience_of(session) != audience:
            return ()
        messages = await self._sessions.read(session, from_seq=from_seq, to_seq=to_seq)
        return [_whole(session, message) for message in messages if not message.erased]


def _is_copy(hit: Hit) -> bool:
    """Whether a search gave this: found again and quoted again, results would double with every search."""
    return hit.provenance is Provenance.TOOL and hit.sender == RECALL


def _passages(hits: Sequence[Hit], wanted: AbstractSet[str]) -> list[Passage]:
    return [_passage(replace(hit, text=_excerpt(hit.text, wanted))) for hit in hits]


def _excerpt(text: str, wanted: AbstractSet[str]) -> str:
    """The best of a long text; of one that is a single endless sentence, its beginning."""
    if len(text) <= PASSAGE_TOKENS:
        return text  # no character is less than a token
    found = excerpt(text[:LONGEST_READ], wanted=wanted, max_tokens=PASSAGE_TOKENS, count=tokens.count)
    return found or text[:PASSAGE_TOKENS] + " …"


def _passage(hit: Hit) -> Passage:
    return Passage(
        ref=hit.ref, at=hit.at, sender=_speaker(hit.role, hit.sender), text=hit.text, score=hit.score,
        provenance=hit.provenance,
    )  # fmt: skip


def _whole(session: str, message: Message) -> Passage:
    return Passage(
        ref=reference(session, message.seq),
        at=message.at,
        sender=_speaker(role_of(message), sender_of(message)),
        text=message.content,
        provenance=message.provenance,
    )


def _speaker(role: str, name: str) -> str:
    """Who says it, for a model: the assistant's words are its own, whatever it is called, and a tool's are a tool's."""
    return {"assistant": "assistant", "tool": f"tool {name}"}.get(role, name or role)
