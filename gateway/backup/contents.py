"""What of the state directory goes into an archive, in the order in which it may be copied while it changes.

What is restored must be a state in which a crash could have left the directory, since every start repairs those. The
journal and the sessions are therefore cut at one moment (`gateway.backup.moment`). What comes after it may be newer:
the archive of consolidations than the sessions' pointers, the objects of a git directory than the names that point to
them, and the files that people edit than what is committed.
"""

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memory.atomic import is_half_written

DATABASE = "mneme.db"
LOCK = "lock"
STAGING = ".restore"
SESSIONS = "sessions"

_ORDER = (SESSIONS, DATABASE, "memory")
"""Sessions first, so that few of them are rewritten before they are copied."""
_NOT_KEPT = frozenset({LOCK, "control.sock", "log", ".probe", STAGING, f"{DATABASE}-wal", f"{DATABASE}-shm"})
_INDEX = frozenset({"index.db", "index.db-wal", "index.db-shm"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One file or folder; `name` is its path below the state directory. `problem` says why it is left out."""

    name: str
    path: Path
    is_folder: bool = False
    problem: str = ""


def pieces(state: Path) -> Iterator[Piece]:
    """Everything that is kept, in order; each folder is looked into when its turn comes. Blocks."""
    names = {path.name for path in state.iterdir()} - _NOT_KEPT
    first = [name for name in _ORDER if name in names]
    for name in [*first, *sorted(names.difference(first))]:
        yield from _under(state, Path(name))


def _under(state: Path, name: Path) -> Iterator[Piece]:
    path = state / name
    if is_half_written(path) or (name.parts[0] == "memory" and path.name in _INDEX):
        return
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        yield Piece(name=name.as_posix(), path=path, is_folder=True)
        for child in sorted(path.iterdir(), key=_place):
            yield from _under(state, name / child.name)
    elif stat.S_ISREG(mode):
        yield Piece(name=name.as_posix(), path=path)
    else:
        yield Piece(name=name.as_posix(), path=path, problem="is no plain file")


def _place(path: Path) -> tuple[bool, str]:
    """Cursors and `.git` before what people edit; in a git directory the objects last."""
    is_late = path.name == "objects" if path.parent.name == ".git" else not path.name.startswith(".")
    return is_late, path.name
