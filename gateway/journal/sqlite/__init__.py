"""The journal in one SQLite file, whose parts commit together."""

from gateway.journal.base import Counts
from gateway.journal.sqlite.inbox import SqliteInbox
from gateway.journal.sqlite.jobs import SqliteJobs
from gateway.journal.sqlite.outbox import SqliteOutbox
from gateway.journal.sqlite.roster import SqliteRoster
from gateway.journal.sqlite.schedule import SqliteSchedule
from gateway.journal.sqlite.schema import JOURNAL_SCHEMA

__all__ = ["JOURNAL_SCHEMA", "SqliteJournal"]


_COUNTED = ("unanswered", "due", "dead", "todo", "doing")
_COUNTS = """SELECT
    (SELECT count(*) FROM inbox INDEXED BY inbox_waiting WHERE message IS NOT NULL),
    (SELECT count(*) FROM outbox INDEXED BY outbox_open WHERE message IS NOT NULL AND status = 'due'),
    (SELECT count(*) FROM outbox INDEXED BY outbox_open WHERE message IS NOT NULL AND status = 'dead'),
    (SELECT count(*) FROM job INDEXED BY job_todo WHERE status = 'todo'),
    (SELECT count(*) FROM job INDEXED BY job_doing WHERE status = 'doing')"""


class SqliteJournal(SqliteInbox, SqliteOutbox, SqliteJobs, SqliteSchedule, SqliteRoster):
    """A `Journal` on a database that was opened with `JOURNAL_SCHEMA` and belongs to who opened it."""

    async def counts(self) -> Counts:
        """From the indexes of what is open, once what was sent is on the disk."""
        await self.settle()
        counted = await self._db.read(lambda connection: connection.execute(_COUNTS).fetchone())
        return Counts(**dict(zip(_COUNTED, counted, strict=True)))

    async def close(self) -> None:
        """Wait for what is written lazily; the database stays open."""
        await self.settle()
