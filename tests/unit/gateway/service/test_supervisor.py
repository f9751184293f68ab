"""One failing coroutine starts again, and no other one notices."""

import asyncio
from random import Random

import pytest
from structlog.testing import capture_logs

from gateway.service.clock import ManualClock
from gateway.service.retry import Backoff
from gateway.service.supervisor import State, Supervisor


class Refused(Exception):
    """Stands for an error after which trying again is useless."""


class Later(Exception):
    """Stands for an error that names a time."""

    retry_after = 90.0


class Worker:
    """A coroutine that raises what it is given, one error a run, and then runs until cancelled."""

    def __init__(self, *errors: BaseException) -> None:
        self.errors = list(errors)
        self.runs = 0
        self.running = asyncio.Event()

    async def run(self) -> None:
        self.runs += 1
        if self.errors:
            raise self.errors.pop(0)
        self.running.set()
        await asyncio.Event().wait()


def make(clock: ManualClock) -> Supervisor:
    """A supervisor whose waits are 1, 2, 4 … seconds."""
    return Supervisor(clock=clock, backoff=Backoff(jitter=0), rng=Random(0), terminal=(Refused,))


async def test_a_failure_is_followed_by_a_wait_and_another_run() -> None:
    clock, worker = ManualClock(), Worker(OSError("1"), OSError("2"))
    supervisor = make(clock)
    supervisor.start("poll", worker.run)

    waiting = await supervisor.reached("poll", State.WAITING)
    await clock.advance(1)
    again = await supervisor.reached("poll", State.WAITING)
    await clock.advance(2)
    await worker.running.wait()

    assert (waiting.failures, again.failures) == (1, 2)
    assert waiting.error == "OSError"
    assert supervisor.status("poll").restarts == 2
    assert worker.runs == 3
    await supervisor.stop()


async def test_one_that_fails_leaves_the_others_alone() -> None:
    clock, bad, good = ManualClock(), Worker(ValueError("x")), Worker()
    supervisor = make(clock)
    supervisor.start("good", good.run)
    supervisor.start("bad", bad.run)
    await supervisor.reached("bad", State.WAITING)

    assert good.running.is_set()
    assert supervisor.status("good").state is State.RUNNING
    await supervisor.stop()


async def test_a_refusal_is_not_tried_again() -> None:
    clock, worker = ManualClock(), Worker(Refused("token"))
    supervisor = make(clock)
    supervisor.start("poll", worker.run)
    status = await supervisor.reached("poll", State.REFUSED)

    await clock.advance(10_000)

    assert status.error == "Refused"
    assert worker.runs == 1


async def test_a_named_time_is_waited_for() -> None:
    clock, worker = ManualClock(), Worker(Later("flood"))
    supervisor = Supervisor(clock=clock, backoff=Backoff(jitter=0), rng=Random(0))
    supervisor.start("poll", worker.run)
    await supervisor.reached("poll", State.WAITING)

    await clock.advance(89)
    early = worker.runs
    await clock.advance(2)

    assert (early, worker.runs) == (1, 2)
    await supervisor.stop()


async def test_a_long_healthy_run_makes_the_next_wait_short_again() -> None:
    clock = ManualClock()
    runs: list[float] = []

    async def mostly_well() -> None:
        runs.append(clock.monotonic())
        await clock.sleep(0.5 if len(runs) < 4 else 3600)
        raise OSError

    supervisor = make(clock)
    supervisor.start("poll", mostly_well)
    await clock.slept_on()
    await clock.advance(0.5 + 1 + 0.5 + 2 + 0.5 + 4 + 3600)

    assert supervisor.status("poll").failures == 1
    await supervisor.stop()


async def test_a_library_that_cancels_itself_is_started_again() -> None:
    clock, worker = ManualClock(), Worker(asyncio.CancelledError())
    supervisor = make(clock)
    supervisor.start("poll", worker.run)

    status = await supervisor.reached("poll", State.WAITING)
    await clock.advance(1)
    await worker.running.wait()

    assert status.error == "StrayCancellation"
    await supervisor.stop()


async def test_one_that_returns_has_ended() -> None:
    supervisor = make(ManualClock())

    async def once() -> None:
        pass

    supervisor.start("once", once)
    status = await supervisor.reached("once", State.ENDED)

    assert status.error is None


async def test_stopping_goes_backwards_and_waits_for_each() -> None:
    supervisor = make(ManualClock())
    ended: list[str] = []

    def forever(name: str) -> None:
        async def run() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(name)

        supervisor.start(name, run)

    for name in ("store", "delivery", "telegram"):
        forever(name)
    await asyncio.sleep(0)

    await supervisor.stop("telegram")
    await supervisor.stop()

    assert ended == ["telegram", "delivery", "store"]
    assert {status.state for status in supervisor.statuses()} == {State.STOPPED}


async def test_stopping_while_one_waits_to_start_again_ends_the_wait() -> None:
    supervisor = make(ManualClock())
    supervisor.start("poll", Worker(OSError()).run)
    await supervisor.reached("poll", State.WAITING)

    await supervisor.stop()

    assert supervisor.status("poll").state is State.STOPPED


async def test_what_drains_in_time_is_waited_for() -> None:
    clock, worker = ManualClock(), Worker()
    supervisor = make(clock)
    supervisor.start("worker", worker.run)
    drained = asyncio.Event()

    async def drain() -> None:
        await clock.sleep(5)
        drained.set()

    async with asyncio.TaskGroup() as group:
        group.create_task(supervisor.stop(drain=drain, seconds=20))
        await clock.slept_on(2)
        await clock.advance(5)

    assert drained.is_set()
    assert clock.monotonic() == 5
    assert supervisor.status("worker").state is State.STOPPED


async def test_what_does_not_drain_in_time_is_cut_off() -> None:
    clock, worker = ManualClock(), Worker()
    supervisor = make(clock)
    supervisor.start("worker", worker.run)

    async with asyncio.TaskGroup() as group:
        group.create_task(supervisor.stop(drain=asyncio.Event().wait, seconds=20))
        await clock.slept_on()
        await clock.advance(20)

    assert supervisor.status("worker").state is State.STOPPED


async def test_a_drain_that_fails_still_lets_all_stop() -> None:
    supervisor = make(ManualClock())
    supervisor.start("worker", Worker().run)

    async def drain() -> None:
        raise OSError("disk")

    with pytest.raises(ExceptionGroup):
        await supervisor.stop(drain=drain, seconds=20)

    assert supervisor.status("worker").state is State.STOPPED


async def test_a_name_runs_once_at_a_time_and_may_be_started_again() -> None:
    supervisor = make(ManualClock())
    supervisor.start("poll", Worker().run)
    with pytest.raises(ValueError, match="running already"):
        supervisor.start("poll", Worker().run)
    await supervisor.stop("poll")

    again = Worker()
    supervisor.start("poll", again.run)
    await again.running.wait()

    assert supervisor.status("poll").state is State.RUNNING
    await supervisor.stop()


async def test_each_failure_is_logged_with_its_kind() -> None:
    supervisor = make(ManualClock())

    with capture_logs() as lines:
        supervisor.start("poll", Worker(OSError("x")).run)
        await supervisor.reached("poll", State.WAITING)

    assert [(line["event"], line["name"], line["restart_in"]) for line in lines] == [
        ("coroutine_failed", "poll", 1)
    ]
    await supervisor.stop()
