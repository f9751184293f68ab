"""The file as it stands at one moment, also while another process writes to it."""

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from memory.atomic import disk_errors, sync_dir
from memory.database.connection import connect, snapshot, store_errors


@contextlib.contextmanager
def frozen(path: Path) -> Iterator[Callable[[Path], None]]:
    """Hold on to the state of the file; what is given copies it, to a new file (mode 0600), durably.

    It holds up no writer. All of it blocks; raises StoreUnavailable, also where the target exists, and StoreCorrupt.
    """
    with store_errors(path), contextlib.closing(connect(path)) as connection, snapshot(connection):
        connection.execute(
            "SELECT count(*) FROM sqlite_master"
        ).fetchone()  # the first read takes the snapshot

        def copy(target: Path) -> None:
            with disk_errors(target), contextlib.ExitStack() as undo:
                descriptor = os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
                undo.callback(target.unlink)
                try:
                    with contextlib.closing(sqlite3.connect(target)) as copied:
                        connection.backup(copied)
                    os.fsync(descriptor)
                finally:
                    os.close(descriptor)
                sync_dir(target.parent)
                undo.pop_all()

        yield copy
