import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from channels.messages import Entrance
from gateway.errors import LLMRejected, LLMUnavailable
from gateway.jobs.handler import JobResult
from gateway.jobs.places import Limit, place_in_line
from gateway.jobs.worker import LOOK_SECONDS, STORE_PAUSE, Worker
from gateway.journal.base import InboxEntry, Job, JobStatus
from gateway.journal.in_memory import InMemoryJournal
from gateway.service.clock import ManualClock
from gateway.service.retry import Backoff
from memory.errors import StoreUnavailable
from tests.helpers.failing import failing
from tests.helpers.journals import NOON, inbound, job


class Handler:
    """Waits at the gate of each job that has one, fails as it is told, and notes what it was asked."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.gates: dict[str, asyncio.Event] = {}
        self.runs: list[tuple[str, int]] = []
        self.given_up: list[tuple[str, Exception | None]] = []
        self.at_once = self.most_at_once = 0
        self.last_word: Callable[[], JobResult] = lambda: JobResult(status=JobStatus.FAILED)
        self._changed = asyncio.Condition()

    async def run(self, job: Job) -> JobResult:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            async with self._changed:
                self.runs.append((job.id, job.attempts + 1))
                self._changed.notify_all()
            if job.id in self.gates:
                await self.gates[job.id].wait()
            if self.errors:
                raise self.errors.pop(0)
            return JobResult(inbound=inbound(job.id, entrance=Entrance.SUBAGENT))
        finally:
            self.at_once -= 1

    async def give_up(self, job: Job, error: Exception | None) -> JobResult:
        self.given_up.append((job.id, error))
        return self.last_word()

    async def ran(self, times: int) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.runs) >= times)


class Bench:
    """A worker on a journal in memory, under a clock that is turned by hand."""

    def __init__(self, handler: Handler, *, journal: InMemoryJournal | None = None, **limits: Limit) -> None:
        self.clock = ManualClock(NOON)
        self.journal = journal or InMemoryJournal()
        self.published: list[InboxEntry] = []
        self.worker = Worker(
            self.journal,
            {"subagent": handler, "dream": handler},
            publish=self.published.append,
            limits=limits,
            clock=self.clock,
            backoff=Backoff(first=10.0, jitter=0.0),
            max_attempts=3,
        )

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.worker.run())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def status(self, job_id: str) -> JobStatus:
        known = await self.journal.job(job_id)
        assert known is not None
        return known.status


async def test_a_job_that_is_handed_in_runs_at_once_and_its_result_is_published() -> None:
    bench = Bench(Handler())
    async with bench.working():
        await bench.worker.submit(job("a"))
        await bench.worker.drain()

    assert await bench.status("a") is JobStatus.SUCCEEDED
    assert [entry.message.id for entry in bench.published] == ["a"]
    assert await bench.journal.waiting() == bench.published


async def test_a_job_that_is_handed_in_twice_runs_once() -> None:
    handler = Handler()
    bench = Bench(handler)
    async with bench.working():
        await bench.worker.submit(job("a"))
        await bench.worker.drain()
        place = await bench.worker.submit(job("a"))
        await bench.worker.drain()

    assert place == 0
    assert handler.runs == [("a", 1)]


async def test_a_job_that_came_in_another_way_is_found_by_time() -> None:
    handler = Handler()
    bench = Bench(handler)
    async with bench.working():
        await bench.worker.drain()
        await bench.journal.respond(answered=[], jobs=[job("a")])
        await bench.clock.slept_on(1)
        await bench.clock.advance(LOOK_SECONDS)
        await handler.ran(1)


async def test_what_fails_is_tried_again_later_and_later_and_then_given_up() -> None:
    handler = Handler(*[LLMUnavailable("down")] * 3)
    bench = Bench(handler)
    async with bench.working():
        await bench.worker.submit(job("a"))
        await handler.ran(1)
        await bench.clock.slept_on(1)
        await bench.clock.advance(9.9)
        early = len(handler.runs)
        await bench.clock.advance(0.2)
        await handler.ran(2)
        await bench.clock.slept_on(1)
        await bench.clock.advance(20.1)
        await handler.ran(3)
        await bench.worker.drain()

    assert early == 1
    assert handler.runs == [("a", 1), ("a", 2), ("a", 3)]
    assert [str(error) for _, error in handler.given_up] == ["down"]
    assert await bench.status("a") is JobStatus.FAILED


async def test_the_log_of_a_postponed_job_says_why_and_until_when() -> None:
    handler = Handler(LLMUnavailable("the server can't be reached"), KeyError("a fault of ours"))
    bench = Bench(handler)
    with capture_logs() as lines:
        async with bench.working():
            await bench.worker.submit(job("a"))
            for tries in (1, 2):
                await handler.ran(tries)
                await bench.clock.slept_on(1)
                await bench.clock.advance(60)
            await bench.worker.drain()

    first, second = [line for line in lines if line["event"] == "job_postponed"]
    assert (first["error"], first["why"]) == ("LLMUnavailable", "the server can't be reached")
    assert first["exc_info"] is None
    assert isinstance(second["exc_info"], KeyError)
    assert first["next_at"] < second["next_at"]


async def test_what_the_model_refuses_is_not_tried_again() -> None:
    handler = Handler(LLMRejected("no key"))
    bench = Bench(handler)
    async with bench.working():
        await bench.worker.submit(job("a"))
        await bench.worker.drain()

    assert len(handler.runs) == 1
    assert len(handler.given_up) == 1


async def test_a_full_disk_is_no_fault_of_the_job() -> None:
    handler = Handler(*[StoreUnavailable("full")] * 5)
    bench = Bench(handler)
    async with bench.working():
        await bench.worker.submit(job("a"))
        for tries in range(1, 6):
            await handler.ran(tries)
            await bench.clock.slept_on(1)
            await bench.clock.advance(60)
        await handler.ran(6)
        await bench.worker.drain()

    assert handler.given_up == []
    assert await bench.status("a") is JobStatus.SUCCEEDED


async def test_one_broken_job_ends_and_disturbs_no_other() -> None:
    def broken() -> JobResult:
        raise ValueError("the last word fails, too")

    handler = Handler(LLMRejected("no"))
    handler.last_word = broken
    bench = Bench(handler, subagent=Limit(at_once=2))
    async with bench.working():
        await bench.worker.submit(job("a"))
        await bench.worker.submit(job("b"))
        await bench.worker.drain()

    assert sorted([await bench.status("a"), await bench.status("b")]) == [
        JobStatus.FAILED,
        JobStatus.SUCCEEDED,
    ]


async def test_a_cancellation_from_within_a_library_is_a_failure() -> None:
    class Stray(Handler):
        async def run(self, job: Job) -> JobResult:
            if job.attempts == 0:
                raise asyncio.CancelledError
            return await super().run(job)

    handler = Stray()
    bench = Bench(handler)
    async with bench.working():
        await bench.worker.submit(job("a"))
        await bench.clock.slept_on(1)
        await bench.clock.advance(11)
        await handler.ran(1)
        await bench.worker.drain()

    assert await bench.status("a") is JobStatus.SUCCEEDED


async def test_no_more_run_at_once_than_the_kind_and_the_session_may_have() -> None:
    handler = Handler()
    bench = Bench(handler, subagent=Limit(at_once=3, per_session=2))
    names = [f"a{n}" for n in range(4)] + ["b"]
    handler.gates = {name: asyncio.Event() for name in names}
    async with bench.working():
        places = [
            await bench.worker.submit(job(name, session=name[0], run_at=NOON + timedelta(microseconds=n)))
            for n, name in enumerate(names)
        ]
        await bench.clock.advance(1)
        await handler.ran(3)
        first = [name for name, _ in handler.runs]
        for gate in handler.gates.values():
            gate.set()
        await bench.worker.drain()

    assert places == [0, 0, 1, 2, 0]
    assert first == ["a0", "a1", "b"]
    assert handler.most_at_once == 3
    assert len(handler.runs) == 5


async def test_a_kind_that_is_full_holds_up_no_other_kind() -> None:
    handler = Handler()
    handler.gates["slow"] = asyncio.Event()
    bench = Bench(handler)
    async with bench.working():
        await bench.worker.submit(job("slow"))
        await bench.worker.submit(job("next"))
        await bench.worker.submit(job("night", kind="dream"))
        await handler.ran(2)
        ran = [name for name, _ in handler.runs]
        handler.gates["slow"].set()
        await bench.worker.drain()

    assert ran == ["slow", "night"]


async def test_what_is_cut_off_by_a_stop_runs_again_at_the_next_start_without_counting_a_try() -> None:
    handler = Handler()
    handler.gates["a"] = asyncio.Event()
    bench = Bench(handler)
    async with bench.working():
        await bench.worker.submit(job("a"))
        await handler.ran(1)
    stopped = await bench.status("a")
    handler.gates.clear()
    async with bench.working():
        await bench.worker.drain()

    assert stopped is JobStatus.DOING
    assert handler.runs == [("a", 1), ("a", 1)]
    assert handler.given_up == []
    assert await bench.status("a") is JobStatus.SUCCEEDED


async def test_a_running_job_is_cancelled_with_a_last_word_and_frees_its_place() -> None:
    handler = Handler()
    handler.gates["a"] = asyncio.Event()
    handler.last_word = lambda: JobResult(status=JobStatus.CANCELLED, inbound=inbound("a"))
    bench = Bench(handler)
    async with bench.working():
        await bench.worker.submit(job("a"))
        await bench.worker.submit(job("b"))
        await handler.ran(1)
        cancelled = await bench.worker.cancel("a")
        await bench.worker.drain()

    assert cancelled
    assert handler.given_up == [("a", None)]
    assert [entry.message.id for entry in bench.published] == ["a", "b"]
    assert await bench.status("a") is JobStatus.CANCELLED


class SlowToGiveUp(Handler):
    """Needs, for its last word, what a run of the same job would hold."""

    def __init__(self) -> None:
        super().__init__()
        self.giving_up, self.may_give_up = asyncio.Event(), asyncio.Event()

    async def give_up(self, job: Job, error: Exception | None) -> JobResult:
        self.giving_up.set()
        await self.may_give_up.wait()
        return await super().give_up(job, error)


async def test_a_job_whose_last_word_is_being_said_does_not_begin_when_a_place_is_free() -> None:
    handler = SlowToGiveUp()
    handler.gates["a"] = asyncio.Event()
    bench = Bench(handler, subagent=Limit(at_once=1))
    handler.last_word = lambda: JobResult(status=JobStatus.CANCELLED)
    async with bench.working():
        await bench.worker.submit(job("a"))
        await handler.ran(1)
        await bench.worker.submit(job("b"))
        await bench.worker.submit(job("c"))
        cancelling = asyncio.create_task(bench.worker.cancel("b"))
        await handler.giving_up.wait()
        handler.gates["a"].set()
        await handler.ran(2)
        handler.may_give_up.set()

        assert await cancelling
        await bench.worker.drain()
    ended = await bench.journal.job("b")

    assert [job_id for job_id, _ in handler.runs] == ["a", "c"]
    assert ended is not None
    assert ended.status is JobStatus.CANCELLED


async def test_a_waiting_job_is_cancelled_with_a_last_word_and_never_runs() -> None:
    handler = Handler()
    handler.last_word = lambda: JobResult(status=JobStatus.CANCELLED, inbound=inbound("b"))
    handler.gates["a"] = asyncio.Event()
    bench = Bench(handler)
    async with bench.working():
        await bench.worker.submit(job("a"))
        await bench.worker.submit(job("b"))
        await handler.ran(1)
        cancelled = await bench.worker.cancel("b")
        handler.gates["a"].set()
        await bench.worker.drain()
        too_late = await bench.worker.cancel("a")

    assert cancelled
    assert not too_late
    assert [name for name, _ in handler.runs] == ["a"]
    assert handler.given_up == [("b", None)]
    assert [entry.message.id for entry in bench.published] == ["b", "a"]
    assert not await bench.worker.cancel("unknown")


async def test_a_stop_while_a_job_is_being_cancelled_leaves_it_to_the_next_start() -> None:
    class Tidying(Handler):
        async def run(self, job: Job) -> JobResult:
            try:
                return await super().run(job)
            finally:
                tidying.set()
                await asyncio.Event().wait()

    handler, tidying = Tidying(), asyncio.Event()
    handler.gates["a"] = asyncio.Event()
    bench = Bench(handler)
    async with bench.working():
        await bench.worker.submit(job("a"))
        await handler.ran(1)
        await bench.worker.cancel("a")
        await tidying.wait()

    assert await bench.status("a") is JobStatus.DOING
    assert handler.given_up == []


@pytest.mark.parametrize("write", ["claim", "finish", "reschedule"])
async def test_a_journal_that_can_not_write_for_a_while_ends_no_other_job_and_repeats_none(
    write: str,
) -> None:
    handler = Handler(*[LLMUnavailable("busy")] * (write == "reschedule"))
    handler.gates["other"] = asyncio.Event()
    journal = InMemoryJournal()
    bench = Bench(handler, journal=failing(journal, {write}), subagent=Limit(at_once=2))
    async with bench.working():
        await bench.worker.submit(job("a"))
        await bench.worker.submit(job("other"))
        for _ in range(10):
            await bench.clock.slept_on(1)
            await bench.clock.advance(STORE_PAUSE)
        handler.gates["other"].set()
        await bench.worker.drain()

    tries = [name for name, _ in handler.runs]
    assert tries.count("other") == 1
    assert tries.count("a") == (2 if write == "reschedule" else 1)
    assert sorted(entry.message.id for entry in await journal.waiting()) == ["a", "other"]


class TestPlaces:
    def test_a_job_waits_behind_those_of_its_session_that_were_due_before(self) -> None:
        doing = job("a", status=JobStatus.DOING)
        line = [job("d"), job("c"), job("b"), doing]
        places = [place_in_line(line, name, limit=Limit(at_once=9, per_session=1)) for name in "abcd"]

        assert places == [0, 1, 2, 3]

    def test_another_kind_and_what_has_ended_take_no_place(self) -> None:
        line = [job("c"), job("b", kind="dream"), job("a", status=JobStatus.SUCCEEDED)]

        assert place_in_line(line, "c", limit=Limit()) == 0
        assert place_in_line(line, "a", limit=Limit()) == 0
        assert place_in_line(line, "unknown", limit=Limit()) == 0
