"""Waits for whichever comes first, and for one's turn where only one may pass at a time."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager

from gateway.service.clock import Clock


async def first_of(*awaitables: Awaitable[object]) -> None:
    """Return when one of these is done, or raise what it raises; the others are cancelled."""
    waits = [asyncio.ensure_future(awaitable) for awaitable in awaitables]
    try:
        done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for waited in done:
            waited.result()
    finally:
        for waiting in waits:
            waiting.cancel()


class Turnstile:
    """Lets one through at a time, in order of arrival; who takes longer than `patience` seconds is passed by."""

    def __init__(self, *, patience: float, clock: Clock) -> None:
        self._patience = patience
        self._clock = clock
        self._queue = asyncio.Lock()
        self._left = asyncio.Event()
        self._left.set()
        self._entered_at = 0.0

    @asynccontextmanager
    async def passing(self) -> AsyncIterator[None]:
        """Hold the place until the block is over."""
        async with self._queue:
            rest = self._entered_at + self._patience - self._clock.monotonic()
            if not self._left.is_set() and rest > 0:
                await first_of(self._left.wait(), self._clock.sleep(rest))
            self._left = left = asyncio.Event()
            self._entered_at = self._clock.monotonic()
        try:
            yield
        finally:
            left.set()
