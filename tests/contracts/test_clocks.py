"""What every clock keeps."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, timedelta

import pytest

from gateway.service.clock import Clock, ManualClock, SystemClock

Pass = Callable[[float], Awaitable[None]]


def system() -> tuple[Clock, Pass]:
    """The machine's clock, whose time passes by itself."""
    return SystemClock(), asyncio.sleep


def manual() -> tuple[Clock, Pass]:
    """A clock that is turned by hand."""
    clock = ManualClock()
    return clock, clock.advance


@pytest.fixture(params=[system, manual])
def clock_and_pass(request: pytest.FixtureRequest) -> tuple[Clock, Pass]:
    """A clock, and how to let its time pass."""
    made: tuple[Clock, Pass] = request.param()
    return made


async def test_now_is_aware_and_in_utc(clock_and_pass: tuple[Clock, Pass]) -> None:
    clock, _ = clock_and_pass

    assert clock.now().tzinfo is UTC


async def test_both_times_run_together(clock_and_pass: tuple[Clock, Pass]) -> None:
    clock, let_pass = clock_and_pass
    now, monotonic = clock.now(), clock.monotonic()

    await let_pass(0.02)

    assert clock.now() - now >= timedelta(seconds=0.015)
    assert clock.monotonic() - monotonic >= 0.015


async def test_a_sleeper_wakes_when_its_time_has_come(clock_and_pass: tuple[Clock, Pass]) -> None:
    clock, let_pass = clock_and_pass
    before = clock.monotonic()

    async with asyncio.TaskGroup() as group:
        sleeper = group.create_task(clock.sleep(0.02))
        await asyncio.sleep(0)
        assert not sleeper.done()
        await let_pass(0.03)

    assert clock.monotonic() - before >= 0.015


async def test_no_time_at_all_gives_way_once(clock_and_pass: tuple[Clock, Pass]) -> None:
    clock, _ = clock_and_pass
    seen: list[str] = []

    async with asyncio.TaskGroup() as group:
        group.create_task(clock.sleep(-1)).add_done_callback(lambda _: seen.append("slept"))
        seen.append("first")

    assert seen == ["first", "slept"]


async def test_a_sleeper_can_be_cancelled(clock_and_pass: tuple[Clock, Pass]) -> None:
    clock, let_pass = clock_and_pass
    sleeper = asyncio.create_task(clock.sleep(0.01))
    await asyncio.sleep(0)
    sleeper.cancel()

    await let_pass(0.02)

    assert sleeper.cancelled()
