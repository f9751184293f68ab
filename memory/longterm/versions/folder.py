"""The folder of a git repository: made whole or not at all, put in the place of another one, and unlocked. Blocks."""

import contextlib
import os
import shutil
import stat
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from dulwich.errors import (
    ApplyDeltaError,
    ChecksumMismatch,
    FileFormatException,
    NotGitRepository,
    ObjectMissing,
)
from dulwich.file import FileLocked
from dulwich.repo import Repo

from memory.atomic import disk_errors, sync_dir
from memory.errors import StoreCorrupt, StoreUnavailable

GIT = ".git"
# A whole repository that takes the place of the other: the rename to this name is what makes it whole.
NEXT = ".git.next"
_MAKING = ".git.making-"
_BRANCH = b"main"
# What else lies in the folder is none of git's business: index, archive, cursors.
_EXCLUDE = b"/*\n!/MEMORY.md\n!/USER.md\n!/SOUL.md\n!/skills/\n"
_DAMAGE = (
    NotGitRepository,
    ObjectMissing,
    FileFormatException,
    ChecksumMismatch,
    ApplyDeltaError,
    KeyError,
    ValueError,
    zlib.error,
)


def make(directory: Path) -> None:
    """Make an empty repository, whole or not at all."""
    with workshop(directory) as place:
        repo = Repo.init(str(place), default_branch=_BRANCH)
        try:
            (place / GIT / "info" / "exclude").write_bytes(_EXCLUDE)
        finally:
            repo.close()
        (place / GIT).chmod(0o700)
        (place / GIT).rename(directory / GIT)
    sync_dir(directory)


@contextlib.contextmanager
def workshop(directory: Path) -> Iterator[Path]:
    """A place for a repository in the making; what is left in it at the end goes, as does what a crash left."""
    for left_behind in directory.glob(f"{_MAKING}*"):
        shutil.rmtree(left_behind, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=directory, prefix=_MAKING) as name:
        yield Path(name)


def finish_replacement(directory: Path) -> None:
    """Put the repository named NEXT, if there is one, in the place of the other, whose objects are deleted."""
    if (directory / NEXT / "HEAD").is_file():  # what else has that name replaces no history
        shutil.rmtree(directory / GIT, ignore_errors=True)
        (directory / NEXT).rename(directory / GIT)
        sync_dir(directory)


def refuse_pipes(folder: str | Path) -> None:
    """Raise StoreCorrupt where a pipe or a device lies in the folder, for which dulwich would wait for ever."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                refuse_pipes(entry.path)
            elif not entry.is_file() and _is_endless(entry.path):  # a plain file costs no look of its own
                raise StoreCorrupt(f"{entry.path}: expected a plain file, found a pipe or a device")


def refuse_emptied(git: Path) -> None:
    """Raise StoreCorrupt where a power cut emptied what names the newest change: all before it would seem not to be."""
    for path in (git / "HEAD", git / "refs" / "heads" / _BRANCH.decode()):
        if path.is_file() and not path.stat().st_size:
            raise StoreCorrupt(
                f"{path}: empty; `git fsck --lost-found` in the folder finds the newest change"
            )


def _is_endless(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - text is what a scan gives
    except FileNotFoundError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode)


def remove_stale_locks(directory: Path, *, older_than: float) -> bool:
    """Delete locks that a killed process left, made before `older_than` (seconds since 1970); whether there were any."""
    found = False
    with disk_errors(directory):
        for lock in (directory / GIT).rglob("*.lock"):
            with contextlib.suppress(FileNotFoundError):
                if lock.stat().st_mtime < older_than:
                    lock.unlink()
                    found = True
    return found


@contextlib.contextmanager
def git_errors(directory: Path) -> Iterator[None]:
    """What dulwich and the file system say, as our errors."""
    try:
        with disk_errors(directory / GIT):
            yield
    except FileLocked as error:
        raise StoreUnavailable(f"{directory / GIT}: locked; another program works on it") from error
    except _DAMAGE as error:
        raise StoreCorrupt(f"{directory / GIT}: {error}; `git fsck` there says what is wrong") from error
