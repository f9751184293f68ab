"""Who was let in at run time."""

from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime
from sqlite3 import Connection
from typing import Any

from gateway.journal.base import Member, PairingCode
from gateway.journal.codec import encode_time, legal, legal_texts
from gateway.journal.sqlite.rows import Part

_FIELDS = tuple(field.name for field in fields(PairingCode))
_ROLES = frozenset({"owner", "member"})
_CODE = f"SELECT {', '.join(_FIELDS)} FROM pairing"


class SqliteRoster(Part):
    """The roster of the journal."""

    async def members(self) -> list[Member]:
        query = "SELECT channel, sender_id, name, role, approved_at FROM member ORDER BY channel, sender_id"

        def read(connection: Connection) -> list[Member]:
            return [_member(*row) for row in connection.execute(query) if _is_member(row)]

        return await self._db.read(read)

    async def offer(self, code: PairingCode, *, now: datetime | None = None) -> PairingCode:
        at = encode_time(now or datetime.now(UTC))
        return await self._db.write(lambda connection: _offer(connection, legal_texts(code), at))

    async def codes(self, *, now: datetime) -> list[PairingCode]:
        query = f"{_CODE} WHERE expires_at > ? ORDER BY expires_at, code"
        return await self._db.read(
            lambda connection: [
                code for row in connection.execute(query, (encode_time(now),)) if (code := _code(row))
            ]
        )

    async def approve(self, code: str, *, name: str, role: str, now: datetime) -> Member | None:

        def approve(connection: Connection) -> Member | None:
            query = f"{_CODE} WHERE code = ? AND expires_at > ?"
            row = connection.execute(query, (legal(code), encode_time(now))).fetchone()
            offered = _code(row) if row else None
            if offered is None:
                return None
            connection.execute("DELETE FROM pairing WHERE code = ?", (offered.code,))
            values = (offered.channel, offered.sender_id, legal(name), legal(role), encode_time(now))
            connection.execute("REPLACE INTO member VALUES (?, ?, ?, ?, ?)", values)
            return _member(*values)

        return await self._db.write(approve)

    async def revoke(self, channel: str, sender_id: str) -> bool:
        revoke, who = (
            "DELETE FROM member WHERE channel = ? AND sender_id = ?",
            (legal(channel), legal(sender_id)),
        )
        return await self._db.write(lambda connection: connection.execute(revoke, who).rowcount == 1)


def _offer(connection: Connection, code: PairingCode, at: str) -> PairingCode:
    connection.execute("DELETE FROM pairing WHERE expires_at <= ?", (at,))
    held = connection.execute(
        f"{_CODE} WHERE channel = ? AND sender_id = ?", (code.channel, code.sender_id)
    ).fetchone()
    if held is not None and (known := _code(held)):
        return known
    # A row that can't be read is nobody's code any more.
    connection.execute(
        "DELETE FROM pairing WHERE channel = ? AND sender_id = ?", (code.channel, code.sender_id)
    )
    if connection.execute("SELECT 1 FROM pairing WHERE code = ?", (code.code,)).fetchone() is not None:
        raise ValueError("this pairing code belongs to somebody else")
    connection.execute(
        "INSERT INTO pairing VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            code.code,
            code.channel,
            code.sender_id,
            code.sender_name,
            code.chat_id,
            encode_time(code.expires_at),
            code.language,
        ),
    )
    return code


def _is_member(row: Sequence[object]) -> bool:
    """Whether a row says who was let in: what anything else says lets nobody in."""
    *texts, _ = row
    return all(isinstance(text, str) and text for text in texts) and row[3] in _ROLES


def _member(channel: str, sender_id: str, name: str, role: str, approved_at: str) -> Member:
    at = _time(approved_at) or datetime.fromtimestamp(0, UTC)  # a yes whose date is lost is still a yes
    return Member(channel=channel, sender_id=sender_id, name=name, role=role, approved_at=at)


def _code(row: Sequence[Any]) -> PairingCode | None:
    values: dict[str, Any] = dict(zip(_FIELDS, row, strict=True))
    expires_at = _time(values.pop("expires_at"))
    if expires_at is None or not all(isinstance(text, str) for text in values.values()):
        return None
    return PairingCode(expires_at=expires_at, **values)


def _time(value: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return at if at is not None and at.tzinfo is not None else None
