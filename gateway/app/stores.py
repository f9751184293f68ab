"""What is kept on disk, opened in order and closed in reverse."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

import structlog

from gateway.app.dream import dream_once
from gateway.app.people import roles_of
from gateway.app.typed import TypedWords
from gateway.app.vectors import embedder_for, report_failure
from gateway.budgets import BUDGETS_SCHEMA, DailyBudgets
from gateway.config import Settings
from gateway.journal.base import Journal
from gateway.journal.sqlite import JOURNAL_SCHEMA, SqliteJournal
from gateway.journal.words import JournalWords
from gateway.operations.operation import Dream, OperationPorts
from gateway.pairing.approvals import Approvals
from gateway.service.lock import ProcessLock
from memory.archive.record import History
from memory.archive.search import SearchIndex
from memory.atomic import ensure_dir, sweep
from memory.audience import person_audience
from memory.database import Database, refuse_emptied
from memory.errors import StoreUnavailable
from memory.forget import Forget
from memory.longterm.notebook import Notebook
from memory.sessions.manager import SessionManager
from memory.sessions.stores.base import SessionStore
from memory.sessions.stores.jsonl import JsonlStore
from memory.sessions.stores.sqlite import SESSIONS_SCHEMA, SqliteStore

_SCHEMAS = (JOURNAL_SCHEMA, SESSIONS_SCHEMA, BUDGETS_SCHEMA)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """What is kept on disk, opened; nobody else has this state directory meanwhile."""

    database: Database
    journal: Journal
    sessions: SessionManager
    index: SearchIndex
    approvals: Approvals
    budgets: DailyBudgets
    history: History
    notebook: Notebook


@asynccontextmanager
async def open_stores(settings: Settings) -> AsyncIterator[Stores]:
    """Open everything under `gateway.state`; AlreadyRunning when another process has it.

    StoreCorrupt, see `refuse_emptied`, where the database has lost everything.
    """
    state = settings.gateway.state
    await ensure_dir(state)
    if not await asyncio.to_thread(state.is_dir):
        raise StoreUnavailable(f"gateway.state is {state}: expected a directory, or a place for one")
    with ProcessLock(state / "lock"):
        await sweep(state)
        await asyncio.to_thread(refuse_emptied, state / "mneme.db")
        database = await Database.open(state / "mneme.db", schemas=_SCHEMAS)
        try:
            store: SessionStore = SqliteStore(database)
            if settings.sessions.store == "jsonl":
                store = JsonlStore(state / "sessions")
            sessions = SessionManager(store, load_limit=settings.sessions.max_messages + 100)
            embedder = embedder_for(settings)
            index = SearchIndex(
                state, sessions, embedder=embedder, embedder_failed=report_failure, set_aside=_report_aside
            )
            sessions.on_saved(index.saved)
            journal = SqliteJournal(database)
            try:
                yield Stores(
                    database=database,
                    journal=journal,
                    sessions=sessions,
                    index=index,
                    approvals=await _approvals(settings, journal),
                    budgets=await _budgets(settings, database),
                    history=History(state),
                    notebook=Notebook(state),
                )
            finally:
                await index.close()
                if embedder is not None:
                    await embedder.close()
                await sessions.close()
        finally:
            await database.close()


async def _approvals(settings: Settings, journal: Journal) -> Approvals:
    approvals = Approvals(journal, configured=roles_of(settings), language=settings.gateway.language)
    await approvals.refresh()
    return approvals


async def _budgets(settings: Settings, database: Database) -> DailyBudgets:
    limits, zone = settings.budgets, settings.zone_of()
    budgets = DailyBudgets(
        database,
        person_tokens=limits.person_tokens_per_day,
        chat_tokens=limits.chat_tokens_per_day,
        today=lambda: datetime.now(zone).date(),
    )
    await budgets.recover()
    return budgets


def operation_ports(settings: Settings, stores: Stores, *, dream: Dream | None = None) -> OperationPorts:
    """What the operator's commands work on, here or through the daemon, which has a `dream` of its own."""
    return OperationPorts(
        sessions=stores.sessions,
        index=stores.index,
        journal=stores.journal,
        approvals=stores.approvals,
        forget=forget_for(settings, stores),
        history=stores.history,
        notebook=stores.notebook,
        dream=dream or dream_once(settings, history=stores.history, notebook=stores.notebook),
        state=settings.gateway.state,
        owner_audience=person_audience(settings.person_here),
    )


def forget_for(settings: Settings, stores: Stores) -> Forget:
    """The one erasure, over everything that is open."""
    return Forget(
        settings.gateway.state,
        sessions=stores.sessions,
        database=stores.database,
        index=stores.index,
        history=stores.history,
        notebook=stores.notebook,
        owed=JournalWords(stores.journal),
        typed=TypedWords(settings.gateway.state, sessions=stores.sessions),
    )


def _report_aside(what: str) -> None:
    """Something else than a file lay in the place of an index, which is built anew."""
    log.warning("index_set_aside", error=what)
