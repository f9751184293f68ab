"""Sessions in the database that also holds the journal: one row a message, one commit a turn."""

import contextlib
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime

from memory.database import Database, Schema
from memory.messages import Message
from memory.sessions.codec import (
    decode,
    encode,
    format_time,
    message_to_dict,
    parse_time,
    tombstone,
)
from memory.sessions.session import Mark, Session
from memory.sessions.state import lasting_state, session_from_metadata
from memory.sessions.stores import unreadable
from memory.sessions.stores.base import Damage, SessionHead, check_order, messages_of

SESSIONS_SCHEMA = Schema(
    name="sessions",
    migrations=(
        # What changes with every turn stands in small rows. The state, which a summary makes large, has a table of
        # its own: it is written when it changes and not when a message comes.
        """
        CREATE TABLE sessions (
            id INTEGER PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,
            audience TEXT NOT NULL,
            last_seq INTEGER NOT NULL,
            last_consolidated INTEGER NOT NULL,
            tokens INTEGER NOT NULL,
            updated_at TEXT NOT NULL,
            calibration REAL NOT NULL,
            erasures INTEGER NOT NULL DEFAULT 0
        );
        CREATE TABLE session_states (
            session INTEGER PRIMARY KEY REFERENCES sessions (id),
            state TEXT NOT NULL
        );
        CREATE TABLE messages (
            session INTEGER NOT NULL REFERENCES sessions (id),
            seq INTEGER NOT NULL,
            provenance TEXT NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (session, seq)
        ) WITHOUT ROWID;
        """,
        unreadable.UNREADABLE_TABLE,
    ),
)

_HEAD = "key, audience, last_seq, last_consolidated, tokens, updated_at, erasures"
_BODIES = unreadable.BODIES
_Body = tuple[int, bytes]


