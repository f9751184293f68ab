"""How a workspace is: by asking Slack who we are, again and again, and whether our sockets answer."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta

from channels.adapter import ChannelHealth
from channels.errors import ChannelRefused, DeliveryFailed
from channels.slack.api import SlackApi
from channels.slack.faults import Fault, pause
from channels.slack.inbound import Identity

# Round trips older than this many probes count for nothing.
_PROBES = 4

Hearing = Callable[[], Awaitable[str | None]]
"""Why no event can reach us at the moment, or None."""


class Watch:
    """The last good round trip; `every` and `retry` are seconds between tries, when well and when not."""

    def __init__(self, api: SlackApi, *, every: float, retry: float, now: Callable[[], datetime]) -> None:
        self._api = api
        self._every = every
        self._retry = retry
        self._now = now
        self._last: datetime | None = None
        self._error: str | None = "not listening yet"
        self._poked = asyncio.Event()

    def health(self) -> ChannelHealth:
        """Good while the last round trip went well and isn't long ago."""
        fresh = self._last is not None and self._now() - self._last < timedelta(seconds=_PROBES * self._every)
        return ChannelHealth(ok=fresh and self._error is None, last_round_trip=self._last, error=self._error)

    def heard(self) -> None:
        """Something reached us from Slack, which is a round trip too."""
        self._last, self._error = self._now(), None

    def failed(self, reason: str) -> None:
        """Nothing reaches us from Slack, for this reason."""
        self._error = reason

    def poke(self) -> None:
        """Something changed: look again now."""
        self._poked.set()

    async def identify(self) -> Identity:
        """Who we are, as soon as Slack says so; ChannelRefused if it won't."""
        failures = 0
        while True:
            try:
                return await self._ask()
            except (DeliveryFailed, Fault) as error:
                self._error = str(error)
                await asyncio.sleep(pause(failures, first=self._retry, error=error))
                failures += 1

    async def run(self, hearing: Hearing) -> None:
        """Probe until cancelled; raise ChannelRefused when the token is no longer good."""
        while True:
            self._poked.clear()
            try:
                await self._ask()
            except (DeliveryFailed, Fault) as error:
                self._error = str(error)
            else:
                await self._listen(hearing)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._every):
                    await self._poked.wait()

    async def _listen(self, hearing: Hearing) -> None:
        trouble = await hearing()
        if trouble is None:
            self.heard()
        else:
            self._error = trouble

    async def _ask(self) -> Identity:
        try:
            return await self._api.identify()
        except ChannelRefused as error:
            self._error = str(error)
            raise
