"""Runs what outlives a turn: claims jobs that are due, runs some of each kind side by side, and ends each of them once."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import TypeVar

import structlog

from channels.errors import ChannelError
from gateway.errors import GatewayError, LLMRejected
from gateway.jobs.handler import JobHandler, JobResult
from gateway.jobs.places import MANY, Limit, place_in_line
from gateway.journal.base import UNFINISHED, InboxEntry, Job, Jobs, JobStatus
from gateway.service.alarm import Alarm
from gateway.service.clock import Clock
from gateway.service.retry import Backoff
from gateway.service.supervisor import StrayCancellation
from memory.errors import StoreError, StoreUnavailable

MAX_ATTEMPTS = 5
"""With the default pauses a job outlasts a server's restart, and its failure is told within a few minutes."""

LOOK_SECONDS = 5.0
"""Between two looks for jobs that came in another way than through the worker, which starts its own at once."""

STORE_PAUSE = 5.0
"""Seconds before a journal that could not write is asked again; what runs meanwhile is left alone."""

T = TypeVar("T")

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Running:
    job: Job
    task: asyncio.Task[None] | None = None
    at_work: bool = True
    """Whether the handler still runs; after that it is too late to cancel."""
    cancelled: bool = False


class Worker:
    """Replies never wait for it: jobs have places of their own, `limits` by kind (one at a time where there is none)."""

    def __init__(
        self,
        journal: Jobs,
        handlers: Mapping[str, JobHandler],
        *,
        publish: Callable[[InboxEntry], None],
        limits: Mapping[str, Limit] | None = None,
        clock: Clock,
        backoff: Backoff | None = None,
        max_attempts: int = MAX_ATTEMPTS,
    ) -> None:
        self._journal = journal
        self._handlers = dict(handlers)
        self._publish = publish
        self._limits = {kind: (limits or {}).get(kind, Limit()) for kind in handlers}
        self._clock = clock
        self._backoff = backoff or Backoff(first=5.0, cap=300.0)
        self._rng = Random()  # noqa: S311 - spreads waits, guards nothing
        self._max_attempts = max_attempts
        self._alarm = Alarm(self._clock)
        self._running: dict[str, _Running] = {}
        self._ending: set[str] = set()
        """Jobs that are cancelled before they began, while their last word is said."""
        self._idle = asyncio.Event()
        self._tries: list[datetime] = []
        """When what has failed is tried again, as far as this run knows."""

    async def run(self) -> None:
        """Work until cancelled, first what an earlier run left undone. What is cut off is resumed by the next run."""
        released = await self._journal.release()
        if released:
            log.info("jobs_released", jobs=released)
        async with asyncio.TaskGroup() as tasks:
            while True:
                await self._start_what_is_due(tasks)
                if not self._running and not self._alarm.rung:
                    self._idle.set()
                await self._alarm.wait(self._rest())

    async def submit(self, job: Job) -> int:
        """Keep a job (once, whatever happens) and start it; 0, or its place in line where there is no room now."""
        await self._journal.enqueue(job)
        self.wake()
        return await self.place(job)

    async def place(self, job: Job) -> int:
        """Where a job stands in the line of its session: 0 when it runs or is about to."""
        known = await self._journal.list_jobs(session=job.session, unfinished=True, limit=MANY)
        return place_in_line(known, job.id, limit=self._limits.get(job.kind, Limit()))

    def wake(self) -> None:
        """Look for jobs now: one was enqueued."""
        self._idle.clear()
        self._alarm.ring()

    async def cancel(self, job_id: str) -> bool:
        """End a job that waits or runs; False when it has ended or is about to."""
        job = None if job_id in self._running else await self._journal.job(job_id)
        if (running := self._running.get(job_id)) is None:
            if job is None or job.status not in UNFINISHED or job_id in self._ending:
                return False
            self._ending.add(job_id)  # or it might begin, and hold the session that its last word needs
            try:
                await self._finish(job, await self._last_word(job, None))
            finally:
                self._ending.discard(job_id)
            return True
        await asyncio.sleep(0)  # a task that is cancelled before its first step would never end its job
        if not running.at_work or running.task is None:
            return False
        running.cancelled = True
        running.task.cancel()
        return True

    @property
    def running(self) -> int:
        """How many jobs run now."""
        return len(self._running)

    async def drain(self) -> None:
        """Return when nothing runs and nothing is due; what waits for a later try is not waited for."""
        await self._idle.wait()

    async def _start_what_is_due(self, tasks: asyncio.TaskGroup) -> None:
        for kind, limit in self._limits.items():
            while len(busy := self._running_of(kind)) < limit.at_once:
                full = [session for session, jobs in Counter(busy).items() if jobs >= limit.per_session]
                claim = partial(self._journal.claim, now=self._clock.now(), kinds=[kind], busy_sessions=full)
                job = await self._written(claim)
                if job is None:
                    break
                if job.id in self._ending:
                    continue
                self._idle.clear()
                self._running[job.id] = running = _Running(job)
                running.task = tasks.create_task(self._serve(running), name=f"{kind} {job.id}")

    def _rest(self) -> float:
        """Seconds until the next look."""
        now = self._clock.now()
        self._tries = [at for at in self._tries if at > now]
        return min([LOOK_SECONDS, *((at - now).total_seconds() for at in self._tries)])

    def _running_of(self, kind: str) -> list[str]:
        """The sessions whose jobs of this kind run, each as often as it has one."""
        return [running.job.session for running in self._running.values() if running.job.kind == kind]

    async def _serve(self, running: _Running) -> None:
        job = running.job
        started = self._clock.monotonic()
        try:
            result = await self._result(running)
            if result is not None:
                await self._written(partial(self._finish, job, result))
                seconds = round(self._clock.monotonic() - started, 3)
                log.info("job_finished", job=job.id, kind=job.kind, status=result.status, seconds=seconds)
        finally:
            del self._running[job.id]
            self._alarm.ring()

    async def _finish(self, job: Job, result: JobResult) -> None:
        """End the job, and hand on what it has to say; one that has ended already says nothing."""
        entry = await self._journal.finish(
            job.id, status=result.status, result=result.data, error=result.error, inbound=result.inbound
        )
        if entry is not None:
            self._publish(entry)

    async def _result(self, running: _Running) -> JobResult | None:
        """What came of one try; None when it is to be tried again later."""
        job = running.job
        try:
            return await self._handlers[job.kind].run(job)
        except asyncio.CancelledError:
            running.at_work = False
            if _requests_to_stop() > running.cancelled:
                raise  # the worker itself is stopped: the next run resumes the job
            if not running.cancelled:
                return await self._failed(job, StrayCancellation(job.id))
            _take_back_request()
            return await self._last_word(job, None)
        except Exception as error:  # noqa: BLE001 - one of the four places of the house: a job
            running.at_work = False
            return await self._failed(job, error)
        finally:
            running.at_work = False

    async def _failed(self, job: Job, error: Exception) -> JobResult | None:
        """Try it again later, or say its last word."""
        attempts = job.attempts + 1
        # A store that can't write is no fault of the job: it goes on when there is room again.
        hopeless = isinstance(error, LLMRejected) or attempts >= self._max_attempts
        if hopeless and not isinstance(error, StoreUnavailable):
            log.error("job_failed", job=job.id, kind=job.kind, attempts=attempts, exc_info=error)
            return await self._last_word(job, error)
        delay = self._backoff.delay(attempts, rng=self._rng, named=getattr(error, "retry_after", None))
        run_at = self._clock.now() + timedelta(seconds=delay)
        self._tries.append(run_at)
        wait = partial(self._journal.reschedule, job.id, run_at=run_at, error=type(error).__name__)
        await self._written(wait)
        is_ours = isinstance(error, GatewayError | StoreError | ChannelError)  # then its text says what to do
        log.warning(
            "job_postponed",
            job=job.id,
            kind=job.kind,
            attempts=attempts,
            next_at=run_at.isoformat(timespec="seconds"),
            error=type(error).__name__,
            why=str(error) if is_ours else None,
            exc_info=None if is_ours else error,
        )
        return None

    async def _last_word(self, job: Job, error: Exception | None) -> JobResult:
        status = JobStatus.CANCELLED if error is None else JobStatus.FAILED
        try:
            return await self._handlers[job.kind].give_up(job, error)
        except Exception:
            # Whatever is wrong with the last word, the job must end, or it would be run for ever.
            log.exception("job_ended_silently", job=job.id, kind=job.kind)
            return JobResult(status=status, error=None if error is None else type(error).__name__)

    async def _written(self, write: Callable[[], Awaitable[T]]) -> T:
        """What a write gives, once the journal can write."""
        while True:
            try:
                return await write()
            except StoreUnavailable as error:
                log.error("journal_unwritable", error=str(error))
                await self._clock.sleep(STORE_PAUSE)


def _requests_to_stop() -> int:
    task = asyncio.current_task()
    return task.cancelling() if task is not None else 0


def _take_back_request() -> None:
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()
