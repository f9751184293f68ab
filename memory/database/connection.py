"""A connection to the file: how it is set up, and what its errors mean."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from memory.errors import StoreCorrupt, StoreError, StoreUnavailable

_PRAGMAS = (
    # A commit writes whole pages: small ones keep a turn's three commits well under 64 kB.
    "PRAGMA page_size=2048",
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    # Erased words are gone from the file, not just unlinked (P9).
    "PRAGMA secure_delete=ON",
    # Another process may hold the file for a moment: a backup, a doctor.
    "PRAGMA busy_timeout=5000",
    # In pages. The hot pages of many turns are then copied into the file once.
    "PRAGMA wal_autocheckpoint=2000",
)
_MEANING: dict[int, type[StoreError]] = {
    sqlite3.SQLITE_FULL: StoreUnavailable,
    sqlite3.SQLITE_IOERR: StoreUnavailable,
    sqlite3.SQLITE_READONLY: StoreUnavailable,
    sqlite3.SQLITE_CANTOPEN: StoreUnavailable,
    sqlite3.SQLITE_BUSY: StoreUnavailable,
    sqlite3.SQLITE_LOCKED: StoreUnavailable,
    sqlite3.SQLITE_PROTOCOL: StoreUnavailable,
    sqlite3.SQLITE_PERM: StoreUnavailable,
    sqlite3.SQLITE_NOMEM: StoreUnavailable,
    sqlite3.SQLITE_CORRUPT: StoreCorrupt,
    sqlite3.SQLITE_NOTADB: StoreCorrupt,
    sqlite3.SQLITE_FORMAT: StoreCorrupt,
}


def meaning(error: Exception) -> type[StoreError] | None:
    """What an error of SQLite says about the disk or the file; None for everything else."""
    # The low byte is the primary code; the rest says where it happened.
    return _MEANING.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)


def translated(error: Exception, *, path: Path) -> Exception:
    """A new StoreError in the place of this error, or the error itself where it says nothing about the disk."""
    kind = meaning(error)
    if kind is None:
        return error
    told = kind(f"{path}: {error}")
    told.__cause__ = error
    return told


@contextlib.contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Raise what SQLite says about the disk or the file as a StoreError; a faulty statement stays what it is."""
    try:
        yield
    except sqlite3.Error as error:
        if meaning(error) is None:
            raise
        raise translated(error, path=path) from error


def connect(path: Path) -> sqlite3.Connection:
    """Open the file for any thread, without implicit transactions; raises sqlite3.Error."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
    try:
        for pragma in _PRAGMAS:
            connection.execute(pragma)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """What is read inside sees one state of the file."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
