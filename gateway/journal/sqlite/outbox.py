"""What was answered and not yet delivered."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from sqlite3 import Connection
from typing import Any

from gateway.journal.base import OutboxEntry, OutboxStatus
from gateway.journal.codec import decode_outbound, decode_time, encode, encode_time, legal
from gateway.journal.sqlite.rows import Part
from memory.crashpoints import CrashPoint, reach
from memory.database import Database

_ENTRY = (
    "SELECT turn || '/' || part, position, message, status, attempts, next_at, error,"
    " CASE part WHEN 0 THEN (SELECT platform_id FROM placeholder WHERE placeholder.turn = outbox.turn) END"
    " FROM outbox INDEXED BY outbox_open WHERE message IS NOT NULL"
)
_PLACE = "WHERE turn = ? AND part = ? AND message IS NOT NULL"


class SqliteOutbox(Part):
    """The outbox of the journal.

    `sent` is written lazily; until it is on the disk, what is on the disk is read without the parts in `_sent`.
    """

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._sent: set[str] = set()
        self._on_dropped: list[Callable[[str], None]] = []

    async def due(self, *, limit: int = 1000, after: int = 0) -> list[OutboxEntry]:
        """From the index of what is open."""
        query = f"{_ENTRY} AND status = 'due' AND position > ? ORDER BY position LIMIT ?"
        return await self._entries(query, after, limit=limit)

    async def entries(self, *, limit: int = 1000) -> list[OutboxEntry]:
        """The index of what is open begins with the dead."""
        return await self._entries(f"{_ENTRY} ORDER BY status, position LIMIT ?", limit=limit)

    async def placeholder(self, turn_id: str, platform_id: str) -> None:
        reach(CrashPoint.PLACEHOLDER_BEFORE)
        await self._db.write(
            lambda connection: connection.execute(
                "REPLACE INTO placeholder SELECT :turn, :platform_id WHERE NOT EXISTS"
                " (SELECT 1 FROM outbox WHERE turn = :turn AND part = 0 AND message IS NULL)",
                {"turn": legal(turn_id), "platform_id": platform_id},
            )
        )
        reach(CrashPoint.PLACEHOLDER_AFTER)

    async def placeholder_of(self, turn_id: str) -> str | None:
        """None as soon as part 0 is sent, durably or not yet."""
        query = "SELECT platform_id FROM placeholder WHERE turn = ?"
        row = await self._db.read(lambda connection: connection.execute(query, (legal(turn_id),)).fetchone())
        return None if row is None or f"{legal(turn_id)}/0" in self._sent else str(row[0])

    async def sent(self, entry_id: str, *, platform_ids: Sequence[str] = ()) -> None:
        """The row stays, without its words, so that the part is never due again."""
        entry_id = legal(entry_id)
        self._sent.add(entry_id)
        written = self._db.write_later(
            lambda connection: _end(connection, entry_id, status="sent", platform_ids=platform_ids)
        )
        written.add_done_callback(lambda _: self._settled(entry_id))

    async def settle(self) -> None:
        await self._db.settle()

    async def failed(self, entry_id: str, *, error: str, next_at: datetime) -> None:
        change = (
            f"UPDATE outbox SET attempts = attempts + 1, error = ?, next_at = ? {_PLACE} AND status = 'due'"
        )
        await self._change(change, legal(error), encode_time(next_at), entry_id=entry_id)

    async def dead(self, entry_id: str, *, error: str) -> None:
        change = (
            "UPDATE outbox SET status = 'dead', attempts = attempts + 1, error = ?, next_at = NULL"
            f" {_PLACE} AND status = 'due'"
        )
        await self._change(change, legal(error), entry_id=entry_id)

    async def retry(self, entry_id: str) -> bool:
        change = (
            f"UPDATE outbox SET status = 'due', attempts = 0, next_at = NULL {_PLACE} AND status = 'dead'"
        )
        return await self._change(change, entry_id=entry_id)

    async def drop(self, entry_id: str) -> bool:
        """The row stays, without its words, so that the part is never due again."""
        dropped = await self._db.write(lambda connection: _end(connection, legal(entry_id), status="dropped"))
        if dropped:
            for tell in self._on_dropped:
                tell(entry_id)
        return dropped

    def on_dropped(self, tell: Callable[[str], None]) -> None:
        """In the order in which they were added."""
        self._on_dropped.append(tell)

    def _settled(self, entry_id: str) -> None:
        self._sent.discard(entry_id)
        reach(CrashPoint.SENT_AFTER)

    async def _entries(self, query: str, *values: int, limit: int) -> list[OutboxEntry]:
        sent = frozenset(self._sent)
        values = (*values, limit + len(sent))
        entries = await self._db.read(
            lambda connection: [_entry(row) for row in connection.execute(query, values)]
        )
        return [entry for entry in entries if entry.id not in sent][:limit]

    async def _change(self, change: str, *values: str, entry_id: str) -> bool:
        return await self._db.write(
            lambda connection: connection.execute(change, (*values, *_place(entry_id))).rowcount == 1
        )


def _place(entry_id: str) -> tuple[str, int]:
    turn, _, part = legal(entry_id).rpartition("/")
    return turn, int(part) if part.isascii() and part.isdigit() else -1  # which names no part


def _end(connection: Connection, entry_id: str, *, status: str, platform_ids: Sequence[str] = ()) -> bool:
    turn, part = _place(entry_id)
    ended = connection.execute(
        f"UPDATE outbox SET status = ?, platform_ids = ?, message = NULL, next_at = NULL, error = NULL {_PLACE}",
        (status, encode(platform_ids) if platform_ids else None, turn, part),
    )
    if part == 0:
        connection.execute("DELETE FROM placeholder WHERE turn = ?", (turn,))
    return ended.rowcount == 1


def _entry(row: tuple[Any, ...]) -> OutboxEntry:
    entry_id, position, data, status, attempts, next_at, error, placeholder = row
    message = decode_outbound(data)
    return OutboxEntry(
        id=entry_id,
        position=position,
        message=replace(message, placeholder=message.placeholder or placeholder),
        status=OutboxStatus(status),
        attempts=attempts,
        next_at=decode_time(next_at),
        error=error,
    )
