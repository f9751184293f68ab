"""A database that lost everything: beginning anew in its place would look as if nothing had ever been said."""

from pathlib import Path

from memory.atomic import disk_errors
from memory.errors import StoreCorrupt

_TRACES = ("memory/*/history.jsonl", "memory/*/index.db", "memory/*/.git", "sessions/*.jsonl")
"""What only conversations leave behind; a new state directory may hold files that a person wrote."""


def refuse_emptied(database: Path) -> None:
    """Raise StoreCorrupt where the file is there with 0 bytes, beside what was made of its conversations; blocks."""
    with disk_errors(database):
        if not database.is_file() or database.stat().st_size:
            return
        trace = next((path for traces in _TRACES for path in database.parent.glob(traces)), None)
    if trace is not None:
        raise StoreCorrupt(
            f"{database} is empty (0 bytes), but {trace.relative_to(database.parent)} shows that there were "
            "conversations: restore a backup, or move the empty file away to begin anew"
        )
