"""What was accepted and not yet answered."""

from collections.abc import Callable, Sequence
from sqlite3 import Connection

from channels.messages import InboundMessage, OutboundMessage
from gateway.journal.base import InboxEntry, Job
from gateway.journal.codec import decode_inbound, edited, encode, legal
from gateway.journal.sqlite.rows import Part, insert_job, insert_message
from memory.crashpoints import CrashPoint, reach
from memory.database import Database

# Both ask the index of what waits, never the table of all that was ever accepted.
_WAITING = (
    "SELECT position, message FROM inbox WHERE position IN (SELECT position FROM inbox INDEXED BY inbox_waiting"
    " WHERE message IS NOT NULL AND position > :after ORDER BY position LIMIT :limit) ORDER BY position"
)
_WAITING_IN_SESSION = (
    "SELECT position, message FROM inbox INDEXED BY inbox_waiting"
    " WHERE message IS NOT NULL AND session = :session AND position > :after ORDER BY position LIMIT :limit"
)


class SqliteInbox(Part):
    """The inbox of the journal."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._on_withdrawn: list[Callable[[str], None]] = []

    async def accept(self, message: InboundMessage) -> InboxEntry | None:
        """One row; its two unique indexes know a redelivery."""
        reach(CrashPoint.ACCEPT_BEFORE)
        entry = await self._db.write(lambda connection: insert_message(connection, message))
        reach(CrashPoint.ACCEPT_AFTER)
        return entry

    async def replace(self, message: InboundMessage) -> bool:
        """New words in the old row; the edit is known as accepted, too, so its redelivery starts nothing."""
        return await self._db.write(lambda connection: _replace(connection, message))

    async def waiting(
        self, *, session_key: str | None = None, after: int = 0, limit: int = 1000
    ) -> list[InboxEntry]:
        """Costs what waits, not what was ever accepted."""
        query = _WAITING if session_key is None else _WAITING_IN_SESSION
        values = {"session": legal(session_key or ""), "after": after, "limit": limit}
        return await self._db.read(
            lambda connection: [
                InboxEntry(position=position, message=decode_inbound(data))
                for position, data in connection.execute(query, values)
            ]
        )

    async def unanswered(self) -> int:
        """Counted in the index of what waits."""
        query = "SELECT count(*) FROM inbox INDEXED BY inbox_waiting WHERE message IS NOT NULL"
        (count,) = await self._db.read(lambda connection: connection.execute(query).fetchone())
        return int(count)

    async def accepted(self, message_id: str) -> bool | None:
        """An answered message has lost its words."""
        query = "SELECT message IS NULL FROM inbox WHERE id = ?"
        row = await self._db.read(
            lambda connection: connection.execute(query, (legal(message_id),)).fetchone()
        )
        return None if row is None else bool(row[0])

    async def message(self, message_id: str) -> InboundMessage | None:
        """Asks the index of all ids."""
        query = "SELECT message FROM inbox WHERE id = ? AND message IS NOT NULL"
        row = await self._db.read(
            lambda connection: connection.execute(query, (legal(message_id),)).fetchone()
        )
        return None if row is None else decode_inbound(row[0])

    async def withdraw(self, message_ids: Sequence[str]) -> None:
        await self._db.write(lambda connection: _respond(connection, message_ids, (), ()))
        for message_id in message_ids:
            for tell in self._on_withdrawn:
                tell(message_id)

    def on_withdrawn(self, tell: Callable[[str], None]) -> None:
        self._on_withdrawn.append(tell)

    async def respond(
        self, *, answered: Sequence[str], replies: Sequence[OutboundMessage] = (), jobs: Sequence[Job] = ()
    ) -> None:
        """The rows of the answered messages stay without their words."""
        reach(CrashPoint.RESPOND_BEFORE)
        await self._db.write(lambda connection: _respond(connection, answered, replies, jobs))
        reach(CrashPoint.RESPOND_AFTER)


def _replace(connection: Connection, edit: InboundMessage) -> bool:
    place = "WHERE id = ? AND message IS NOT NULL"
    edit_of = legal(edit.edit_of or "")
    row = connection.execute(f"SELECT message FROM inbox {place}", (edit_of,)).fetchone()
    if row is None:
        return False
    data = encode(edited(decode_inbound(row[0]), edit=edit))
    connection.execute(f"UPDATE inbox SET message = ? {place}", (data, edit_of))
    known = insert_message(connection, edit)
    if known is not None:
        connection.execute("UPDATE inbox SET message = NULL WHERE position = ?", (known.position,))
    return True


def _respond(
    connection: Connection, answered: Sequence[str], replies: Sequence[OutboundMessage], jobs: Sequence[Job]
) -> None:
    connection.executemany(
        "UPDATE inbox SET message = NULL WHERE id = ? AND message IS NOT NULL",
        [(legal(message_id),) for message_id in answered],
    )
    connection.executemany(
        "INSERT INTO outbox (turn, part, message) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        [(legal(reply.id), reply.part, encode(reply)) for reply in replies],
    )
    for job in jobs:
        insert_job(connection, job)
