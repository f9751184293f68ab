"""Work that outlives a turn."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from sqlite3 import Connection
from typing import Any

from channels.messages import InboundMessage
from gateway.journal.base import InboxEntry, Job, JobStatus
from gateway.journal.codec import SUPERSEDED, decode_data, decode_time, encode, encode_time, legal
from gateway.journal.sqlite.rows import Part, insert_job, insert_message
from memory.crashpoints import CrashPoint, reach

_FIELDS = tuple(field.name for field in fields(Job))
_JOB = f"SELECT {', '.join(_FIELDS)} FROM job"
_NEXT = f"""{_JOB} WHERE status = 'todo' AND run_at <= :now
    AND (lock IS NULL OR lock NOT IN (SELECT lock FROM job WHERE status = 'doing' AND lock IS NOT NULL))
    AND session NOT IN (SELECT value FROM json_each(:busy_sessions))
    AND (:kinds = '[]' OR kind IN (SELECT value FROM json_each(:kinds)))
    ORDER BY run_at, position LIMIT 1"""


class SqliteJobs(Part):
    """The jobs of the journal."""

    async def enqueue(self, job: Job) -> bool:
        """One row; its two unique indexes know a double."""
        return await self._db.write(lambda connection: insert_job(connection, job))

    async def claim(
        self, *, now: datetime, busy_sessions: Sequence[str] = (), kinds: Sequence[str] = ()
    ) -> Job | None:
        """The one that has been due for longest; nothing is written where there is none."""
        values = {
            "now": encode_time(now),
            "busy_sessions": encode(list(busy_sessions)).decode(),
            "kinds": encode(list(kinds)).decode(),
        }
        job = await self._db.write(lambda connection: _claim(connection, values))
        if job is not None:
            reach(CrashPoint.JOB_CLAIM_AFTER)
        return job

    async def finish(
        self,
        job_id: str,
        *,
        status: JobStatus,
        result: Mapping[str, Any] | None = None,
        error: str | None = None,
        inbound: InboundMessage | None = None,
    ) -> InboxEntry | None:
        """The job and the message that it ends with, in one transaction."""
        reach(CrashPoint.JOB_FINISH_BEFORE)
        change = (
            "UPDATE job SET status = ?, result = ?, error = ?, beat_at = NULL"
            " WHERE id = ? AND status IN ('todo', 'doing')"
        )
        values = (status, encode(result or {}), error if error is None else legal(error), legal(job_id))

        def finish(connection: Connection) -> InboxEntry | None:
            finished = connection.execute(change, values).rowcount == 1
            return insert_message(connection, inbound) if finished and inbound else None

        entry = await self._db.write(finish)
        reach(CrashPoint.JOB_FINISH_AFTER)
        return entry

    async def reschedule(self, job_id: str, *, run_at: datetime, error: str) -> None:
        change = "run_at = ?, error = ?, attempts = attempts + 1"
        values = (encode_time(run_at), legal(error))
        await self._db.write(lambda connection: _wait_again(connection, legal(job_id), change, *values))

    async def release(self) -> int:
        """As `reschedule`, but no attempt is counted: the process died, not the job."""
        cut_off = "SELECT id FROM job WHERE status = 'doing' ORDER BY position"

        def release(connection: Connection) -> int:
            job_ids = connection.execute(cut_off).fetchall()
            return sum(_wait_again(connection, job_id, "error = error") for (job_id,) in job_ids)

        return await self._db.write(release)

    async def erase_job(self, job_id: str) -> bool:
        statement = (
            "UPDATE job SET payload = ?, result = ?, label = '', error = NULL,"
            " status = CASE WHEN status IN ('todo', 'doing') THEN 'cancelled' ELSE status END WHERE id = ?"
        )
        nothing = encode({})
        changed = await self._db.write(
            lambda connection: connection.execute(statement, (nothing, nothing, legal(job_id))).rowcount
        )
        return changed == 1

    async def job(self, job_id: str) -> Job | None:
        row = await self._db.read(
            lambda connection: connection.execute(f"{_JOB} WHERE id = ?", (legal(job_id),)).fetchone()
        )
        return row and _job(row)

    async def list_jobs(
        self, *, session: str | None = None, unfinished: bool = False, limit: int = 200
    ) -> list[Job]:
        chosen = "status IN ('todo', 'doing') AND" if unfinished else ""
        query = (
            f"{_JOB} WHERE {chosen} (?1 IS NULL OR session = ?1)"
            " ORDER BY status IN ('todo', 'doing') DESC, position DESC LIMIT ?2"
        )
        values = (legal(session) if session is not None else None, limit)
        return await self._db.read(
            lambda connection: [_job(row) for row in connection.execute(query, values)]
        )


def _claim(connection: Connection, values: Mapping[str, str]) -> Job | None:
    row = connection.execute(_NEXT, values).fetchone()
    if row is None:
        return None
    job = replace(_job(row), status=JobStatus.DOING, beat_at=decode_time(values["now"]))
    connection.execute("UPDATE job SET status = 'doing', beat_at = ? WHERE id = ?", (values["now"], job.id))
    return job


def _wait_again(connection: Connection, job_id: str, change: str, *values: str) -> bool:
    waits = connection.execute(
        f"UPDATE job SET status = 'todo', beat_at = NULL, {change} WHERE id = ? AND status = 'doing'"
        " AND NOT EXISTS (SELECT 1 FROM job AS other"
        " WHERE other.status = 'todo' AND other.queueing_lock = job.queueing_lock)",
        (*values, job_id),
    )
    if waits.rowcount == 0:
        connection.execute(
            "UPDATE job SET status = 'cancelled', beat_at = NULL, error = ? WHERE id = ? AND status = 'doing'",
            (SUPERSEDED, job_id),
        )
    return waits.rowcount == 1


def _job(row: Sequence[Any]) -> Job:
    values = dict(zip(_FIELDS, row, strict=True))
    for name in ("payload", "result"):
        values[name] = decode_data(values[name])
    for name in ("run_at", "created_at", "beat_at"):
        values[name] = decode_time(values[name])
    return Job(**values | {"status": JobStatus(values["status"])})
