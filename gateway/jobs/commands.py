"""The chat commands about what goes on in the background: `/tasks`, `/cancel`, `/remind`."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from gateway.jobs.worker import Worker
from gateway.journal.base import Job, Jobs, Reminder
from gateway.journal.names import find_named, short_id
from gateway.journal.origin import origin_of
from gateway.replies import Say, say
from gateway.tools.schedule import Reminders
from gateway.tools.when import read_when, shown_after, shown_when
from gateway.tools.when_chinese import read_chinese
from gateway.turns.commands import CommandContext, Handler

CANCEL_USAGE = "/cancel ID"


class JobCommands:
    """What people may do with the jobs and reminders of their own session, and of no other.

    Where the process isn't `lasting`, who sets a reminder is told that it ends with their chat.
    """

    def __init__(
        self,
        jobs: Jobs,
        worker: Worker,
        reminders: Reminders,
        *,
        zone: Callable[[str | None], ZoneInfo],
        lasting: bool = True,
    ) -> None:
        self._jobs = jobs
        self._worker = worker
        self._reminders = reminders
        self._zone = zone
        self._lasting = lasting

    def handlers(self) -> Mapping[str, Handler]:
        """For `Commands`, by name."""
        return {"tasks": self.tasks, "cancel": self.cancel, "remind": self.remind}

    async def tasks(self, context: CommandContext) -> str:
        """What runs or waits, and what falls due."""
        lines = [await self._job_line(job, context) for job in await self._unfinished(context)]
        lines += [self._reminder_line(r, context) for r in await self._reminders.of(context.session.key)]
        return "\n".join(lines) or say(Say.NO_JOBS, context.language)

    async def cancel(self, context: CommandContext) -> str:
        """End a job or a reminder by the id that it is shown with."""
        named = context.argument
        if not named:
            return say(Say.USAGE, context.language, usage=CANCEL_USAGE)
        job = find_named(named, await self._unfinished(context))
        if job is not None and await self._worker.cancel(job.id):
            return say(Say.JOB_CANCELLED, context.language, label=job.label)
        reminder = await self._reminders.cancel(context.session.key, named)
        if reminder is not None:
            return say(Say.JOB_CANCELLED, context.language, label=reminder.text)
        return say(Say.JOB_UNKNOWN, context.language, id=named)

    async def remind(self, context: CommandContext) -> str:
        """Set a reminder; without words, list those that there are."""
        if not context.argument:
            lines = [self._reminder_line(r, context) for r in await self._reminders.of(context.session.key)]
            return "\n".join(lines) or say(Say.NO_REMINDERS, context.language)
        zone = self._zone(context.message.person)
        now = datetime.now(UTC)
        found = read_when(context.argument, now=now, zone=zone) or read_chinese(
            context.argument, now=now, zone=zone
        )
        if found is None:
            return say(Say.REMINDER_UNCLEAR, context.language)
        when, text = found
        if when.at <= now:
            return say(Say.REMINDER_OVER, context.language, at=shown_when(when.at, zone=zone))
        if not text:
            at = shown_when(when.at, zone=zone)
            return say(Say.REMINDER_EMPTY, context.language, at=at)
        reminder = Reminder(
            id=context.message.id,
            session=context.session.key,
            text=text,
            next_at=when.at,
            cron=when.repeats,
            timezone=zone.key,
            origin={"message": origin_of(context.message, language=context.language), "work": False},
        )
        await self._reminders.add(reminder)
        line = self._reminder_line(reminder, context)
        return line if self._lasting else f"{line}\n{say(Say.REMINDER_NEEDS_DAEMON, context.language)}"

    async def _unfinished(self, context: CommandContext) -> list[Job]:
        """The jobs that a person knows of, oldest first: what has no label is our own housekeeping."""
        known = await self._jobs.list_jobs(session=context.session.key, unfinished=True)
        return [job for job in reversed(known) if job.label]

    async def _job_line(self, job: Job, context: CommandContext) -> str:
        place = await self._worker.place(job)
        sentence = Say.JOB_WAITING if place else Say.JOB_STARTED
        values = {"label": job.label, "id": short_id(job.id)} | ({"place": place} if place else {})
        return say(sentence, context.language, **values)

    def _reminder_line(self, reminder: Reminder, context: CommandContext) -> str:
        zone = self._zone(context.message.person)
        at, after = (
            shown_when(reminder.next_at, zone=zone),
            shown_after(reminder.next_at, repeats=reminder.cron, zone=zone),
        )
        sentence = Say.REMINDER_REPEATS if after else Say.REMINDER_SET
        values = {"at": at, "text": reminder.text, "id": short_id(reminder.id)}
        return say(sentence, context.language, **values, **({"after": after} if after else {}))
