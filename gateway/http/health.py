"""How we are, by round trips of ours: to the store, to the journal, and each channel's last one to its platform."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from channels.adapter import ChannelAdapter
from channels.errors import ChannelError
from gateway.errors import GatewayError
from gateway.service.clock import Clock
from memory.errors import StoreError

Probe = Callable[[], Awaitable[object]]
"""One round trip; raises when it fails."""

STALE_SECONDS = 90.0
"""A channel whose last good round trip is older is down: beyond every long poll, within the promised two minutes."""
PROBE_SECONDS = 5.0
"""A probe that takes longer has failed."""
FRESH_SECONDS = 5.0
"""So long a finding is given to whoever asks, so that asking often costs nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """What was found; `reasons` says by part what is wrong, and is empty when nothing is."""

    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether everything had a good round trip lately."""
        return not self.reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelState:
    """One channel, as `status` shows it."""

    name: str
    ok: bool
    last_round_trip: datetime | None
    reason: str = ""


class Health:
    """Asks the parts when it is asked itself, so that an idle house writes nothing."""

    def __init__(
        self, probes: Mapping[str, Probe], *, channels: Callable[[], Iterable[ChannelAdapter]], clock: Clock
    ) -> None:
        self._probes = probes
        self._channels = channels
        self._clock = clock
        self._asking = asyncio.Lock()
        self._failures: dict[str, str] = {}
        self._asked_at = float("-inf")

    async def ready(self) -> Readiness:
        """Whether we can take a message in, answer it and deliver the answer."""
        async with self._asking:
            if self._clock.monotonic() - self._asked_at > FRESH_SECONDS:
                names = list(self._probes)
                found = await asyncio.gather(*(self._failure(self._probes[name]) for name in names))
                self._failures = {name: reason for name, reason in zip(names, found, strict=True) if reason}
                self._asked_at = self._clock.monotonic()
        down = {f"channel {one.name}": one.reason for one in self.channels() if not one.ok}
        return Readiness(reasons={**self._failures, **down})

    def channels(self) -> list[ChannelState]:
        """Each enabled channel; a failure that is younger than `STALE_SECONDS` is not yet news."""
        now = self._clock.now()
        return [_judged(adapter, now) for adapter in self._channels()]

    async def _failure(self, probe: Probe) -> str:
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                await probe()
        except TimeoutError:
            return f"no answer within {PROBE_SECONDS:g} seconds"
        except (StoreError, GatewayError, ChannelError, OSError) as error:
            return str(error) or type(error).__name__
        return ""


def _judged(adapter: ChannelAdapter, now: datetime) -> ChannelState:
    health = adapter.health()
    last = health.last_round_trip
    if last is None:
        reason = health.error or "no round trip yet"
    elif now - last > timedelta(seconds=STALE_SECONDS):
        reason = f"no round trip for {int((now - last).total_seconds())} seconds"
        reason += f": {health.error}" if health.error else ""
    else:
        reason = ""
    return ChannelState(name=adapter.name, ok=not reason, last_round_trip=last, reason=reason)
