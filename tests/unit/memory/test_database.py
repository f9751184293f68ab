"""One file, one writer thread, group commit."""

import asyncio
import json
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import pytest

from memory.database import Database, Schema, frozen
from memory.errors import StoreCorrupt, StoreUnavailable

NOTES = Schema(name="notes", migrations=("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT UNIQUE)",))


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await Database.open(tmp_path / "mneme.db", [NOTES])
    yield opened
    await opened.close()


def note(connection: Connection, text: str) -> int | None:
    return connection.execute("INSERT INTO note (text) VALUES (?)", (text,)).lastrowid


def noting(text: str) -> Callable[[Connection], int | None]:
    return lambda connection: note(connection, text)


def pragma(name: str) -> Callable[[Connection], Any]:
    return lambda connection: connection.execute(f"PRAGMA {name}").fetchone()[0]


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def texts(connection: Connection) -> list[str]:
    return [text for (text,) in connection.execute("SELECT text FROM note ORDER BY id")]


class Gate:
    """Keeps the writer thread inside a commit until it is opened."""

    def __init__(self) -> None:
        self._entered, self._opened = threading.Event(), threading.Event()

    def work(self, _connection: Connection) -> None:
        self._entered.set()
        self._opened.wait(timeout=30)

    async def entered(self) -> None:
        await asyncio.to_thread(self._entered.wait, 30)

    def open(self) -> None:
        self._opened.set()


class TestWriting:
    async def test_a_work_gives_its_result_and_is_read_at_once(self, db: Database) -> None:
        number = await db.write(noting("a"))

        assert number == 1
        assert await db.read(texts) == ["a"]

    async def test_works_that_arrive_during_a_commit_share_the_next_one(self, db: Database) -> None:
        gate = Gate()
        first = asyncio.ensure_future(db.write(gate.work))
        await gate.entered()
        works = [db.write(noting(str(n))) for n in range(50)]
        group = asyncio.gather(*works)
        await asyncio.sleep(0)
        before = db.commits
        gate.open()
        await asyncio.gather(first, group)

        assert db.commits - before == 2
        assert await db.read(texts) == [str(n) for n in range(50)]

    async def test_an_exception_undoes_its_own_work_alone(self, db: Database) -> None:
        gate = Gate()

        def fail(connection: Connection) -> None:
            note(connection, "undone")
            raise LookupError("mine")

        works = [
            db.write(gate.work),
            db.write(noting("a")),
            db.write(fail),
            db.write(noting("b")),
        ]
        gathered = asyncio.gather(*works, return_exceptions=True)
        await asyncio.sleep(0)
        gate.open()
        _, _, failure, _ = await gathered

        assert isinstance(failure, LookupError)
        assert await db.read(texts) == ["a", "b"]

    async def test_a_broken_constraint_is_raised_as_it_is(self, db: Database) -> None:
        await db.write(noting("a"))

        with pytest.raises(sqlite3.IntegrityError):
            await db.write(noting("a"))

    async def test_a_work_that_ends_the_transaction_fails_and_the_next_one_works(self, db: Database) -> None:
        with pytest.raises(sqlite3.OperationalError):
            await db.write(lambda connection: connection.execute("COMMIT"))
        await db.write(noting("a"))

        assert await db.read(texts) == ["a"]

    async def test_a_cancelled_caller_loses_neither_its_write_nor_the_thread(self, db: Database) -> None:
        gate = Gate()
        first = asyncio.ensure_future(db.write(gate.work))
        task = asyncio.ensure_future(db.write(noting("kept")))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        gate.open()
        await first
        await db.settle()

        assert task.cancelled()
        assert await db.read(texts) == ["kept"]

    async def test_a_caller_waits_for_the_commit(self, db: Database) -> None:
        await db.write(noting("a"))
        other = sqlite3.connect(db.path)
        seen = texts(other)
        other.close()

        assert seen == ["a"]


class TestWritingLater:
    async def test_it_is_written_without_anybody_asking(self, db: Database) -> None:
        await asyncio.wait_for(db.write_later(noting("a")), timeout=5)

        assert await db.read(texts) == ["a"]

    async def test_it_shares_the_commit_of_the_next_eager_work_and_comes_first(self, db: Database) -> None:
        before = db.commits
        db.write_later(noting("lazy"))
        await db.write(noting("eager"))

        assert db.commits - before == 1
        assert await db.read(texts) == ["lazy", "eager"]

    async def test_settling_waits_for_it(self, db: Database) -> None:
        db.write_later(noting("a"))
        await db.settle()

        assert await db.read(texts) == ["a"]

    async def test_closing_writes_it(self, tmp_path: Path) -> None:
        first = await Database.open(tmp_path / "other.db", [NOTES])
        first.write_later(noting("a"))
        await first.close()
        second = await Database.open(tmp_path / "other.db", [NOTES])
        found = await second.read(texts)
        await second.close()

        assert found == ["a"]


