"""Work that outlives a turn."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from channels.messages import InboundMessage
from gateway.journal.base import UNFINISHED, InboxEntry, Job, JobStatus
from gateway.journal.codec import SUPERSEDED, decode_data, encode, legal, legal_texts
from gateway.journal.in_memory.inbox import InMemoryInbox


class InMemoryJobs(InMemoryInbox):
    """Jobs by id; what one ends with goes into the inbox."""

    def __init__(self) -> None:
        super().__init__()
        self._jobs: dict[str, Job] = {}

    async def enqueue(self, job: Job) -> bool:
        """Keeps a copy, as a file would."""
        return self._enqueue(job)

    def _enqueue(self, job: Job) -> bool:
        job = legal_texts(job)
        if job.id in self._jobs or self._queues(job.queueing_lock):
            return False
        payload, result = decode_data(encode(job.payload)), decode_data(encode(job.result))
        self._jobs[job.id] = replace(job, payload=payload, result=result)
        return True

    async def claim(
        self, *, now: datetime, busy_sessions: Sequence[str] = (), kinds: Sequence[str] = ()
    ) -> Job | None:
        doing = [job for job in self._jobs.values() if job.status is JobStatus.DOING]
        held = {job.lock for job in doing} - {None}
        due = [
            job
            for job in self._jobs.values()
            if job.status is JobStatus.TODO
            and job.run_at <= now
            and job.lock not in held
            and job.session not in busy_sessions
            and (not kinds or job.kind in kinds)
        ]
        if not due:
            return None
        oldest = min(due, key=lambda job: job.run_at)
        return self._change(oldest, status=JobStatus.DOING, beat_at=now)

    async def finish(
        self,
        job_id: str,
        *,
        status: JobStatus,
        result: Mapping[str, Any] | None = None,
        error: str | None = None,
        inbound: InboundMessage | None = None,
    ) -> InboxEntry | None:
        """No await stands between the two changes."""
        job = self._jobs.get(legal(job_id))
        if job is None or job.status not in UNFINISHED:
            return None
        copied = decode_data(encode(result or {}))
        self._change(
            job, status=status, result=copied, error=error if error is None else legal(error), beat_at=None
        )
        return self._accept(inbound) if inbound else None

    async def reschedule(self, job_id: str, *, run_at: datetime, error: str) -> None:
        job = self._jobs.get(legal(job_id))
        if job is not None and job.status is JobStatus.DOING:
            self._wait_again(job, run_at=run_at, error=legal(error), attempts=job.attempts + 1)

    async def release(self) -> int:
        cut_off = [job for job in self._jobs.values() if job.status is JobStatus.DOING]
        return sum(self._wait_again(job) for job in cut_off)

    async def erase_job(self, job_id: str) -> bool:
        job = self._jobs.get(legal(job_id))
        if job is None:
            return False
        status = JobStatus.CANCELLED if job.status in UNFINISHED else job.status
        self._jobs[job.id] = replace(job, payload={}, result={}, label="", error=None, status=status)
        return True

    async def job(self, job_id: str) -> Job | None:
        return self._jobs.get(legal(job_id))

    async def list_jobs(
        self, *, session: str | None = None, unfinished: bool = False, limit: int = 200
    ) -> list[Job]:
        newest = [
            job
            for job in reversed(self._jobs.values())
            if session in {None, job.session} and (job.status in UNFINISHED or not unfinished)
        ]
        return sorted(newest, key=lambda job: job.status not in UNFINISHED)[:limit]

    def _queues(self, queueing_lock: str | None) -> bool:
        return queueing_lock is not None and any(
            job.queueing_lock == queueing_lock and job.status is JobStatus.TODO for job in self._jobs.values()
        )

    def _wait_again(self, job: Job, **changes: Any) -> bool:
        if self._queues(job.queueing_lock):
            self._change(job, status=JobStatus.CANCELLED, error=SUPERSEDED, beat_at=None)
            return False
        self._change(job, status=JobStatus.TODO, beat_at=None, **changes)
        return True

    def _change(self, job: Job, **changes: Any) -> Job:
        self._jobs[job.id] = replace(job, **changes)
        return self._jobs[job.id]
