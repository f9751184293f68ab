"""Keeps the index files up with the sessions: by notes of what was saved, and by comparing at the start."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from memory.archive.files import IndexFiles
from memory.archive.index import IndexFile
from memory.archive.schema import Batch, Held
from memory.errors import StoreCorrupt, StoreError, StoreUnavailable
from memory.messages import Message
from memory.sessions.stores.base import SessionHead

# About twenty milliseconds of work, which is what a search may have to wait for.
_PIECE = 200


class Sessions(Protocol):
    """What the index asks of the one who keeps the sessions."""

    async def read(self, key: str, *, from_seq: int, to_seq: int) -> list[Message]:
        """The messages `from_seq` to `to_seq`, both included, oldest first."""

    async def heads(self) -> list[SessionHead]:
        """Every session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Due:
    """How far a session is to be indexed; `erasures` is unknown where only a save was noted."""

    last_seq: int
    erasures: int | None = None


class Follower:
    """Indexes what was saved. Everything but `note` waits its turn, so that only one of them reads and adds.

    `indexed` is told of every audience whose file has changed, and `outdated` of one whose file is about
    to be removed, since it holds what its sessions no longer have.
    """

    def __init__(
        self,
        files: IndexFiles,
        sessions: Sessions,
        *,
        indexed: Callable[[str], None],
        outdated: Callable[[str], Awaitable[None]],
    ) -> None:
        self._files = files
        self._sessions = sessions
        self._indexed = indexed
        self._outdated = outdated
        self._due: dict[str, dict[str, _Due]] = {}
        self._home: dict[str, str] = {}
        self._keys: dict[str, set[str]] = {}
        self._turn = asyncio.Lock()
        # How often the files were doubted, and how often they had been when they were compared last.
        self._doubts, self._answered = 1, 0
        self.woken = asyncio.Event()
        self.unreadable: set[str] = set()
        """Keys of the sessions that the store could not read; the others are indexed without them."""

    @property
    def _must_compare(self) -> bool:
        return self._doubts > self._answered

    def note(self, key: str, *, audience: str, last_seq: int) -> None:
        """The session now reaches `last_seq`, which is 0 when it was deleted; returns at once."""
        if not last_seq or self._home.get(key, audience) != audience:
            self.mistrust()
        elif audience:
            self._home[key] = audience
            self._keys.setdefault(audience, set()).add(key)
            self._due.setdefault(audience, {})[key] = _Due(last_seq=last_seq)
            self.woken.set()

    def mistrust(self) -> None:
        """Compare all files with the sessions at the next occasion: one was lost."""
        self._doubts += 1
        self.woken.set()

    def is_behind(self, audience: str) -> bool:
        """Whether the audience's file may lack something that was saved."""
        return self._must_compare or bool(self._due.get(audience))

    def holds_only(self, audience: str, *, part: tuple[str, int] | None) -> bool:
        """Whether the audience has nothing but this part of a session: its messages from a number on."""
        if part is None or self._must_compare:
            return False
        key, from_seq = part
        return from_seq <= 1 and self._keys.get(audience, set()) <= {key}

    async def follow(self, audience: str | None = None) -> None:
        """Index what is noted, for one audience or for all."""
        async with self._turn:
            await self._follow(audience)

    async def compare(self) -> None:
        """Find out from the sessions what the files lack, and index it."""
        async with self._turn:
            self.mistrust()
            await self._follow(None)

    async def rebuild(self, audience: str | None, *, outdated: bool = False) -> None:
        """Index anew everything of one audience, or of all; `outdated` where the sessions have less than before."""
        async with self._turn:
            rebuilt = [audience] if audience else await self._files.audiences()
            self.mistrust()
            for each in rebuilt:
                if outdated:
                    await self._outdated(each)
                await self._files.remove(each)
            await self._follow(audience)
            for each in rebuilt:
                self._indexed(each)

    async def _follow(self, audience: str | None) -> None:
        self.woken.clear()
        while True:
            if self._must_compare:
                await self._compare()
            try:
                for each in [audience] if audience else list(self._due):
                    await self._index(each)
            except StoreCorrupt:
                self.mistrust()
            else:
                return

    async def _compare(self) -> None:
        """Note what the files lack; drop each file that holds what its sessions no longer have."""
        doubts = self._doubts
        self._due.clear()  # what was noted is found again, unless its session is gone
        wanted: dict[str, dict[str, SessionHead]] = {}
        for head in await self._sessions.heads():
            if head.audience:
                wanted.setdefault(head.audience, {})[head.key] = head
        self._home = {key: audience for audience, heads in wanted.items() for key in heads}
        self._keys = {audience: set(heads) for audience, heads in wanted.items()}
        for audience in {*wanted, *await self._files.audiences()}:
            await self._compare_one(audience, wanted.get(audience, {}))
        self._answered = doubts

    async def _compare_one(self, audience: str, heads: Mapping[str, SessionHead]) -> None:
        try:
            held = await self._held(audience)
        except StoreCorrupt:
            held = {}
        if any(key not in heads or heads[key].erasures != known.erasures for key, known in held.items()):
            await self._outdated(audience)
            await self._files.remove(audience)
            self._indexed(audience)
            held = {}
        for key, head in heads.items():
            if key not in held or held[key].last_seq < head.last_seq:
                due = _Due(last_seq=head.last_seq, erasures=head.erasures)
                self._due.setdefault(audience, {})[key] = due

    async def _held(self, audience: str, keys: Sequence[str] | None = None) -> dict[str, Held]:
        return await self._files.use(audience, partial(IndexFile.held, keys=keys))

    async def _index(self, audience: str) -> None:
        """Index what is due for the audience, piece by piece, so that searches get their turn between."""
        due = self._due.setdefault(audience, {})
        while due:
            piece = await self._piece(due, await self._held(audience, list(due)[:_PIECE]))
            await self._files.use(audience, partial(IndexFile.add, batches=piece))
            self._indexed(audience)
            for batch in piece:
                # It may have grown in the meantime; then it stays due.
                if due[batch.key].last_seq <= batch.last_seq:
                    del due[batch.key]
        del self._due[audience]

    async def _piece(self, due: Mapping[str, _Due], held: Mapping[str, Held]) -> list[Batch]:
        """Read the next messages of the sessions that are due, about as many as one piece holds."""
        piece: list[Batch] = []
        left = _PIECE
        for key, wanted in list(due.items())[:_PIECE]:
            known = held.get(key, Held(last_seq=0, erasures=0))
            first, last = known.last_seq + 1, min(wanted.last_seq, known.last_seq + left)
            piece.append(
                Batch(
                    key=key,
                    messages=await self._read(key, first=first, last=last) if first <= last else (),
                    last_seq=max(last, known.last_seq),
                    erasures=known.erasures if wanted.erasures is None else wanted.erasures,
                )
            )
            left -= max(0, last - known.last_seq)
            if left <= 0:
                break
        return piece

    async def _read(self, key: str, *, first: int, last: int) -> Sequence[Message]:
        try:
            return await self._sessions.read(key, from_seq=first, to_seq=last)
        except StoreUnavailable:
            raise
        except StoreError:
            self.unreadable.add(key)
            return ()
