"""The open index files of all audiences, touched by one thread alone."""

import asyncio
import sqlite3
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from memory.archive.index import IndexFile
from memory.atomic import disk_errors, move_aside, remove_now
from memory.audience import audience_directory
from memory.database import store_errors
from memory.errors import StoreCorrupt, StoreUnavailable

_T = TypeVar("_T")
# An open file costs three descriptors and its cache; few audiences speak within the same minute.
_MOST_OPEN = 64
_NAME = "index.db"
# SQLite keeps two more files beside its own.
_ENDINGS = ("", "-wal", "-shm")


class IndexFiles:
    """`<state>/memory/<audience>/index.db`, opened when needed, the longest unused one closed beyond 64.

    One thread reads and writes, so that nothing needs a lock; each piece of work should take a few
    milliseconds, since every search waits for the one that is under way. `model` names the one whose vectors
    the files hold, "" for none. `set_aside` is told of what lay in the place of a file and is none: a directory,
    a pipe, a link.
    """

    def __init__(
        self, state: Path, *, model: str = "", set_aside: Callable[[str], None] = lambda _what: None
    ) -> None:
        self._state = state
        self._model = model
        self._set_aside = set_aside
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="index")
        self._open: OrderedDict[str, IndexFile] = OrderedDict()
        self._closed = False

    async def use(self, audience: str, work: Callable[[IndexFile], _T]) -> _T:
        """Do the work with the audience's file, made empty where there is none.

        Raises StoreCorrupt when the file is damaged, of another version or of another owner; it is removed then, and
        what it held must be indexed again. The same where no plain file lay there, which is set aside. Raises
        StoreUnavailable when the disk is full or unreadable.
        """
        return await self._run(lambda: self._use(audience, work))

    async def use_if_there(self, audience: str, work: Callable[[IndexFile], _T]) -> _T | None:
        """The same where the audience has a file; None, and no file, where it has none."""
        return await self._run(lambda: self._use(audience, work) if self._path(audience).exists() else None)

    async def remove(self, audience: str) -> None:
        """Close and delete the audience's file."""
        await self._run(lambda: self._remove(audience))

    async def audiences(self) -> list[str]:
        """Those that have a file."""
        return await self._run(
            lambda: sorted(path.parent.name for path in self._state.glob(f"memory/*/{_NAME}"))
        )

    async def close(self) -> None:
        """Close every file; nothing may be used afterwards. Closing twice does no harm."""
        if not self._closed:
            self._closed = True
            await self._run(self._close_all)
            self._thread.shutdown()

    async def _run(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _path(self, audience: str) -> Path:
        return audience_directory(self._state, audience) / _NAME

    # In the thread.

    def _use(self, audience: str, work: Callable[[IndexFile], _T]) -> _T:
        try:
            with disk_errors(self._path(audience)), store_errors(self._path(audience)):
                return work(self._file(audience))
        except StoreCorrupt:
            self._remove(audience)
            raise
        except (StoreUnavailable, sqlite3.Error):
            # After an error the counts in memory and the file may differ, so it is opened anew.
            self._let_go(audience)
            raise

    def _file(self, audience: str) -> IndexFile:
        if audience not in self._open:
            self._open[audience] = self._opened(self._path(audience))
            if len(self._open) > _MOST_OPEN:
                self._let_go(next(iter(self._open)))
        self._open.move_to_end(audience)
        return self._open[audience]

    def _opened(self, path: Path) -> IndexFile:
        moved = [what for ending in _ENDINGS if (what := move_aside(path.with_name(_NAME + ending)))]
        for what in moved:
            self._set_aside(what)
        if moved:
            raise StoreCorrupt(moved[0])
        try:
            return IndexFile(path, model=self._model)
        except PermissionError as error:
            raise StoreCorrupt(f"{path} belongs to somebody else") from error

    def _let_go(self, audience: str) -> None:
        if file := self._open.pop(audience, None):
            file.abandon()

    def _remove(self, audience: str) -> None:
        if file := self._open.pop(audience, None):
            file.abandon()
        for ending in _ENDINGS:
            path = self._path(audience).with_name(_NAME + ending)
            if what := move_aside(path):
                self._set_aside(what)
            remove_now(path)

    def _close_all(self) -> None:
        while self._open:
            self._open.popitem()[1].close()
