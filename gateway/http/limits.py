"""Floods: strangers who knock too often, and people who ask faster than they are answered."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gateway.journal.base import Inbox
from gateway.service.clock import Clock

REFUSALS_PER_SECOND = 20
UNANSWERED = 1000
_COUNT_SECONDS = 0.25
"""A count of what waits is believed for so long; what was taken in since is added."""
_PAGE = 1000


class Refusals:
    """Refused requests of the last second; what is served is never counted, so a flood harms nobody else."""

    def __init__(self, *, clock: Clock, limit: int = REFUSALS_PER_SECOND) -> None:
        self._clock = clock
        self._times = deque[float](maxlen=limit + 1)
        self._limit = limit

    def one_more(self) -> bool:
        """Count a refusal; whether there are too many."""
        now = self._clock.monotonic()
        while self._times and self._times[0] <= now - 1.0:
            self._times.popleft()
        self._times.append(now)
        return len(self._times) > self._limit


class Crowding:
    """Whether one person has so many unanswered messages that another one must wait."""

    def __init__(self, inbox: Inbox, *, clock: Clock, limit: int = UNANSWERED) -> None:
        self._inbox = inbox
        self._clock = clock
        self._limit = limit
        self._counting = asyncio.Lock()
        self._counted_at = float("-inf")
        self._total = 0
        self._counts: Counter[str] | None = None
        """By person; None while everybody's messages together are too few to count them so."""
        self._since = Counter[str]()
        """What was taken in since the count."""
        self._entering = Counter[str]()
        """What is being taken in, and may not stand in a count yet."""

    @asynccontextmanager
    async def __call__(self, person: str) -> AsyncIterator[bool]:
        """Whether this person must wait; if not, a message that is taken in meanwhile is counted from the beginning."""
        is_crowded = await self._is_crowded(person)
        try:
            yield is_crowded
        finally:
            if not is_crowded:
                self._entering[person] -= 1
                self._since[person] += 1

    async def _is_crowded(self, person: str) -> bool:
        async with self._counting:
            if self._clock.monotonic() - self._counted_at > _COUNT_SECONDS:
                self._counted(await self._inbox.unanswered(), None)
            more = self._since + self._entering
            if self._counts is None and self._total + more.total() >= self._limit:
                counts = await self._count()
                self._counted(counts.total(), counts)
                more = self._since + self._entering
            if self._counts is not None and self._counts[person] + more[person] >= self._limit:
                return True
            self._entering[person] += 1
            return False

    def _counted(self, total: int, counts: Counter[str] | None) -> None:
        self._counted_at = self._clock.monotonic()
        self._total, self._counts, self._since = total, counts, Counter()

    async def _count(self) -> Counter[str]:
        """Reads all that waits."""
        counts = Counter[str]()
        position = 0
        while entries := await self._inbox.waiting(after=position, limit=_PAGE):
            position = entries[-1].position
            counts.update(entry.message.person or "" for entry in entries)
        return counts
