"""Which tables a component has, and how an older file gets them."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memory.errors import StoreUnavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """A component's tables: migration n (SQL) leads from version n - 1 to n and, once released, never changes."""

    name: str
    migrations: tuple[str, ...]


def migrate(connection: sqlite3.Connection, schemas: Sequence[Schema], *, path: Path) -> None:
    """Bring every schema up to date, a transaction per step; StoreUnavailable when the file is from a newer program."""
    connection.execute(
        "CREATE TABLE IF NOT EXISTS schemas (name TEXT PRIMARY KEY, version INTEGER) WITHOUT ROWID"
    )
    versions: dict[str, int] = dict(connection.execute("SELECT name, version FROM schemas"))
    for schema in schemas:
        found, known = versions.get(schema.name, 0), len(schema.migrations)
        if found > known:
            raise StoreUnavailable(
                f"{path}: {schema.name} has version {found} and this program knows {known}: a newer Mneme wrote it; "
                "install that one again or restore a backup"
            )
        for version, migration in enumerate(schema.migrations[found:], start=found + 1):
            step = f"{migration}\n;\nREPLACE INTO schemas VALUES ('{schema.name}', {version})"
            _run_migration(connection, step)


def _run_migration(connection: sqlite3.Connection, script: str) -> None:
    try:
        connection.executescript(f"BEGIN IMMEDIATE; {script}; COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