class SqliteStore:
    """A `SessionStore` in a database that was opened with `SESSIONS_SCHEMA` and that others share."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, key: str, *, limit: int) -> Session | None:
        """See `SessionStore.load`."""
        return await self._database.read(lambda connection: _load(connection, key, limit))

    async def page(self, key: str, *, before: int, limit: int) -> list[Message]:
        """See `SessionStore.page`."""
        return await self._database.read(lambda connection: _last(connection, key, before, limit))

    async def read(self, key: str, *, from_seq: int, to_seq: int) -> list[Message]:
        """See `SessionStore.read`."""
        statement = f"{_BODIES} AND seq BETWEEN ? AND ? ORDER BY seq"
        bounds = (key, from_seq, to_seq)
        return await self._database.read(lambda connection: _messages(connection.execute(statement, bounds)))

    async def append(self, session: Session, records: Sequence[Message | Mark]) -> None:
        """See `SessionStore.append`; a mark is kept as its effect on the state."""
        messages = messages_of(records)
        rows = [(m.seq, m.provenance.value, encode(message_to_dict(m)).decode()) for m in messages]
        state = encode(lasting_state(session)).decode()
        head = (
            session.audience,
            session.last_consolidated,
            session.tokens,
            format_time(session.updated_at),
            session.calibration.factor,
        )

        def work(connection: sqlite3.Connection) -> None:
            session_id, last_seq = _row_of(connection, session.key)
            check_order(session.key, messages, last_seq=last_seq)
            connection.executemany(
                "INSERT INTO messages VALUES (?, ?, ?, ?)", [(session_id, *row) for row in rows]
            )
            connection.execute(
                "UPDATE sessions SET audience = ?, last_consolidated = ?, tokens = ?, updated_at = ?,"
                " calibration = ?, last_seq = max(last_seq, ?) WHERE id = ?",
                (*head, session.last_seq, session_id),
            )
            # An unchanged state is compared and not written.
            connection.execute(
                "INSERT INTO session_states VALUES (?, ?) ON CONFLICT DO UPDATE SET state = excluded.state"
                " WHERE state <> excluded.state",
                (session_id, state),
            )

        await self._database.write(work)

    async def erase(self, key: str, seqs: Collection[int]) -> int:
        """See `SessionStore.erase`."""
        return await self._database.write(lambda connection: _erase(connection, key, seqs))

    async def delete(self, key: str) -> bool:
        """See `SessionStore.delete`."""
        return await self._database.write(lambda connection: _delete(connection, key))

    async def heads(self) -> list[SessionHead]:
        """See `SessionStore.heads`."""
        statement = f"SELECT {_HEAD} FROM sessions ORDER BY key"
        rows = await self._database.read(lambda connection: connection.execute(statement).fetchall())
        heads = [
            SessionHead(
                key=key,
                audience=audience,
                last_seq=last_seq,
                last_consolidated=last_consolidated,
                tokens=tokens,
                updated_at=parse_time(updated_at) or datetime.now(UTC),
                erasures=erasures,
            )
            for key, audience, last_seq, last_consolidated, tokens, updated_at, erasures in rows
        ]
        return sorted(heads, key=lambda head: head.updated_at, reverse=True)

    async def damages(self, key: str) -> list[Damage]:
        """See `SessionStore.damages`."""
        return await self._database.read(lambda connection: unreadable.damages_of(connection, key))

    async def repair(self, key: str) -> list[Damage]:
        """See `SessionStore.repair`."""
        return await self._database.write(lambda connection: unreadable.set_aside(connection, key))

    async def close(self) -> None:
        """The database belongs to whoever opened it."""


def _load(connection: sqlite3.Connection, key: str, limit: int) -> Session | None:
    row = connection.execute(
        "SELECT s.audience, s.last_seq, s.last_consolidated, s.tokens, s.updated_at, s.calibration, CAST(t.state AS BLOB)"
        " FROM sessions s LEFT JOIN session_states t ON t.session = s.id WHERE s.key = ?",
        (key,),
    ).fetchone()
    if row is None:
        return None
    audience, last_seq, last_consolidated, tokens, updated_at, factor, state = row
    # Without its state a session still has its messages and its pointer.
    raw = {} if state is None or unreadable.problem_of(decode, state) else decode(state)
    raw |= {
        "audience": audience,
        "last_consolidated": last_consolidated,
        "updated_at": updated_at,
        "calibration": {"factor": factor, "window_cap": raw.pop("window_cap", 0)},
    }
    session = session_from_metadata(raw, key=key, last_seq=last_seq, tokens=tokens)
    session.messages = _last(connection, key, last_seq + 1, limit)
    return session


def _last(connection: sqlite3.Connection, key: str, before: int, limit: int) -> list[Message]:
    statement = f"{_BODIES} AND seq < ? ORDER BY seq DESC LIMIT ?"
    return _messages(connection.execute(statement, (key, before, max(0, limit))))[::-1]


def _row_of(connection: sqlite3.Connection, key: str) -> tuple[int, int]:
    """The id and the last number of a session, which begins to exist with this."""
    row: tuple[int, int] | None = connection.execute(
        "SELECT id, last_seq FROM sessions WHERE key = ?", (key,)
    ).fetchone()
    if row is not None:
        return row
    cursor = connection.execute("INSERT INTO sessions VALUES (NULL, ?, '', 0, 0, 0, '', 1.0, 0)", (key,))
    return cursor.lastrowid or 0, 0


def _erase(connection: sqlite3.Connection, key: str, seqs: Collection[int]) -> int:
    changed = tokens = 0
    unreadable.remove(connection, key)
    for seq in seqs:
        statement = f"{_BODIES} AND seq = ?"
        for message in _messages(connection.execute(statement, (key, seq))):
            if not message.erased:
                body = encode(message_to_dict(tombstone(message))).decode()
                session_id, _ = _row_of(connection, key)
                connection.execute(
                    "UPDATE messages SET body = ? WHERE session = ? AND seq = ?", (body, session_id, seq)
                )
                changed += 1
                tokens += message.tokens
    if changed:
        connection.execute(
            "UPDATE sessions SET erasures = erasures + 1, tokens = tokens - ? WHERE key = ?", (tokens, key)
        )
    return changed


def _delete(connection: sqlite3.Connection, key: str) -> bool:
    row = connection.execute("SELECT id FROM sessions WHERE key = ?", (key,)).fetchone()
    if row is None:
        return False
    for table in ("messages", "session_states", "unreadable"):
        connection.execute(f"DELETE FROM {table} WHERE session = ?", row)
    connection.execute("DELETE FROM sessions WHERE id = ?", row)
    return True


def _messages(bodies: Iterable[_Body]) -> list[Message]:
    """What can be read; `damages` names the rest."""
    messages = []
    for _, body in bodies:
        with contextlib.suppress(ValueError):
            messages.append(unreadable.read_message(body))
    return messages
