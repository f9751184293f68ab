"""Rows of a session that can't be read: found, set aside, removed."""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass

from memory.messages import Message
from memory.sessions.codec import decode, message_from_dict
from memory.sessions.stores.base import SET_ASIDE, Damage

UNREADABLE_TABLE = """
    CREATE TABLE unreadable (
        session INTEGER NOT NULL REFERENCES sessions (id),
        place TEXT NOT NULL,
        problem TEXT NOT NULL,
        body BLOB NOT NULL
    );
"""
_ID = "(SELECT id FROM sessions WHERE key = ?)"
# As bytes: text that is no UTF-8 any more is one damaged message, not a failing query.
BODIES = f"SELECT seq, CAST(body AS BLOB) FROM messages WHERE session = {_ID}"
_STATES = f"SELECT CAST(state AS BLOB) FROM session_states WHERE session = {_ID}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One row that can't be read; without `seq` it is the session's state."""

    seq: int | None
    problem: str
    body: bytes

    @property
    def place(self) -> str:
        return "its row in session_states" if self.seq is None else f"its row {self.seq} in messages"


def read_message(body: bytes) -> Message:
    """The message of a row; ValueError where there is none."""
    return message_from_dict(decode(body))


def problem_of(read: Callable[[bytes], object], body: bytes) -> str | None:
    """Why the bytes can't be read; None where they can."""
    try:
        read(body)
    except json.JSONDecodeError as error:
        return f"no JSON: {error.msg}"
    except UnicodeDecodeError:
        return "no UTF-8"
    except ValueError as error:
        return str(error)
    return None


def damages_of(connection: sqlite3.Connection, key: str) -> list[Damage]:
    """What of the session can't be read, and what was set aside earlier."""
    found = [
        Damage(
            key=key, place=row.place, problem=row.problem, repair="left out; the bytes stay where they are"
        )
        for row in _unreadable(connection, key)
    ]
    aside = connection.execute(f"SELECT place, problem FROM unreadable WHERE session = {_ID}", (key,))
    return found + [_aside(key, place, problem) for place, problem in aside]


def set_aside(connection: sqlite3.Connection, key: str) -> list[Damage]:
    """Move what can't be read into a table that nobody reads; what was moved."""
    rows = _unreadable(connection, key)
    connection.executemany(
        f"INSERT INTO unreadable VALUES ({_ID}, ?, ?, ?)",
        [(key, row.place, row.problem, row.body) for row in rows],
    )
    _delete(connection, key, rows)
    return [_aside(key, row.place, row.problem) for row in rows]


def remove(connection: sqlite3.Connection, key: str) -> None:
    """Remove what can't be read, set aside or not: nobody can tell whose words it holds."""
    connection.execute(f"DELETE FROM unreadable WHERE session = {_ID}", (key,))
    _delete(connection, key, _unreadable(connection, key))


def _aside(key: str, place: str, problem: str) -> Damage:
    return Damage(key=key, place=place, problem=problem, repair=SET_ASIDE, is_aside=True)


def _delete(connection: sqlite3.Connection, key: str, rows: list[_Row]) -> None:
    for row in rows:
        if row.seq is None:
            connection.execute(f"DELETE FROM session_states WHERE session = {_ID}", (key,))
        else:
            connection.execute(f"DELETE FROM messages WHERE session = {_ID} AND seq = ?", (key, row.seq))


def _unreadable(connection: sqlite3.Connection, key: str) -> list[_Row]:
    states = [(None, decode, body) for (body,) in connection.execute(_STATES, (key,))]
    bodies = [(seq, read_message, body) for seq, body in connection.execute(BODIES, (key,))]
    return [
        _Row(seq=seq, problem=problem, body=body)
        for seq, read, body in [*states, *bodies]
        if (problem := problem_of(read, body)) is not None
    ]
