"""What falls due."""

from dataclasses import replace
from datetime import datetime

from channels.messages import InboundMessage
from gateway.journal.base import InboxEntry, Reminder
from gateway.journal.codec import decode_data, encode, legal, legal_texts
from gateway.journal.in_memory.inbox import InMemoryInbox


class InMemorySchedule(InMemoryInbox):
    """Reminders by id; what falls due goes into the inbox."""

    def __init__(self) -> None:
        super().__init__()
        self._reminders: dict[str, Reminder] = {}

    async def remind(self, reminder: Reminder) -> None:
        """Keeps a copy, as a file would."""
        reminder = replace(legal_texts(reminder), origin=decode_data(encode(reminder.origin)))
        self._reminders[reminder.id] = reminder

    async def reminders(self, *, session: str | None = None) -> list[Reminder]:
        """Sorted when asked for: people have few."""
        chosen = [reminder for reminder in self._reminders.values() if session in {None, reminder.session}]
        return sorted(chosen, key=lambda reminder: (reminder.next_at, reminder.id))

    async def fire(
        self, reminder_id: str, *, inbound: InboundMessage, next_at: datetime | None
    ) -> InboxEntry | None:
        reminder = self._reminders.pop(legal(reminder_id), None)
        if reminder is None:
            return None
        if next_at is not None:
            self._reminders[reminder.id] = replace(reminder, next_at=next_at)
        return self._accept(inbound)

    async def forget_reminder(self, reminder_id: str) -> bool:
        """The words go with it."""
        return self._reminders.pop(legal(reminder_id), None) is not None
