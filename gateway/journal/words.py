"""The words that the journal still holds, for `forget`: waiting messages, undelivered parts, jobs, reminders."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator

from channels.messages import InboundMessage
from gateway.journal.base import UNFINISHED, Job, Journal, OutboxEntry
from gateway.journal.origin import person_of
from memory.forget import Holds
from memory.sessions.echoes import strings
from memory.sessions.quotation import quotation

_EVERY = 1 << 31


class JournalWords:
    """Erases open records by what they say; answered and delivered ones have lost their words already."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def erase(self, *, holds: Holds) -> int:
        """Erase every open record that is to go; how many.

        A waiting message counts as answered then, a part as dropped, an unfinished job as cancelled. What falls due or
        ends becomes a waiting message, so messages are looked through after it.
        """
        return (
            await self._reminders(holds)
            + await self._jobs(holds)
            + await self._messages(holds)
            + await self._parts(holds)
        )

    async def erase_from(self, senders: Collection[str]) -> int:
        """Erase what these people wrote that nobody has answered yet, and what is to fall due for them; how many.

        Their sessions need not be stored: what waits for its first turn is in none.
        """
        reminders = [each.id for each in await self._journal.reminders() if person_of(each.origin) in senders]
        for reminder_id in reminders:
            await self._journal.forget_reminder(reminder_id)
        return len(reminders) + await self._withdraw(lambda message: message.person in senders)

    async def _messages(self, holds: Holds) -> int:
        return await self._withdraw(
            lambda message: any(holds(message.session_key, text, None) for text in _texts(message))
        )

    async def _withdraw(self, goes: Callable[[InboundMessage], bool]) -> int:
        waiting = await self._journal.waiting(limit=_EVERY)
        erased = [entry.message.id for entry in waiting if goes(entry.message)]
        if erased:
            await self._journal.withdraw(erased)
        return len(erased)

    async def _parts(self, holds: Holds) -> int:
        """Part by part would not do: words that are cut between two of them are in neither."""
        replies: dict[str, list[OutboxEntry]] = defaultdict(list)
        for entry in await self._journal.entries(limit=_EVERY):
            replies[entry.message.id].append(entry)
        erased = [entry.id for parts in replies.values() if _go(parts, holds) for entry in parts]
        for entry_id in erased:
            await self._journal.drop(entry_id)
        return len(erased)

    async def _jobs(self, holds: Holds) -> int:
        jobs = await self._journal.list_jobs(limit=_EVERY)
        erased = [job for job in jobs if _has_words(job) and holds(job.session, _words(job), None)]
        for job in erased:
            await self._journal.erase_job(job.id)
        return len(erased)

    async def _reminders(self, holds: Holds) -> int:
        reminders = await self._journal.reminders()
        erased = [reminder.id for reminder in reminders if holds(reminder.session, reminder.text, None)]
        for reminder_id in erased:
            await self._journal.forget_reminder(reminder_id)
        return len(erased)


def _texts(message: InboundMessage) -> Iterator[str]:
    """What a waiting message will be stored as: its words, and those that it replies to."""
    yield message.text
    if message.quoted is not None:
        yield message.quoted.text
        yield quotation(message.quoted.sender_name, message.quoted.text)


def _go(parts: list[OutboxEntry], holds: Holds) -> bool:
    """Whether a reply goes; it was cut at a blank, or within a word."""
    parts.sort(key=lambda entry: entry.message.part)
    first, texts = parts[0].message, [entry.message.text for entry in parts]
    return any(holds(first.session_key, joint.join(texts), first.seq) for joint in ("", " "))


def _has_words(job: Job) -> bool:
    return bool(job.payload or job.result or job.label or job.status in UNFINISHED)


def _words(job: Job) -> str:
    """Everything a job says, as people would read it: strings within its JSON, not their escapes."""
    return "\n".join([job.label, job.error or "", *strings(job.payload), *strings(job.result)])