async def allow_pages(db: Database, count: int) -> None:
    """Bound the file, as a disk does; a text of 100,000 characters needs more than one page."""
    await db.write(pragma(f"max_page_count={count}"))


class TestAFullDisk:
    async def test_everybody_in_the_group_is_told_and_nothing_is_half_written(self, db: Database) -> None:
        gate = Gate()
        await allow_pages(db, 1)
        first = asyncio.ensure_future(db.write(gate.work))
        await gate.entered()
        works = [db.write(noting("small")), db.write(noting("x" * 100_000))]
        group = asyncio.gather(*works, return_exceptions=True)
        await asyncio.sleep(0)
        gate.open()
        failures = await group
        await first

        assert [type(failure) for failure in failures] == [StoreUnavailable] * 2
        assert str(db.path) in str(failures[0])
        assert await db.read(texts) == []

    async def test_later_writes_work_once_there_is_room(self, db: Database) -> None:
        await allow_pages(db, 1)
        with pytest.raises(StoreUnavailable):
            await db.write(noting("x" * 100_000))
        await allow_pages(db, 10_000)
        await db.write(noting("x" * 100_000))

        assert await db.check() == []
        assert [len(text) for text in await db.read(texts)] == [100_000]

    def test_nothing_acknowledged_is_lost_and_lazy_works_are_tried_again(self, tmp_path: Path) -> None:
        path = tmp_path / "mneme.db"
        asyncio.run(_close(path))
        child = subprocess.run(
            [sys.executable, "-c", _CHILD, str(path)], capture_output=True, text=True, check=False, timeout=50
        )
        told = json.loads(child.stdout)
        found = asyncio.run(_found(path))

        assert told["failed"] >= 3, child.stderr
        assert told["acknowledged"] == found
        assert told["waits"]


async def _close(path: Path) -> None:
    await (await Database.open(path, [NOTES])).close()


async def _found(path: Path) -> list[str]:
    db = await Database.open(path, [NOTES])
    try:
        assert await db.check() == []
        return [text.split(" ", 1)[1] for text in await db.read(texts)]
    finally:
        await db.close()


_CHILD = """
import asyncio, json, resource, sys
from pathlib import Path
from memory.database import Database
from memory.errors import StoreUnavailable
from tests.unit.memory.test_database import NOTES, note

async def main():
    db = await Database.open(Path(sys.argv[1]), [NOTES])
    acknowledged, failed = [], 0
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, resource.RLIM_INFINITY))
    while failed < 3:
        try:
            name = str(len(acknowledged) + failed)
            await db.write(lambda connection: note(connection, "x" * 9_000 + " " + name))
            acknowledged.append(name)
        except StoreUnavailable:
            failed += 1
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await db.write(lambda connection: note(connection, "x room again"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
    lazy = db.write_later(lambda connection: note(connection, "x lazy"))
    try:
        await db.settle()
    except StoreUnavailable:
        waits = not lazy.done()
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await lazy
    await db.close()
    print(json.dumps({"failed": failed, "waits": waits, "acknowledged": [*acknowledged, "room again", "lazy"]}))

asyncio.run(main())
"""


