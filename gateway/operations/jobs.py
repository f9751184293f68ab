"""Work that outlives a turn, for the operator: listed, shown, cancelled."""

from gateway.journal.base import UNFINISHED, Job, JobStatus, Reminder
from gateway.journal.names import find_named
from gateway.journal.origin import asked_at
from gateway.operations.operation import Document, OperationFailed, OperationPorts
from memory.sessions.codec import format_time

_MOST = 1000


async def list_jobs(ports: OperationPorts) -> Document:
    """What is unfinished, what is yet to fall due, and then what is over."""
    jobs = await ports.journal.list_jobs(limit=_MOST)
    reminders = await ports.journal.reminders()
    rows = [*map(_row, jobs), *map(_reminder_row, reminders)]
    return {"jobs": sorted(rows, key=lambda row: row["status"] not in UNFINISHED)}


async def show_job(ports: OperationPorts, *, id: str) -> Document:  # noqa: A002 - an operation's argument, by its name
    """A job with what it was given and what came of it."""
    job = await _job(ports, id)
    if job is not None:
        times = {
            "run_at": format_time(job.run_at),
            "beat_at": format_time(job.beat_at) if job.beat_at else None,
        }
        return {**_row(job), **times, "payload": job.payload, "result": job.result, "error": job.error}
    reminder = await _reminder(ports, id)
    if reminder is None:
        raise _unknown(id)
    return _reminder_row(reminder)


async def cancel_job(ports: OperationPorts, *, id: str) -> Document:  # noqa: A002 - an operation's argument, by its name
    """End a job or a reminder that has not ended by itself."""
    reminder = await _reminder(ports, id)
    if reminder is not None and await ports.journal.forget_reminder(reminder.id):
        return {"id": reminder.id, "status": JobStatus.CANCELLED.value}
    job = await _job(ports, id)
    if job is None:
        raise _unknown(id)
    if job.status not in UNFINISHED:
        raise OperationFailed(f'the job "{id}" has ended already: {job.status.value}')
    if ports.running is not None:
        if not await ports.running.cancel_job(job.id):
            raise OperationFailed(f'the job "{id}" is ending by itself')
    else:
        await ports.journal.finish(job.id, status=JobStatus.CANCELLED)
    return {"id": job.id, "status": JobStatus.CANCELLED.value}


async def _job(ports: OperationPorts, name: str) -> Job | None:
    """The job of this name; by its whole id also one that is older than those which are listed."""
    return await ports.journal.job(name) or find_named(name, await ports.journal.list_jobs(limit=_MOST))


async def _reminder(ports: OperationPorts, name: str) -> Reminder | None:
    return find_named(name, await ports.journal.reminders())


def _unknown(name: str) -> OperationFailed:
    return OperationFailed(f'there is no job "{name}"; mneme jobs list shows all')


def _row(job: Job) -> Document:
    return {
        "id": job.id,
        "kind": job.kind,
        "session": job.session,
        "status": job.status.value,
        "attempts": job.attempts,
        "created_at": format_time(job.created_at),
        "label": job.label,
    }


def _reminder_row(reminder: Reminder) -> Document:
    created_at = asked_at(reminder.origin)
    return {
        "id": reminder.id,
        "kind": "reminder",
        "session": reminder.session,
        "status": JobStatus.TODO.value,
        "attempts": 0,
        "created_at": format_time(created_at) if created_at else None,
        "label": reminder.text,
        "next_at": format_time(reminder.next_at),
    }
