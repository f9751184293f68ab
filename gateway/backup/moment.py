"""One moment of the journal and of all session files, found without stopping anybody."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from gateway.backup.contents import DATABASE, SESSIONS
from memory.database import frozen, refuse_emptied
from memory.errors import StoreUnavailable

_TRIES = 50
"""A look at the files takes milliseconds; where something is written in each, the last look must do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """`copy_database` writes the database of that moment to a new file. `ends` are the session files' lengths then.

    A session that isn't in `ends` began later. A turn that answered in the last look's milliseconds may be ahead of
    the journal, as after a crash.
    """

    copy_database: Callable[[Path], None]
    ends: Mapping[str, tuple[int, int]]

    def end_of(self, path: Path, *, inode: int, now: int) -> int | None:
        """How much of a session file is of that moment; all of one that was rewritten since; None for a later one."""
        known = self.ends.get(path.name)
        if known is None:
            return None
        return min(known[1], now) if known[0] == inode else now


@contextmanager
def moment(state: Path) -> Iterator[Moment]:
    """Hold on to one moment of the state directory; blocks."""
    with ExitStack() as held:
        before = _ends(state)
        copy: Callable[[Path], None] = _nothing
        for _ in range(_TRIES):
            held.close()
            if (state / DATABASE).exists():
                refuse_emptied(state / DATABASE)
                copy = held.enter_context(frozen(state / DATABASE))
            after = _ends(state)
            if after == before:
                break
            before = after
        yield Moment(copy_database=copy, ends=before)


def _ends(state: Path) -> dict[str, tuple[int, int]]:
    found = {}
    for path in (state / SESSIONS).glob("*"):
        try:
            status = path.lstat()
        except FileNotFoundError:
            continue
        found[path.name] = status.st_ino, status.st_size
    return found


def _nothing(target: Path) -> None:
    raise StoreUnavailable(f"{target}: there was no {DATABASE} yet")
