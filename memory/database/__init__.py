"""One SQLite file: one writer thread that commits in groups, readers beside it."""

import asyncio
import contextlib
import os
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Self, TypeVar

from memory.atomic import disk_errors
from memory.database.connection import connect, snapshot, store_errors
from memory.database.copying import frozen
from memory.database.emptied import refuse_emptied
from memory.database.schema import Schema, migrate
from memory.database.writer import Writer
from memory.errors import StoreCorrupt, StoreUnavailable

__all__ = ["Database", "Schema", "frozen", "refuse_emptied", "store_errors"]

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

_READERS = 2


class Database:
    """The file and its threads; made by `open`, to be closed.

    Work is a function of a connection and runs in a thread: it must not wait for anything, and it leaves BEGIN
    and COMMIT to us. What SQLite says of the disk comes out as StoreUnavailable or StoreCorrupt, its other errors
    (a broken constraint) as they are.
    """

    def __init__(self, path: Path, connections: Sequence[sqlite3.Connection]) -> None:
        self.path = path
        self._connections = connections
        writing, *reading = connections
        self._writer = Writer(writing, path=path)
        self._idle: SimpleQueue[sqlite3.Connection] = SimpleQueue()
        for connection in reading:
            self._idle.put(connection)
        self._readers = ThreadPoolExecutor(len(reading), thread_name_prefix=f"{path.name}-reader")
        self._closed = False

    @property
    def commits(self) -> int:
        """How many groups were committed."""
        return self._writer.commits

    def on_commit(self, listener: Callable[[float], None]) -> None:
        """Tell this, in the writer's thread, how many seconds each commit took."""
        self._writer.on_commit = listener

    @classmethod
    async def open(cls, path: Path, schemas: Sequence[Schema] = ()) -> Self:
        """Open or create the file (mode 0600) and bring every schema up to date.

        Raises StoreUnavailable when a newer program wrote it, and what SQLite says about a file that is none.
        """
        return cls(path, await asyncio.to_thread(_open, path, schemas))

    async def write(self, work: Work[T]) -> T:
        """Run the work and return what it gives, once that is on the disk.

        Works that arrive while a commit runs share the next one. An exception undoes its own work alone and is
        raised here; a disk that fails undoes the whole group. A caller that is cancelled does not undo its work.
        """
        self._check_open()
        result: T = await self._writer.put(work)
        return result

    def write_later(self, work: Work[T]) -> asyncio.Future[T]:
        """Run the work with the next group, at the latest after 20 ms, and again for as long as the disk fails.

        Nobody needs to await the future; `settle` waits for all of them.
        """
        self._check_open()
        return self._writer.put(work, lazy=True)

    async def settle(self) -> None:
        """Return when everything that was handed over so far is on the disk."""
        await self.write(lambda _connection: None)

    async def read(self, work: Work[T]) -> T:
        """Run the work on one snapshot of what is committed, beside the writer."""
        self._check_open()
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, work)

    async def check(self) -> list[str]:
        """What is wrong with the file; empty when nothing is."""
        try:
            rows = await self.read(lambda connection: connection.execute("PRAGMA integrity_check").fetchall())
        except StoreCorrupt as error:
            return [str(error)]
        return [text for (text,) in rows if text != "ok"]

    async def truncate_wal(self) -> None:
        """Move everything into the file and empty the log, so that erased words are in neither."""
        await self.settle()
        await asyncio.to_thread(self._truncate_wal)

    async def close(self) -> None:
        """Write what is queued and let go of the file; what comes later is refused with StoreUnavailable."""
        if not self._closed:
            self._closed = True
            self._writer.stop()
        await asyncio.to_thread(self._shut)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreUnavailable(f"{self.path}: closed")

    def _read(self, work: Work[T]) -> T:
        connection = self._idle.get()  # as many as threads, so this never waits
        try:
            with store_errors(self.path), snapshot(connection):
                return work(connection)
        finally:
            self._idle.put(connection)

    def _truncate_wal(self) -> None:
        """On a connection of its own: a checkpoint may not run inside a transaction."""
        with store_errors(self.path), contextlib.closing(connect(self.path)) as connection:
            if connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() != (0, 0, 0):
                raise StoreUnavailable(f"{self.path}: the log is in use and could not be emptied")

    def _shut(self) -> None:
        self._writer.join()
        self._readers.shutdown()
        for connection in self._connections:
            connection.close()


def _open(path: Path, schemas: Sequence[Schema]) -> list[sqlite3.Connection]:
    """The connection that writes, and the ones that read."""
    with store_errors(path), contextlib.ExitStack() as undo:
        _create(path)
        connections = [undo.enter_context(contextlib.closing(connect(path))) for _ in range(1 + _READERS)]
        migrate(connections[0], schemas, path=path)
        for connection in connections[1:]:
            connection.execute("PRAGMA query_only=ON")
        undo.pop_all()
    return connections


def _create(path: Path) -> None:
    with disk_errors(path):
        # SQLite gives its log and its index the mode of the file.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        path.chmod(0o600)
