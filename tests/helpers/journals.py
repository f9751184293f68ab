"""Messages, jobs and replies for tests of the journal, and everything that a journal shows at once."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

from channels.messages import InboundMessage, OutboundMessage, SessionKey
from gateway.journal.base import Job, Journal, PairingCode, Reminder
from gateway.journal.sqlite import JOURNAL_SCHEMA, SqliteJournal
from memory.database import Database

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(minutes=10)


def inbound(message_id: str, *, session: str = "telegram:42", **fields: Any) -> InboundMessage:
    """A message of a session."""
    defaults: dict[str, Any] = {
        "channel": "telegram",
        "chat_id": "42",
        "sender_id": "1001",
        "text": f"words of {message_id}",
        "received_at": NOON,
        "session_key": SessionKey(session),
    }
    return InboundMessage(id=message_id, **defaults | fields)


def outbound(turn_id: str, part: int = 0, **fields: Any) -> OutboundMessage:
    """A part of a turn's reply."""
    defaults: dict[str, Any] = {"channel": "telegram", "chat_id": "42", "text": f"reply {part} to {turn_id}"}
    return OutboundMessage(id=turn_id, part=part, **defaults | fields)


def job(job_id: str, **fields: Any) -> Job:
    """A job that is due at noon."""
    defaults: dict[str, Any] = {
        "kind": "subagent",
        "session": "telegram:42",
        "run_at": NOON,
        "created_at": NOON,
    }
    return Job(id=job_id, **defaults | fields)


def reminder(reminder_id: str, **fields: Any) -> Reminder:
    """A reminder that is due at noon."""
    defaults: dict[str, Any] = {"session": "telegram:42", "text": "water the plants", "next_at": NOON}
    return Reminder(id=reminder_id, **defaults | fields)


def pairing(code: str, *, sender_id: str = "77") -> PairingCode:
    """A code that expires ten minutes past noon."""
    return PairingCode(
        code=code,
        channel="telegram",
        sender_id=sender_id,
        sender_name="Sam",
        chat_id=sender_id,
        expires_at=LATER,
    )


async def everything(journal: Journal) -> dict[str, Any]:
    """All that the journal shows, to be compared."""
    return {
        "waiting": await journal.waiting(),
        "unanswered": await journal.unanswered(),
        "due": await journal.due(),
        "entries": await journal.entries(),
        "jobs": await journal.list_jobs(),
        "reminders": await journal.reminders(),
        "members": await journal.members(),
        "codes": await journal.codes(now=NOON),
    }


@asynccontextmanager
async def sqlite_journal(path: Path) -> AsyncIterator[Journal]:
    """The journal in this file."""
    db = await Database.open(path, [JOURNAL_SCHEMA])
    journal = SqliteJournal(db)
    try:
        yield journal
    finally:
        await journal.close()
        await db.close()


def reopened(path: Path) -> Journal:
    """A journal that is closed and opened again around every call, so that nothing rests in memory."""
    return cast("Journal", _Reopened(path))


class _Reopened:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._dropped: list[Callable[[str], None]] = []
        self._withdrawn: list[Callable[[str], None]] = []

    def on_dropped(self, tell: Callable[[str], None]) -> None:
        """Told by whichever journal is open."""
        self._dropped.append(tell)

    def on_withdrawn(self, tell: Callable[[str], None]) -> None:
        """Told by whichever journal is open."""
        self._withdrawn.append(tell)

    def __getattr__(self, name: str) -> Any:
        async def call(*args: Any, **kwargs: Any) -> Any:
            async with sqlite_journal(self._path) as journal:
                for tell in self._dropped:
                    journal.on_dropped(tell)
                for tell in self._withdrawn:
                    journal.on_withdrawn(tell)
                return await getattr(journal, name)(*args, **kwargs)

        return call
