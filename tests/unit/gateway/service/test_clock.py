"""The clock that is turned by hand."""

import asyncio

from gateway.service.clock import ManualClock


async def test_sleepers_wake_in_the_order_of_their_due_times() -> None:
    clock = ManualClock()
    woken: list[tuple[str, float]] = []

    async def sleep(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((name, clock.monotonic()))

    async with asyncio.TaskGroup() as group:
        for name, seconds in (("late", 30.0), ("early", 10.0), ("middle", 20.0)):
            group.create_task(sleep(name, seconds))
        await clock.slept_on(3)
        await clock.advance(60)

    assert woken == [("early", 10.0), ("middle", 20.0), ("late", 30.0)]


async def test_who_sleeps_again_within_the_span_wakes_again() -> None:
    clock = ManualClock()
    ticks: list[float] = []

    async def tick() -> None:
        for _ in range(3):
            await clock.sleep(10)
            ticks.append(clock.monotonic())

    async with asyncio.TaskGroup() as group:
        group.create_task(tick())
        await clock.slept_on()
        await clock.advance(35)

    assert ticks == [10, 20, 30]
    assert clock.monotonic() == 35


async def test_who_is_not_due_sleeps_on() -> None:
    clock = ManualClock()
    sleeper = asyncio.create_task(clock.sleep(10))
    await clock.slept_on()

    await clock.advance(9.9)

    assert not sleeper.done()
    assert clock.sleepers() == 1
    await clock.advance(0.2)
    assert sleeper.done()
