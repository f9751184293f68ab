"""The one thread that writes: what arrives while a commit runs shares the next one."""

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from memory.database.connection import meaning, translated
from memory.errors import StoreUnavailable

# Bounds how long the first caller of a group waits for the last one.
_GROUP = 512
_LAZY_SECONDS = 0.02
# After a failed commit: soon enough once there is room again, rare enough for a disk that stays full.
_RETRY_SECONDS = 1.0


@dataclass(slots=True, eq=False)
class _Write:
    work: Callable[[sqlite3.Connection], Any]
    future: asyncio.Future[Any]
    lazy: bool
    result: Any = None
    error: Exception | None = None


class Writer:
    """Runs works on its connection, a group in a transaction, and answers their futures after the commit.

    A work that raises is undone alone. When the disk fails, the whole group is: its eager works fail, its lazy
    ones stay and are tried again. `commits` counts the groups; `on_commit` is told, in the thread, how many seconds
    a commit took.
    """

    def __init__(self, connection: sqlite3.Connection, *, path: Path) -> None:
        self.commits = 0
        self.on_commit: Callable[[float], None] = lambda _seconds: None
        self._connection = connection
        self._path = path
        self._loop = asyncio.get_running_loop()
        # Bounded by its callers: each awaits one eager work, and a lazy one belongs to a row that exists.
        self._queue: SimpleQueue[_Write | None] = SimpleQueue()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=f"{path.name}-writer", daemon=True)
        self._thread.start()

    def put(self, work: Callable[[sqlite3.Connection], Any], *, lazy: bool = False) -> asyncio.Future[Any]:
        """Queue the work; a lazy one waits up to 20 ms for the company of others."""
        write = _Write(work, self._loop.create_future(), lazy)
        self._queue.put(write)
        return write.future

    def stop(self) -> None:
        """Take nothing more; the thread ends when it has written what is queued."""
        self._queue.put(None)

    def join(self) -> None:
        """Wait, blocking, for the end of the thread."""
        self._thread.join()

    def _run(self) -> None:
        kept: list[_Write] = []
        while not self._stopping:
            group = self._gather(kept)
            keeps = not self._commit(group) and not self._stopping
            kept = [write for write in group if keeps and write.lazy]
            answered = [write for write in group if not (keeps and write.lazy)]
            # The loop is closed only when nobody waits any more.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(_answer, answered)

    def _gather(self, group: list[_Write]) -> list[_Write]:
        """Add what is queued to the group; wait for an eager work, or until the lazy ones are due."""
        due = time.monotonic() + _RETRY_SECONDS if group else None
        eager = False
        with contextlib.suppress(Empty):
            while not (eager and len(group) >= _GROUP):
                write = self._queue.get_nowait() if eager else self._queue.get(timeout=_until(due))
                if write is None:
                    self._stopping = True
                    break
                group.append(write)
                eager = eager or not write.lazy
                due = due or time.monotonic() + _LAZY_SECONDS
        return group

    def _commit(self, group: list[_Write]) -> bool:
        """Run the group in one transaction; whether it is on the disk."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for write in group:
                self._apply(write)
            before = time.monotonic()
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            # Where SQLite has undone everything by itself, there is nothing left to undo.
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            for write in group:
                write.error = translated(error, path=self._path)
            return False
        self.on_commit(time.monotonic() - before)
        self.commits += 1
        return True

    def _apply(self, write: _Write) -> None:
        write.error = None
        self._connection.execute("SAVEPOINT work")
        try:
            write.result = write.work(self._connection)
        except Exception as error:  # the caller's, and carried to the caller, as executors do
            if meaning(error) is StoreUnavailable:
                raise  # a disk that fails is everybody's trouble, and may have undone the whole group already
            self._connection.execute("ROLLBACK TO work")
            write.error = translated(error, path=self._path)
        self._connection.execute("RELEASE work")


def _until(due: float | None) -> float | None:
    return None if due is None else max(0.0, due - time.monotonic())


def _answer(group: list[_Write]) -> None:
    for write in group:
        if write.future.done():
            continue  # its caller was cancelled; the write stands
        if write.error is None:
            write.future.set_result(write.result)
        else:
            write.future.set_exception(write.error)
