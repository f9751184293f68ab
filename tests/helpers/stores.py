"""Session stores that misbehave in a way a test chooses."""

import asyncio
from collections.abc import Collection, Sequence

from memory.errors import StoreUnavailable
from memory.messages import Message
from memory.sessions.session import Mark, Session
from memory.sessions.stores.base import Damage, SessionHead, SessionStore


class TroubledStore:
    """Another store, of which `fail_at` numbers the write (from 1) that fails, and which may take its time.

    `steps` is how often every call lets others run, before and after its work. `gate`, while it is cleared,
    holds writes back. `loads` and `writes` count.
    """

    def __init__(self, store: SessionStore, *, fail_at: int = 0, steps: int = 0) -> None:
        self._store = store
        self._fail_at = fail_at
        self._steps = steps
        self.gate = asyncio.Event()
        self.gate.set()
        self.loads: list[str] = []
        self.writes = 0

    async def load(self, key: str, *, limit: int) -> Session | None:
        """See `SessionStore.load`."""
        self.loads.append(key)
        await self._pass()
        session = await self._store.load(key, limit=limit)
        await self._pass()
        return session

    async def page(self, key: str, *, before: int, limit: int) -> list[Message]:
        """See `SessionStore.page`."""
        return await self._store.page(key, before=before, limit=limit)

    async def read(self, key: str, *, from_seq: int, to_seq: int) -> list[Message]:
        """See `SessionStore.read`."""
        return await self._store.read(key, from_seq=from_seq, to_seq=to_seq)

    async def append(self, session: Session, records: Sequence[Message | Mark]) -> None:
        """See `SessionStore.append`."""
        await self._begin_write()
        await self._store.append(session, records)
        await self._pass()

    async def erase(self, key: str, seqs: Collection[int]) -> int:
        """See `SessionStore.erase`."""
        await self._begin_write()
        return await self._store.erase(key, seqs)

    async def delete(self, key: str) -> bool:
        """See `SessionStore.delete`."""
        await self._begin_write()
        return await self._store.delete(key)

    async def heads(self) -> list[SessionHead]:
        """See `SessionStore.heads`."""
        return await self._store.heads()

    async def damages(self, key: str) -> list[Damage]:
        """See `SessionStore.damages`."""
        return await self._store.damages(key)

    async def repair(self, key: str) -> list[Damage]:
        """See `SessionStore.repair`."""
        await self._begin_write()
        return await self._store.repair(key)

    async def close(self) -> None:
        """See `SessionStore.close`."""
        await self._store.close()

    async def _begin_write(self) -> None:
        await self._pass()
        await self.gate.wait()
        self.writes += 1
        if self.writes == self._fail_at:
            raise StoreUnavailable("no space left")

    async def _pass(self) -> None:
        for _ in range(self._steps):
            await asyncio.sleep(0)
