"""Writes the archive: one pass over the state directory, hashes on the way, the manifest last."""

import hashlib
import io
import os
import shutil
import stat
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from gateway import __version__
from gateway.backup.contents import DATABASE, SESSIONS, Piece, pieces
from gateway.backup.manifest import NAME, ROOT, BackupRefused, FileRecord, Manifest, manifest_to_json
from gateway.backup.moment import Moment, moment
from memory.atomic import disk_errors, sync_dir

_BLOCK = 1 << 16
_LEVEL = 6
"""Of gzip: 9 takes three times as long for a hundredth less."""
_ASIDE = ".mneme-backup-"
_ABANDONED_SECONDS = 86_400
"""No backup takes a day: what has lain aside for longer is of one that died."""


def write_backup(state: Path, target: Path) -> Manifest:
    """Write an archive of the state directory to a new file (mode 0600), durable when this returns; blocks.

    A daemon may run meanwhile. Raises BackupRefused, and StoreError where the disk or the database fails. The file
    has its name only when it is whole: what dies meanwhile can be done again, and what it leaves beside the target is
    removed by a backup on a later day.
    """
    if not state.is_dir() or not any(state.iterdir()):
        raise BackupRefused(f"{state} holds nothing to back up")
    if target.resolve().is_relative_to(state.resolve()):
        raise BackupRefused(f"{target} is inside of {state}; put the archive elsewhere")
    with disk_errors(target), _folder_aside(target.parent) as aside:
        _refuse_over(target)
        part = aside / "archive"
        with (
            _durable(part) as file,
            tarfile.open(fileobj=file, mode="w:gz", compresslevel=_LEVEL) as archive,
            moment(state) as cut,
        ):
            manifest = _write(archive, state, aside=aside, cut=cut)
        _refuse_over(target)
        part.rename(target)
        sync_dir(target.parent)
    return manifest


@contextmanager
def _folder_aside(folder: Path) -> Iterator[Path]:
    """A folder beside the target, which is gone afterwards, as are those of backups that died."""
    for left in folder.glob(f"{_ASIDE}*"):
        if _is_abandoned(left):
            shutil.rmtree(
                left, ignore_errors=True
            )  # another backup may do so too; what stays goes with the next
    with tempfile.TemporaryDirectory(dir=folder, prefix=_ASIDE) as aside:
        yield Path(aside)


def _is_abandoned(left: Path) -> bool:
    try:
        found = left.lstat()
    except FileNotFoundError:  # that backup has just ended
        return False
    is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
    return is_ours and found.st_mtime < time.time() - _ABANDONED_SECONDS


def _refuse_over(target: Path) -> None:
    """Not by a hard link, which would be safe against whoever writes there now: many a disk for backups has none."""
    if os.path.lexists(target):
        raise BackupRefused(f"{target} is there already and is not written over")


@contextmanager
def _durable(path: Path) -> Iterator[BinaryIO]:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
        yield file
        file.flush()
        os.fsync(descriptor)


def _write(archive: tarfile.TarFile, state: Path, *, aside: Path, cut: Moment) -> Manifest:
    files: dict[str, FileRecord] = {}
    left_out: list[str] = []
    for piece in pieces(state):
        if piece.problem:
            left_out.append(piece.name)
        elif piece.is_folder:
            archive.addfile(_member(piece, size=0))
        elif record := _add(archive, piece, aside=aside, cut=cut):
            files[piece.name] = record
    manifest = Manifest(
        version=__version__, created_at=datetime.now(UTC), files=files, left_out=tuple(left_out)
    )
    data = manifest_to_json(manifest)
    described = tarfile.TarInfo(NAME)
    described.size, described.mode = len(data), 0o600
    archive.addfile(described, io.BytesIO(data))
    return manifest


def _add(archive: tarfile.TarFile, piece: Piece, *, aside: Path, cut: Moment) -> FileRecord | None:
    """Put one file in; None where it is gone meanwhile, or came only then."""
    path = piece.path
    if piece.name == DATABASE:
        path = aside / DATABASE
        cut.copy_database(path)
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return None
    with file:
        status = os.fstat(file.fileno())
        end: int | None = status.st_size
        if piece.name.startswith(f"{SESSIONS}/"):
            end = cut.end_of(path, inode=status.st_ino, now=status.st_size)
        if end is None:
            return None
        size = _whole(file, end) if path.suffix == ".jsonl" else end
        reader = _Hashing(file)
        archive.addfile(_member(piece, size=size), reader)
    return FileRecord(size=size, sha256=reader.digest.hexdigest())


def _member(piece: Piece, *, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(ROOT + piece.name)
    member.type = tarfile.DIRTYPE if piece.is_folder else tarfile.REGTYPE
    member.mode = 0o700 if piece.is_folder else 0o600
    member.size = size
    member.mtime = int(piece.path.lstat().st_mtime) if piece.path.exists() else 0
    return member


def _whole(file: BinaryIO, end: int) -> int:
    """Where the last line before `end` ends that has ended; the file is at its beginning again."""
    size = end
    while end:
        start = max(0, end - _BLOCK)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            size = start + found + 1
            break
        end = start
    file.seek(0)
    return size


class _Hashing(io.RawIOBase):
    """Reads a file and hashes what is read."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self.digest = hashlib.sha256()
        self._file = file

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        data = self._file.read(size)
        self.digest.update(data)
        return data
