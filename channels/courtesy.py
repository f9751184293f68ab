"""What is only shown meanwhile: at a pace that platforms bear, holding nothing up, and never an error."""

import asyncio
import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from channels.errors import ChannelError, DeliveryFailed
from channels.recent import Recent

Shown = TypeVar("Shown")

_LONGEST_SECONDS = 5.0
"""What is shown meanwhile may not hold up the answer for longer."""

_MOST_PLACES = 10_000


class Pace:
    """When a chat, or a place in it, may be touched again by what is only a courtesy."""

    def __init__(self) -> None:
        self._not_before: Recent[str, float] = Recent(limit=_MOST_PLACES)
        self._limits: Recent[str, float] = Recent(limit=_MOST_PLACES)

    def may(self, place: str, *, every: float = 0.0) -> bool:
        """Whether it may be touched now; if so, not again for `every` seconds."""
        if time.monotonic() < self._not_before.get(place, 0.0):
            return False
        self.wait(place, seconds=every)
        return True

    def wait(self, place: str, *, seconds: float) -> None:
        """Leave it alone for that long, or longer if that was said before."""
        self._not_before[place] = max(time.monotonic() + seconds, self._not_before.get(place, 0.0))

    @contextmanager
    def noting_limits(self, place: str) -> Iterator[None]:
        """Leave a place alone for as long as a failed send says."""
        try:
            yield
        except DeliveryFailed as error:
            self.wait(place, seconds=error.retry_after or 0.0)
            raise

    async def courtesy(self, showing: Awaitable[Shown], *, place: str) -> Shown | None:
        """Show something; None where that fails or takes long: it is the answer itself that must arrive."""
        with suppress(ChannelError, TimeoutError), self.noting_limits(place):
            async with asyncio.timeout(_LONGEST_SECONDS):
                return await showing
        return None

    async def preview(self, showing: Awaitable[Shown], *, place: str) -> Shown | None:
        """A courtesy that goes the way of the answer itself: a limit that it meets holds for that too."""

        async def limited() -> Shown:
            try:
                return await showing
            except DeliveryFailed as error:
                self._limits[place] = time.monotonic() + (error.retry_after or 0.0)
                raise

        return await self.courtesy(limited(), place=place)

    def hand_over(self, place: str) -> None:
        """Raise DeliveryFailed with what is left of the limit of a preview; once, for then the queue keeps it."""
        seconds = self._limits.pop(place, 0.0) - time.monotonic()
        if seconds > 0:
            raise DeliveryFailed("the platform asked for patience", retry_after=seconds)
