"""What falls due."""

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from sqlite3 import Connection
from typing import Any

from channels.messages import InboundMessage
from gateway.journal.base import InboxEntry, Reminder
from gateway.journal.codec import decode_data, encode, encode_time, legal, legal_texts
from gateway.journal.sqlite.rows import Part, insert_message

_FIELDS = tuple(field.name for field in fields(Reminder))


class SqliteSchedule(Part):
    """The schedule of the journal."""

    async def remind(self, reminder: Reminder) -> None:
        reminder = legal_texts(reminder)
        values = (
            reminder.id,
            reminder.session,
            reminder.text,
            encode_time(reminder.next_at),
            reminder.cron,
            reminder.timezone,
            encode(reminder.origin),
        )
        await self._db.write(
            lambda connection: connection.execute(
                "REPLACE INTO reminder VALUES (?, ?, ?, ?, ?, ?, ?)", values
            )
        )

    async def reminders(self, *, session: str | None = None) -> list[Reminder]:
        """All rows are looked through: people have few."""
        query = (
            f"SELECT {', '.join(_FIELDS)} FROM reminder WHERE ?1 IS NULL OR session = ?1 ORDER BY next_at, id"
        )
        value = legal(session) if session is not None else None
        return await self._db.read(
            lambda connection: [_reminder(row) for row in connection.execute(query, (value,))]
        )

    async def fire(
        self, reminder_id: str, *, inbound: InboundMessage, next_at: datetime | None
    ) -> InboxEntry | None:

        def fire(connection: Connection) -> InboxEntry | None:
            if next_at is None:
                moved = connection.execute("DELETE FROM reminder WHERE id = ?", (legal(reminder_id),))
            else:
                moved = connection.execute(
                    "UPDATE reminder SET next_at = ? WHERE id = ?", (encode_time(next_at), legal(reminder_id))
                )
            return insert_message(connection, inbound) if moved.rowcount == 1 else None

        return await self._db.write(fire)

    async def forget_reminder(self, reminder_id: str) -> bool:
        """The row is removed, and with it the words."""
        forget = "DELETE FROM reminder WHERE id = ?"
        return await self._db.write(
            lambda connection: connection.execute(forget, (legal(reminder_id),)).rowcount == 1
        )


def _reminder(row: Sequence[Any]) -> Reminder:
    values = dict(zip(_FIELDS, row, strict=True))
    next_at, origin = datetime.fromisoformat(values["next_at"]), decode_data(values["origin"])
    return Reminder(**values | {"next_at": next_at, "origin": origin})
