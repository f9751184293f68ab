"""Waits until somebody rings or a time has passed, whichever comes first."""

import asyncio

from gateway.service.clock import Clock
from gateway.service.waiting import first_of


class Alarm:
    """For a loop that looks for work: it rests between looks, and no ring is lost while it looks."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Something changed: the next wait, or the one that is going on, returns at once."""
        self._rung.set()

    @property
    def rung(self) -> bool:
        """Whether the next wait returns at once."""
        return self._rung.is_set()

    async def wait(self, seconds: float) -> None:
        """Rest for so long at most; uses the ring up."""
        await first_of(self._rung.wait(), self._clock.sleep(seconds))
        self._rung.clear()
