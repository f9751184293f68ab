"""Files that a crash leaves with the old bytes or the new ones, and that are read only where they are plain files."""

import asyncio
import contextlib
import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from memory.errors import StoreUnavailable

_HALF_WRITTEN = re.compile(r"\.new-[0-9a-f]{16}")
_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISLNK, "a link"),
)
_being_written: set[str] = set()
"""Names that this process has not yet put in their place. They are random, so the name alone tells."""


async def replace_file(path: Path, data: bytes) -> None:
    """Put the data in the file's place, mode 0600; raises StoreUnavailable and leaves the old file as it was.

    A link is refused: what it leads to would keep the old words, and nobody would know.
    """
    await asyncio.to_thread(replace_now, path, data)


async def append_bytes(path: Path, data: bytes) -> None:
    """Append to the file, made with mode 0600 if need be; a link is refused.

    What was written of a failed append is cut off again before StoreUnavailable is raised. After a crash a part of
    the data may be there: whoever reads the file judges its end.
    """
    await asyncio.to_thread(append_now, path, data)


async def append_line(path: Path, line: bytes) -> None:
    """`append_bytes` with the newline that ends the line."""
    await append_bytes(path, line + b"\n")


async def remove_file(path: Path) -> None:
    """Remove the file, if there is one, durably."""
    await asyncio.to_thread(remove_now, path)


async def ensure_dir(path: Path) -> None:
    """Make the folder and the missing ones above it, mode 0700."""
    await asyncio.to_thread(ensure_dir_now, path)


async def sweep(folder: Path) -> None:
    """Remove what crashes left of replacements in the folder and all below it; only its one process may ask for it."""
    await asyncio.to_thread(_sweep, folder)


def is_half_written(path: Path) -> bool:
    """Whether the file is new content on its way to its place, or was when a crash came."""
    return _HALF_WRITTEN.fullmatch(path.name) is not None


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Raise what the file system says as StoreUnavailable, with the path."""
    try:
        yield
    except OSError as error:
        raise StoreUnavailable(f"{path}: {error.strerror or error}") from error


def read_regular(path: Path, *, limit: int = -1) -> bytes | None:
    """The bytes of a plain file, at most `limit` where it is not negative; None where there is none. Blocks.

    Raises StoreUnavailable, which names the path, for anything else: nobody ever writes into a pipe that lies there.
    """
    file = open_regular(path)
    if file is None:
        return None
    with file, disk_errors(path):
        return file.read(limit)


def open_regular(path: Path) -> BinaryIO | None:
    """A plain file, open; see `read_regular`."""
    with disk_errors(path):
        try:
            return open(path, "rb", opener=plain_opener)
        except FileNotFoundError:
            return None


def plain_opener(path: str, flags: int) -> int:
    """The `opener` for `open` that waits for nobody and raises StoreUnavailable for what is no plain file."""
    _require_plain(path, os.stat(path).st_mode)  # noqa: PTH116 - `open` gives text; to open a device can do things
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    try:
        _require_plain(path, os.fstat(descriptor).st_mode)
    except StoreUnavailable:
        os.close(descriptor)
        raise
    return descriptor


def _require_plain(path: object, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise StoreUnavailable(f"{path}: expected a plain file, found {_kind(mode)}")


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise StoreUnavailable(f"{path}: expected a plain file, found a link")


def _kind(mode: int) -> str:
    return next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")


def replace_now(path: Path, data: bytes) -> None:
    """`replace_file`, for a thread that has several things to do; blocks."""
    name = f".new-{secrets.token_hex(8)}"
    _being_written.add(name)
    try:
        with disk_errors(path):
            _refuse_link(path)
            _write_aside(path.with_name(name), data, then=path)
            sync_dir(path.parent)
    finally:
        _being_written.discard(name)


def append_now(path: Path, data: bytes) -> None:
    """`append_bytes`; blocks."""
    with disk_errors(path):
        _refuse_link(path)
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o600)
        try:
            _require_plain(path, os.fstat(descriptor).st_mode)
            before = os.fstat(descriptor).st_size
            try:
                _write_all(descriptor, data)
                os.fsync(descriptor)
            except OSError:
                os.ftruncate(descriptor, before)
                raise
        finally:
            os.close(descriptor)
        if before == 0:
            sync_dir(path.parent)  # the file may be new


def remove_now(path: Path) -> None:
    """`remove_file`; blocks."""
    with disk_errors(path):
        try:
            path.unlink()
        except FileNotFoundError:
            return
        sync_dir(path.parent)


def move_aside(path: Path) -> str:
    """Rename what lies there unless it is a plain file, and say what became of it; "" where nothing had to. Blocks."""
    with disk_errors(path):
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:
            return ""
        if stat.S_ISREG(mode):
            return ""
        aside = path.with_name(f"{path.name}.aside-{secrets.token_hex(4)}")
        path.rename(aside)
        sync_dir(path.parent)
    return f"{path}: expected a plain file, found {_kind(mode)}, which is now {aside.name}"


def _write_aside(new: Path, data: bytes, *, then: Path) -> None:
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        try:
            _write_all(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        new.replace(then)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def _sweep(folder: Path) -> None:
    with disk_errors(folder):
        for root, _, names in os.walk(folder):
            for path in (Path(root, name) for name in names if name not in _being_written):
                if is_half_written(path):
                    path.unlink(missing_ok=True)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def ensure_dir_now(path: Path) -> None:
    """`ensure_dir`; blocks."""
    with disk_errors(path):
        missing = [folder for folder in (path, *path.parents) if not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir(mode=0o700, exist_ok=True)
            sync_dir(folder.parent)


def sync_dir(path: Path) -> None:
    """Make durable that files in this folder were made, renamed or removed; blocks."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
