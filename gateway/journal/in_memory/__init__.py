"""A journal that lives as long as the process: for tests, and for a chat that leaves nothing behind."""

from collections import Counter
from collections.abc import Sequence

from channels.messages import OutboundMessage
from gateway.journal.base import Counts, Job, JobStatus, OutboxStatus
from gateway.journal.in_memory.jobs import InMemoryJobs
from gateway.journal.in_memory.outbox import InMemoryOutbox
from gateway.journal.in_memory.roster import InMemoryRoster
from gateway.journal.in_memory.schedule import InMemorySchedule

__all__ = ["InMemoryJournal"]


class InMemoryJournal(InMemoryJobs, InMemorySchedule, InMemoryOutbox, InMemoryRoster):
    """A `Journal` in dictionaries."""

    async def respond(
        self, *, answered: Sequence[str], replies: Sequence[OutboundMessage] = (), jobs: Sequence[Job] = ()
    ) -> None:
        """No await stands between the changes."""
        for message_id in answered:
            self._answer(message_id)
        for reply in replies:
            self._add(reply)
        for job in jobs:
            self._enqueue(job)

    async def counts(self) -> Counts:
        owed = Counter(entry.status for entry in self._open.values())
        jobs = Counter(job.status for job in self._jobs.values())
        return Counts(
            unanswered=await self.unanswered(),
            due=owed[OutboxStatus.DUE],
            dead=owed[OutboxStatus.DEAD],
            todo=jobs[JobStatus.TODO],
            doing=jobs[JobStatus.DOING],
        )

    async def close(self) -> None:
        """Nothing is due."""
