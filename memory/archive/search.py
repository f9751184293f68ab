"""Everything that was said, findable: the search over the sessions of one audience at a time."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from memory.archive.bounds import Bounds
from memory.archive.embedder import Embedder
from memory.archive.embedding import Embedding
from memory.archive.files import IndexFiles
from memory.archive.follower import Follower, Sessions
from memory.archive.lookup import Hit, Request, look_up
from memory.archive.recall import recollect
from memory.archive.scores import QUICK
from memory.archive.terms import content_terms
from memory.errors import StoreCorrupt

__all__ = ["Hit", "SearchIndex", "Sessions"]

# What a search waits at most until what was just saved is indexed.
_PATIENCE_SECONDS = 0.5

# More passages than these are no help to a model, whatever their length.
_RECALLED = 8


class SearchIndex:
    """Finds messages by their words, and by their meaning with an `embedder`; each audience has a file of its own (P13).

    `saved` takes a note of a save. `run` follows the notes, `settle` seconds behind, and belongs under
    supervision. What happened while nobody ran is found by comparing with the sessions, at the start of `run`
    and in `caught_up`. Raises StoreUnavailable when the disk is full or unreadable. When the embedder fails, words
    alone are left to search by, and `embedder_failed` is told why, once. `set_aside` is told when something else than a
    file lay in the place of one; the index is built anew beside it.
    """

    def __init__(
        self,
        state: Path,
        sessions: Sessions,
        *,
        settle: float = 0.5,
        embedder: Embedder | None = None,
        embedder_failed: Callable[[str], None] = lambda _problem: None,
        set_aside: Callable[[str], None] = lambda _what: None,
    ) -> None:
        self._files = IndexFiles(state, model=embedder.name if embedder else "", set_aside=set_aside)
        self._follower = Follower(self._files, sessions, indexed=self._note, outdated=self._keep)
        self._embedding: Embedding | None = None
        if embedder is not None:
            self._embedding = Embedding(
                self._files,
                embedder,
                failed=embedder_failed,
                lost=self._follower.mistrust,
                behind=self._follower.is_behind,
            )
        self._settle = settle

    @property
    def unreadable(self) -> frozenset[str]:
        """Keys of the sessions that the store could not read; the others are indexed without them."""
        return frozenset(self._follower.unreadable)

    def saved(self, key: str, audience: str, last_seq: int) -> None:
        """Note that the session now reaches `last_seq`; returns at once."""
        self._follower.note(key, audience=audience, last_seq=last_seq)

    async def run(self) -> None:
        """Catch up, then follow what is saved, until cancelled; vectors come after, as fast as they are made."""
        await self._follower.compare()
        if self._embedding is None:
            await self._follow()
        else:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._embedding.run())
                tasks.create_task(self._follow())

    def _note(self, audience: str) -> None:
        if self._embedding is not None:
            self._embedding.note(audience)

    async def _keep(self, audience: str) -> None:
        if self._embedding is not None:
            await self._embedding.keep(audience)

    async def _follow(self) -> None:
        while True:
            await self._follower.woken.wait()
            # Turns that end together are then one transaction.
            await asyncio.sleep(self._settle)
            await self._follower.follow()

    async def caught_up(self) -> None:
        """Return when everything that was saved before this call can be found."""
        await self._follower.compare()

    async def embedded(self, audience: str) -> None:
        """Return when every indexed message of the audience has its vector; EmbedderFailed when the model fails."""
        if self._embedding is not None:
            await self._embedding.fill(audience)

    async def rebuild(self, audience: str | None = None) -> None:
        """Build the index of this audience anew, or of all. Vectors are made after, here unless `run` makes them.

        Raises EmbedderFailed when they can't be; what was said is found by its words then.
        """
        await self._follower.rebuild(audience)
        if self._embedding is not None and not self._embedding.running:
            await self._embedding.fill(audience)

    async def forget(self, audience: str) -> None:
        """Remove the audience's file, which may hold erased words, and index what is still there."""
        await self._follower.rebuild(audience, outdated=True)

    async def drop(self, audience: str) -> None:
        """Close and remove the audience's file: nothing of it is left to be found."""
        await self._files.remove(audience)

    async def search(
        self,
        audience: str,
        query: str,
        *,
        limit: int = 10,
        session: str | None = None,
        now: datetime | None = None,
        exclude: tuple[str, int] | None = None,
        from_at: datetime | None = None,
        to_at: datetime | None = None,
        fresh: bool = True,
    ) -> list[Hit]:
        """The `limit` best messages for the query, best first.

        `session` keeps to one session. `exclude=(key, seq)` leaves out that session's messages from `seq` on,
        which the model sees anyway. `from_at` and `to_at` bound the time, both included. `now` is what times in
        the query refer to. `fresh` waits until what was just saved can be found, half a second at most, and
        rebuilds a damaged file; without it such a file gives nothing until `run` has rebuilt it. An embedder gets
        a second for the query, four for the first one.
        """
        request = Request(
            query=query,
            limit=limit,
            now=now,
            vector=await self._embedding.of(query) if self._embedding else None,
            bounds=Bounds(session=session, exclude=exclude, from_at=from_at, to_at=to_at),
        )
        if fresh and self._follower.is_behind(audience):
            with suppress(TimeoutError):
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    await self._follower.follow(audience)
        try:
            return await self._files.use(audience, lambda file: look_up(file, request=request))
        except StoreCorrupt:
            self._follower.mistrust()
        if not fresh:
            return []
        await self._follower.compare()
        return await self._files.use(audience, lambda file: look_up(file, request=request))

    async def recall(
        self,
        audience: str,
        message: str,
        *,
        max_tokens: int,
        exclude: tuple[str, int] | None = None,
        now: datetime | None = None,
    ) -> list[Hit]:
        """The passages to put beside a new message, oldest first: few, surely related, or none.

        Meant to run before every turn: it waits for nothing, no embedder either, and reads little. Where the bounds
        leave nothing of the audience, it doesn't even look.
        """
        wanted = frozenset(content_terms(message))
        if max_tokens <= 0 or not wanted or self._follower.holds_only(audience, part=exclude):
            return []
        request = Request(
            query=message, limit=_RECALLED, now=now, bounds=Bounds(exclude=exclude), effort=QUICK
        )
        try:
            return await self._files.use(
                audience, lambda file: recollect(file, request=request, wanted=wanted, max_tokens=max_tokens)
            )
        except StoreCorrupt:
            self._follower.mistrust()
            return []

    async def close(self) -> None:
        """Close all files; nothing may be searched afterwards."""
        await self._files.close()
