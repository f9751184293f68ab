"""What time it is, and waiting for it: the only door to both, so that tests can turn the hands."""

import asyncio
import heapq
import time
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Protocol


class Clock(Protocol):
    """Wall time, a time that never jumps, and sleep. All three run together."""

    def now(self) -> datetime:
        """The wall time, aware and in UTC; it may jump when the machine's clock is set."""

    def monotonic(self) -> float:
        """Seconds that only ever grow, for durations."""

    async def sleep(self, seconds: float) -> None:
        """Wait; zero or less gives way to others once."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """The wall time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """The machine's monotonic seconds."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait on the running loop."""
        await asyncio.sleep(max(seconds, 0.0))


class ManualClock:
    """A clock that stands still until `advance`; whoever sleeps then wakes in the order of the due times."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._start = start
        self._elapsed = 0.0
        self._order = count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._arrived = asyncio.Event()

    def now(self) -> datetime:
        """The start and what was advanced since."""
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        """What was advanced since the start."""
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        """Wait until somebody advances far enough."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        wake = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed + seconds, next(self._order), wake))
        self._arrived.set()
        await wake

    def sleepers(self) -> int:
        """How many wait on this clock."""
        return sum(not wake.done() for _, _, wake in self._sleepers)

    async def slept_on(self, sleepers: int = 1) -> None:
        """Return when at least so many wait: the moment to advance without a race."""
        while self.sleepers() < sleepers:
            self._arrived.clear()
            await self._arrived.wait()

    async def advance(self, seconds: float) -> None:
        """Let time pass. A sleeper that wakes and sleeps again within the span wakes again."""
        end = self._elapsed + seconds
        while self._sleepers and self._sleepers[0][0] <= end:
            due, _, wake = heapq.heappop(self._sleepers)
            self._elapsed = max(self._elapsed, due)
            if not wake.done():
                wake.set_result(None)
                await self._settle()
        self._elapsed = end
        await self._settle()

    @staticmethod
    async def _settle() -> None:
        """Let those who woke run until they wait for something again; a few turns of the loop are enough."""
        for _ in range(10):
            await asyncio.sleep(0)