class TestReading:
    async def test_a_reader_sees_one_state_and_holds_no_writer_up(self, db: Database) -> None:
        await db.write(noting("a"))
        began, go_on = threading.Event(), threading.Event()

        def read_twice(connection: Connection) -> tuple[list[str], list[str]]:
            before = texts(connection)
            began.set()
            go_on.wait(timeout=30)
            return before, texts(connection)

        reading = asyncio.ensure_future(db.read(read_twice))
        await asyncio.to_thread(began.wait, 30)
        await db.write(noting("b"))
        go_on.set()

        assert await reading == (["a"], ["a"])
        assert await db.read(texts) == ["a", "b"]

    async def test_a_reader_can_not_write(self, db: Database) -> None:
        with pytest.raises(StoreUnavailable, match="readonly"):
            await db.read(noting("a"))

    async def test_a_failing_reader_leaves_the_next_one_alone(self, db: Database) -> None:
        for _ in range(5):
            with pytest.raises(ZeroDivisionError):
                await db.read(lambda _connection: 1 // 0)

        assert await db.read(texts) == []


class TestTheFile:
    async def test_nobody_else_may_read_it(self, db: Database) -> None:
        await db.write(noting("a"))
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in db.path.parent.iterdir()}

        assert modes == dict.fromkeys(["mneme.db", "mneme.db-wal", "mneme.db-shm"], 0o600)

    async def test_it_is_set_up_so_that_a_commit_is_on_the_disk(self, db: Database) -> None:
        values = [await db.write(pragma(name)) for name in ("journal_mode", "synchronous", "secure_delete")]

        assert values == ["wal", 2, 1]

    async def test_each_component_has_its_own_version_and_steps(self, tmp_path: Path) -> None:
        path = tmp_path / "mneme.db"
        first, second = (
            "CREATE TABLE a (x)",
            "ALTER TABLE a ADD y; INSERT INTO a VALUES (1, 2) -- and that is all",
        )
        for migrations in ((first,), (first, second), (first, second)):
            db = await Database.open(path, [NOTES, Schema(name="a", migrations=migrations)])
            await db.close()
        db = await Database.open(path, [NOTES])
        versions = await db.read(lambda c: dict(c.execute("SELECT name, version FROM schemas")))
        rows = await db.read(lambda c: c.execute("SELECT * FROM a").fetchall())
        await db.close()

        assert versions == {"notes": 1, "a": 2}
        assert rows == [(1, 2)]

    async def test_a_step_that_fails_leaves_the_version_before_it(self, tmp_path: Path) -> None:
        path = tmp_path / "mneme.db"
        broken = Schema(
            name="a", migrations=("CREATE TABLE a (x)", "CREATE TABLE b (x); INSERT INTO nowhere VALUES (1)")
        )
        with pytest.raises(sqlite3.OperationalError, match="nowhere"):
            await Database.open(path, [broken])
        db = await Database.open(path)
        tables = await db.read(lambda c: [name for (name,) in c.execute("SELECT name FROM sqlite_master")])
        versions = await db.read(lambda c: dict(c.execute("SELECT name, version FROM schemas")))
        await db.close()

        assert sorted(tables) == ["a", "schemas"]
        assert versions == {"a": 1}

    async def test_a_file_of_a_newer_program_is_refused_with_both_versions(self, tmp_path: Path) -> None:
        path = tmp_path / "mneme.db"
        db = await Database.open(path, [Schema(name="notes", migrations=(*NOTES.migrations, "SELECT 1"))])
        await db.close()

        with pytest.raises(
            StoreUnavailable, match=r"mneme\.db: notes has version 2 and this program knows 1"
        ):
            await Database.open(path, [NOTES])

    async def test_a_file_that_is_no_database_is_called_corrupt(self, tmp_path: Path) -> None:
        path = tmp_path / "mneme.db"
        path.write_bytes(b"These are the wrong bytes. " * 400)

        with pytest.raises(StoreCorrupt, match=r"mneme\.db"):
            await Database.open(path, [NOTES])

    async def test_a_folder_that_is_missing_is_said(self, tmp_path: Path) -> None:
        with pytest.raises(StoreUnavailable, match="nowhere"):
            await Database.open(tmp_path / "nowhere" / "mneme.db", [NOTES])

    async def test_damage_is_found_by_checking(self, tmp_path: Path) -> None:
        path = tmp_path / "mneme.db"
        db = await Database.open(path, [NOTES])
        for n in range(300):
            db.write_later(noting(f"{n} " * 50))
        await db.close()
        with path.open("r+b") as file:
            file.seek(path.stat().st_size // 2)
            file.write(os.urandom(8192))
        db = await Database.open(path, [NOTES])
        problems = await db.check()
        await db.close()

        assert problems

    async def test_erased_words_are_on_no_page_after_truncating(self, db: Database) -> None:
        secret = "the-blue-elephant" * 300
        await db.write(noting(secret))
        await db.write(lambda connection: connection.execute("DELETE FROM note"))
        await db.truncate_wal()
        disk = b"".join(path.read_bytes() for path in db.path.parent.iterdir())

        assert b"the-blue-elephant" not in disk
        assert db.path.with_name("mneme.db-wal").stat().st_size == 0

    async def test_a_backup_is_whole_and_private(self, db: Database, tmp_path: Path) -> None:
        await db.write(noting("eager"))
        db.write_later(noting("lazy"))
        await db.settle()
        copy = tmp_path / "copy.db"
        with frozen(db.path) as copy_to:
            copy_to(copy)
        restored = await Database.open(copy, [NOTES])
        found = await restored.read(texts)
        await restored.close()

        assert found == ["eager", "lazy"]
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600

    async def test_a_backup_overwrites_nothing(self, db: Database, tmp_path: Path) -> None:
        (tmp_path / "copy.db").write_text("precious")
        with pytest.raises(StoreUnavailable, match=r"copy\.db"), frozen(db.path) as copy_to:
            copy_to(tmp_path / "copy.db")

        assert (tmp_path / "copy.db").read_text() == "precious"


class TestClosing:
    async def test_what_comes_later_is_refused(self, tmp_path: Path) -> None:
        db = await Database.open(tmp_path / "mneme.db", [NOTES])
        await db.close()
        await db.close()

        with pytest.raises(StoreUnavailable, match="closed"):
            await db.write(texts)
        with pytest.raises(StoreUnavailable, match="closed"):
            await db.read(texts)
        with pytest.raises(StoreUnavailable, match="closed"):
            db.write_later(texts)

    async def test_no_thread_and_no_log_are_left(self, tmp_path: Path) -> None:
        db = await Database.open(tmp_path / "mneme.db", [NOTES])
        await db.write(noting("a"))
        await db.read(texts)
        await db.close()

        assert names(tmp_path) == ["mneme.db"]
        assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("mneme.db")]
