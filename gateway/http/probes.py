"""Round trips to what is kept: something is written durably and read back."""

import time
from pathlib import Path
from sqlite3 import Connection

from gateway.http.health import Probe
from memory.atomic import replace_file
from memory.database import Database
from memory.errors import StoreUnavailable


def database_probe(database: Database) -> Probe:
    """Through the writer's thread and one of the readers, into a table that nobody else uses."""

    async def probe() -> None:
        mark = time.time_ns()

        def write(connection: Connection) -> None:
            connection.execute("CREATE TABLE IF NOT EXISTS probe (id INTEGER PRIMARY KEY, mark INTEGER)")
            connection.execute("REPLACE INTO probe VALUES (1, ?)", (mark,))

        await database.write(write)
        (found,) = await database.read(
            lambda connection: connection.execute("SELECT mark FROM probe").fetchone()
        )
        if found < mark:
            raise StoreUnavailable(f"{database.path}: what was written is not read back")

    return probe


def directory_probe(directory: Path) -> Probe:
    """A file beside those of the store."""
    path = directory / ".probe"

    async def probe() -> None:
        await replace_file(path, str(time.time_ns()).encode())

    return probe
