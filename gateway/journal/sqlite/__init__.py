"""The journal in one SQLite file, whose parts commit together."""

from gateway.journal.sqlite.inbox import SqliteInbox
from gateway.journal.sqlite.jobs import SqliteJobs
from gateway.journal.sqlite.outbox import SqliteOutbox
from gateway.journal.sqlite.roster import SqliteRoster
from gateway.journal.sqlite.schedule import SqliteSchedule
from gateway.journal.sqlite.schema import JOURNAL_SCHEMA

__all__ = ["JOURNAL_SCHEMA", "SqliteJournal"]


class SqliteJournal(SqliteInbox, SqliteOutbox, SqliteJobs, SqliteSchedule, SqliteRoster):
    """A `Journal` on a database that was opened with `JOURNAL_SCHEMA` and belongs to who opened it."""

    async def close(self) -> None:
        """Wait for what is written lazily; the database stays open."""
        await self.settle()
