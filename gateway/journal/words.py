"""The words that the journal still holds, for `forget`: waiting messages, undelivered parts, jobs, reminders."""

from collections.abc import Callable

from gateway.journal.base import UNFINISHED, Job, Journal

_EVERY = 1 << 31


class JournalWords:
    """Erases open records by what they say; answered and delivered ones have lost their words already."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def erase(self, *, holds: Callable[[str, str], bool]) -> int:
        """Erase every open record for which `holds(session, text)` is true; how many.

        A waiting message counts as answered then, a part as dropped, an unfinished job as cancelled.
        """
        return (
            await self._messages(holds)
            + await self._parts(holds)
            + await self._jobs(holds)
            + await self._reminders(holds)
        )

    async def _messages(self, holds: Callable[[str, str], bool]) -> int:
        waiting = [entry.message for entry in await self._journal.waiting(limit=_EVERY)]
        erased = [message.id for message in waiting if holds(message.session_key, message.text)]
        if erased:
            await self._journal.withdraw(erased)
        return len(erased)

    async def _parts(self, holds: Callable[[str, str], bool]) -> int:
        owed = await self._journal.entries(limit=_EVERY)
        erased = [entry.id for entry in owed if holds(entry.message.session_key, entry.message.text)]
        for entry_id in erased:
            await self._journal.drop(entry_id)
        return len(erased)

    async def _jobs(self, holds: Callable[[str, str], bool]) -> int:
        jobs = await self._journal.list_jobs(limit=_EVERY)
        erased = [job for job in jobs if _has_words(job) and holds(job.session, _words(job))]
        for job in erased:
            await self._journal.erase_job(job.id)
        return len(erased)

    async def _reminders(self, holds: Callable[[str, str], bool]) -> int:
        reminders = await self._journal.reminders()
        erased = [reminder.id for reminder in reminders if holds(reminder.session, reminder.text)]
        for reminder_id in erased:
            await self._journal.forget_reminder(reminder_id)
        return len(erased)


def _has_words(job: Job) -> bool:
    return bool(job.payload or job.result or job.label or job.status in UNFINISHED)


def _words(job: Job) -> str:
    """Everything a job says, as people would read it: strings within its JSON, not their escapes."""
    return "\n".join([job.label, job.error or "", *_strings(dict(job.payload)), *_strings(dict(job.result))])


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for each in value.values() for text in _strings(each)]
    if isinstance(value, list):
        return [text for each in value for text in _strings(each)]
    return []
