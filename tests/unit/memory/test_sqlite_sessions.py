import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.database import Database
from memory.messages import Provenance
from memory.sessions.stores.sqlite import SESSIONS_SCHEMA, SqliteStore
from tests.helpers.conversations import answer, filled, new_session, result, say

KEY = "telegram:42"


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = await Database.open(tmp_path / "mneme.db", schemas=[SESSIONS_SCHEMA])
    yield database
    await database.close()


@pytest.fixture
def store(database: Database) -> SqliteStore:
    return SqliteStore(database)


@pytest.mark.parametrize("history", [10, 5000])
async def test_a_turn_writes_a_few_pages_however_long_the_history_is(
    store: SqliteStore, database: Database, tmp_path: Path, history: int
) -> None:
    session = filled(history)
    session.summary = {"key_facts": [{"text": "a fact of some length " * 20}] * 40}
    await store.append(session, session.unsaved)
    await database.truncate_wal()
    log = tmp_path / "mneme.db-wal"
    sizes = []
    for _ in range(20):
        before = log.stat().st_size
        session.calibration.factor += 0.01
        said = [session.add(say("q" * 1000)), session.add(answer("a" * 3000))]
        await store.append(session, said)
        sizes.append(log.stat().st_size - before)

    assert max(sizes) <= 32 * 1024
    assert sum(sizes) / len(sizes) <= 24 * 1024


async def test_rows_say_whose_words_they_are(store: SqliteStore, database: Database) -> None:
    session = new_session()
    session.add(say(provenance=Provenance.STRANGER))
    session.add(answer())
    session.add(result(provenance=Provenance.WEB))
    await store.append(session, session.unsaved)

    rows = await database.read(
        lambda connection: connection.execute("SELECT seq, provenance FROM messages ORDER BY seq").fetchall()
    )

    assert rows == [(1, "stranger"), (2, "assistant"), (3, "web")]


def spoil(connection: sqlite3.Connection) -> None:
    """Damage as a disk does it: rows whose JSON is broken, and one that is no text."""
    connection.execute("UPDATE messages SET body = '{\"seq\":2,' WHERE seq = 2")
    connection.execute("UPDATE messages SET body = CAST(X'7BFF' AS TEXT) WHERE seq = 3")
    connection.execute("UPDATE session_states SET state = 'null'")


async def test_a_damaged_row_costs_itself_alone_and_is_named(store: SqliteStore, database: Database) -> None:
    session = filled(5)
    session.last_consolidated = 1
    await store.append(session, session.unsaved)
    await database.write(spoil)

    loaded = await store.load(KEY, limit=10)
    damages = await store.damages(KEY)

    assert loaded is not None
    assert [message.seq for message in loaded.messages] == [1, 4, 5]
    assert (loaded.last_seq, loaded.last_consolidated, loaded.audience) == (5, 1, "person-ann")
    assert [damage.place for damage in damages] == [
        "its row in session_states",
        "its row 2 in messages",
        "its row 3 in messages",
    ]
    assert [damage.problem[:7] for damage in damages] == ["no JSON", "no JSON", "no UTF-"]


async def test_a_damaged_session_goes_on(store: SqliteStore, database: Database) -> None:
    session = filled(5)
    await store.append(session, session.unsaved)
    await database.write(spoil)
    loaded = await store.load(KEY, limit=10)
    assert loaded is not None
    await store.append(loaded, [loaded.add(say("more"))])

    assert [message.seq for message in await store.page(KEY, before=99, limit=9)] == [1, 4, 5, 6]
    assert len(await store.damages(KEY)) == 2


async def test_a_repair_sets_aside_what_cannot_be_read(store: SqliteStore, database: Database) -> None:
    session = filled(5)
    await store.append(session, session.unsaved)
    await database.write(spoil)

    mended = await store.repair(KEY)
    rows = await database.read(
        lambda connection: connection.execute("SELECT count(*) FROM messages").fetchall()
    )

    assert [one.place for one in mended] == [
        "its row in session_states",
        "its row 2 in messages",
        "its row 3 in messages",
    ]
    assert await store.damages(KEY) == mended
    assert all(one.is_aside for one in mended)
    assert await store.repair(KEY) == []
    assert rows == [(3,)]


async def test_what_cannot_be_read_goes_with_what_is_erased(store: SqliteStore, database: Database) -> None:
    session = filled(5)
    await store.append(session, session.unsaved)
    await database.write(spoil)
    await store.repair(KEY)

    await store.erase(KEY, [1])

    assert await store.damages(KEY) == []
