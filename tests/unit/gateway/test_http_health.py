import asyncio
from datetime import timedelta

from channels.adapter import ChannelHealth
from channels.loopback import LoopbackAdapter
from gateway.http.health import Health
from gateway.service.clock import ManualClock
from memory.errors import StoreUnavailable


class Platform(LoopbackAdapter):
    """A channel whose round trips a test makes."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__("telegram")
        self.clock = clock
        self.state = ChannelHealth(ok=False, error="not started")

    def round_trip(self) -> None:
        self.state = ChannelHealth(ok=True, last_round_trip=self.clock.now())

    def fail(self, error: str) -> None:
        self.state = ChannelHealth(ok=False, last_round_trip=self.state.last_round_trip, error=error)

    def health(self) -> ChannelHealth:
        return self.state


class Disk:
    """What a probe writes to."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.writes = 0

    async def __call__(self) -> None:
        self.writes += 1
        if self.error is not None:
            raise self.error


async def test_a_channel_is_down_within_two_minutes_of_its_last_round_trip_and_up_with_the_next() -> None:
    clock = ManualClock()
    platform = Platform(clock)
    health = Health({}, channels=lambda: [platform], clock=clock)
    seen = {"before": (await health.ready()).reasons}
    platform.round_trip()
    seen["at first"] = (await health.ready()).reasons
    platform.fail("connection refused")
    await clock.advance(80)
    seen["a hiccup"] = (await health.ready()).reasons
    await clock.advance(20)
    seen["after long"] = (await health.ready()).reasons
    platform.round_trip()
    seen["again"] = (await health.ready()).reasons

    assert seen == {
        "before": {"channel telegram": "not started"},
        "at first": {},
        "a hiccup": {},
        "after long": {"channel telegram": "no round trip for 100 seconds: connection refused"},
        "again": {},
    }


async def test_a_channel_that_hangs_without_an_error_is_down_too() -> None:
    clock = ManualClock()
    platform = Platform(clock)
    platform.round_trip()
    health = Health({}, channels=lambda: [platform], clock=clock)
    await clock.advance(timedelta(minutes=2).total_seconds())
    found = await health.ready()

    assert not found.ok
    assert [state.ok for state in health.channels()] == [False]


async def test_a_store_that_cannot_write_is_said_and_its_recovery_is_noticed() -> None:
    clock, disk = ManualClock(), Disk()
    health = Health({"store": disk}, channels=list, clock=clock)
    disk.error = StoreUnavailable("the disk is full")
    broken = await health.ready()
    disk.error = None
    await clock.advance(6)
    mended = await health.ready()

    assert broken.reasons == {"store": "the disk is full"}
    assert mended.ok


async def test_who_asks_often_costs_one_write_and_an_idle_house_none() -> None:
    clock, disk = ManualClock(), Disk()
    health = Health({"store": disk}, channels=list, clock=clock)
    await clock.advance(3600)
    await asyncio.gather(*(health.ready() for _ in range(50)))

    assert disk.writes == 1
