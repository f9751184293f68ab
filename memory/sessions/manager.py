"""The one door to sessions: a lock per key, the hot ones in memory, one durable write per save."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from memory.messages import Message
from memory.sessions.locks import KeyedLocks
from memory.sessions.session import Session
from memory.sessions.state import lasting_state
from memory.sessions.stores.base import Damage, SessionHead, SessionStore

T = TypeVar("T")

Saved = Callable[[str, str, int], None]
"""Told after each durable change: session key, audience, last number (0 after a delete). Must not block."""


@dataclass(slots=True)
class _Hot:
    """A session in memory, and its state as it stands on the disk."""

    session: Session
    saved_state: dict[str, Any]

    @property
    def is_saved(self) -> bool:
        return not self.session.unsaved and lasting_state(self.session) == self.saved_state


class SessionManager:
    """Gives out sessions, one holder at a time.

    At most `cache_limit` sessions that nobody holds stay in memory, the least recently used ones go first. A
    session has at most its last `load_limit` messages in memory.
    """

    def __init__(self, store: SessionStore, *, cache_limit: int = 128, load_limit: int = 600) -> None:
        self._store = store
        self._cache_limit = cache_limit
        self._load_limit = load_limit
        self._locks = KeyedLocks()
        self._cache: OrderedDict[str, _Hot] = OrderedDict()
        self._out: dict[str, _Hot] = {}
        self._listeners: list[Saved] = []
        self._at_the_end: dict[str, list[Callable[[], Awaitable[None]]]] = {}

    def on_saved(self, listener: Saved) -> None:
        """Call this after every save, erase and delete."""
        self._listeners.append(listener)

    def locked(self, key: str) -> bool:
        """Whether somebody holds this session."""
        return self._locks.locked(key)

    def held(self, audience: str) -> set[str]:
        """The sessions of this audience that somebody holds, stored or not."""
        return {key for key, hot in self._out.items() if hot.session.audience == audience}

    def at_the_end(self, key: str, work: Callable[[], Awaitable[None]]) -> None:
        """Have this done by whoever holds the session, as soon as they have let it go and before they go on."""
        self._at_the_end.setdefault(key, []).append(work)

    @property
    def cached(self) -> int:
        """How many sessions that nobody holds are in memory."""
        return len(self._cache)

    @asynccontextmanager
    async def checkout(self, key: str, *, audience: str = "") -> AsyncIterator[Session]:
        """Hold the session: from memory, from the store, or a new one that the store sees with the first save.

        `audience` is the one of who speaks now and replaces the stored one; empty leaves it. What the block has
        changed and not saved is forgotten, however it ends: the next holder gets what is on the disk.
        """
        async with AsyncExitStack() as released, self._locks.hold(key):
            hot = self._cache.pop(key, None) or await self._open(key)
            self._out[key] = hot
            hot.session.audience = audience or hot.session.audience
            try:
                yield hot.session
            finally:
                del self._out[key]
                self._put_back(hot)
                due = self._at_the_end.pop(key, [])
                released.push_async_callback(self._after, key, due)

    async def save(self, session: Session) -> None:
        """Write what is unsaved, and the state, in one durable write; raises StoreError and keeps it unsaved.

        A new calibration factor alone is not written: it goes with the next message. A cancelled save ends
        first, so that it is known what is on the disk.
        """
        hot = self._out.get(session.key)
        if hot is None or hot.session is not session:
            raise RuntimeError(f"{session.key!r} is saved outside of its checkout")
        if not hot.is_saved:
            await _to_the_end(self._write(hot))

    async def adopt(self, session: Session) -> None:
        """Keep a session that came from elsewhere, with its numbers; ValueError where its key has messages already."""
        async with self._locks.hold(session.key):
            self._cache.pop(session.key, None)
            stored = await self._store.load(session.key, limit=1)
            if stored is not None and stored.last_seq:
                raise ValueError(f"{session.key!r} is there already, up to message {stored.last_seq}")
            await _to_the_end(self._store.append(session, session.unsaved))
        self._tell(session.key, session.audience, session.last_seq)

    async def page(self, key: str, *, before: int, limit: int) -> list[Message]:
        """See `SessionStore.page`."""
        return await self._store.page(key, before=before, limit=limit)

    async def read(self, key: str, *, from_seq: int, to_seq: int) -> list[Message]:
        """See `SessionStore.read`."""
        return await self._store.read(key, from_seq=from_seq, to_seq=to_seq)

    async def audience_of(self, key: str) -> str | None:
        """Who may see this session; None where there is none."""
        hot = self._out.get(key) or self._cache.get(key)
        session = hot.session if hot is not None else await self._store.load(key, limit=1)
        return session.audience if session is not None else None

    async def look(self, key: str) -> Session | None:
        """The session as it stands on the disk, without its messages; waits for nobody, and is for reading alone."""
        return await self._store.load(key, limit=0)

    async def heads(self) -> list[SessionHead]:
        """See `SessionStore.heads`."""
        return await self._store.heads()

    async def damages(self, key: str) -> list[Damage]:
        """See `SessionStore.damages`."""
        return await self._store.damages(key)

    async def repair(self, key: str) -> list[Damage]:
        """See `SessionStore.repair`; waits for the holder of the session."""
        async with self._locks.hold(key):
            self._cache.pop(key, None)
            return await _to_the_end(self._store.repair(key))

    async def erase(self, key: str, seqs: Collection[int]) -> int:
        """See `SessionStore.erase`; waits for the holder of the session."""
        async with self._locks.hold(key):
            self._cache.pop(key, None)
            changed = await _to_the_end(self._store.erase(key, seqs))
            session = await self._store.load(key, limit=1)
        if session is not None:
            self._tell(key, session.audience, session.last_seq)
        return changed

    async def delete(self, key: str) -> bool:
        """See `SessionStore.delete`; waits for the holder of the session."""
        async with self._locks.hold(key):
            self._cache.pop(key, None)
            session = await self._store.load(key, limit=1)
            existed = await _to_the_end(self._store.delete(key))
        if session is not None:
            self._tell(key, session.audience, 0)
        return existed

    async def close(self) -> None:
        """Let go of the store; every save is on the disk already."""
        await self._store.close()

    async def _after(self, key: str, works: Sequence[Callable[[], Awaitable[None]]]) -> None:
        """Do what was to be done at the end of a checkout; what fails is done at the end of the next one."""
        for number, work in enumerate(works):
            try:
                await work()
            except BaseException:
                self._at_the_end.setdefault(key, []).extend(works[number:])
                raise

    async def _open(self, key: str) -> _Hot:
        session = await self._store.load(key, limit=self._load_limit)
        if session is None:
            now = datetime.now(UTC)
            session = Session(key=key, audience="", created_at=now, updated_at=now)
        return _Hot(session, saved_state=deepcopy(lasting_state(session)))

    async def _write(self, hot: _Hot) -> None:
        session = hot.session
        records = tuple(session.unsaved)
        state = lasting_state(session)
        # Parts of a state change in place, so a changed one is copied; most turns change none.
        copy = hot.saved_state if state == hot.saved_state else deepcopy(state)
        await self._store.append(session, records)
        hot.saved_state = copy
        del session.unsaved[: len(records)]
        if not session.unsaved:
            del session.messages[: -self._load_limit]
        self._tell(session.key, session.audience, session.last_seq)

    def _put_back(self, hot: _Hot) -> None:
        if not hot.is_saved:
            return
        self._cache[hot.session.key] = hot
        if len(self._cache) > self._cache_limit:
            self._cache.popitem(last=False)

    def _tell(self, key: str, audience: str, last_seq: int) -> None:
        for listener in self._listeners:
            listener(key, audience, last_seq)


async def _to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Wait for the work even when cancelled meanwhile, and be cancelled then.

    A write can't be called back from its thread. Were the lock to open before it ends, the next holder would read
    a session that is about to change.
    """
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        failure = None if task.cancelled() else task.exception()
        raise cancelled from failure
    return task.result()
