"""Waits until somebody rings or a time has passed, whichever comes first."""

import asyncio

from gateway.service.clock import Clock


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
        waits = [
            asyncio.ensure_future(self._rung.wait()),
            asyncio.ensure_future(self._clock.sleep(seconds)),
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for waiting in waits:
                waiting.cancel()
        self._rung.clear()
