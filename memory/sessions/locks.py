"""A lock per key that exists only while somebody holds it or waits for it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Entry:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0
    holder: asyncio.Task[object] | None = None


class KeyedLocks:
    """Locks by name, first come first served; `len` is how many exist."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def locked(self, key: str) -> bool:
        """Whether somebody holds the lock of this key."""
        entry = self._entries.get(key)
        return entry is not None and entry.lock.locked()

    @asynccontextmanager
    async def hold(self, key: str) -> AsyncIterator[None]:
        """Hold the lock of a key; RuntimeError where the same task holds it already and would wait for itself."""
        task = asyncio.current_task()
        entry = self._entries.setdefault(key, _Entry())
        if task is not None and entry.holder is task:
            raise RuntimeError(f"{key!r} is held by this very task")
        entry.users += 1
        try:
            async with entry.lock:
                entry.holder = task
                try:
                    yield
                finally:
                    entry.holder = None
        finally:
            # Waiters count too, so nobody is left with a lock that a newcomer doesn't find.
            entry.users -= 1
            if not entry.users:
                del self._entries[key]
