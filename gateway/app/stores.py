"""What is kept on disk, opened in order and closed in reverse."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from gateway.config import Settings
from gateway.config.settings import IMPLICIT_OWNER
from gateway.journal.base import Journal
from gateway.journal.sqlite import JOURNAL_SCHEMA, SqliteJournal
from gateway.operations.operation import OperationPorts
from gateway.service.lock import ProcessLock
from memory.archive.search import SearchIndex
from memory.atomic import ensure_dir
from memory.audience import person_audience
from memory.database import Database
from memory.sessions.manager import SessionManager
from memory.sessions.stores.base import SessionStore
from memory.sessions.stores.jsonl import JsonlStore
from memory.sessions.stores.sqlite import SESSIONS_SCHEMA, SqliteStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """What is kept on disk, opened; nobody else has this state directory meanwhile."""

    database: Database
    journal: Journal
    sessions: SessionManager
    index: SearchIndex


@asynccontextmanager
async def open_stores(settings: Settings) -> AsyncIterator[Stores]:
    """Open everything under `gateway.state`; AlreadyRunning when another process has it."""
    state = settings.gateway.state
    await ensure_dir(state)
    with ProcessLock(state / "lock"):
        database = await Database.open(state / "mneme.db", schemas=[JOURNAL_SCHEMA, SESSIONS_SCHEMA])
        try:
            store: SessionStore = SqliteStore(database)
            if settings.sessions.store == "jsonl":
                store = JsonlStore(state / "sessions")
            sessions = SessionManager(store, load_limit=settings.sessions.max_messages + 100)
            index = SearchIndex(state, sessions)
            sessions.on_saved(index.saved)
            try:
                yield Stores(
                    database=database, journal=SqliteJournal(database), sessions=sessions, index=index
                )
            finally:
                await index.close()
                await sessions.close()
        finally:
            await database.close()


def operation_ports(settings: Settings, stores: Stores) -> OperationPorts:
    """What the operator's commands work on, here or through the daemon."""
    return OperationPorts(
        sessions=stores.sessions,
        index=stores.index,
        journal=stores.journal,
        state=settings.gateway.state,
        owner_audience=person_audience(settings.owner or IMPLICIT_OWNER),
    )
