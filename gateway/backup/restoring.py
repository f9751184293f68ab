"""Makes a state directory from an archive: unpacked aside, checked whole, and only then put in place."""

import gzip
import hashlib
import os
import shutil
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from gateway.backup.contents import DATABASE, LOCK, STAGING
from gateway.backup.manifest import NAME, ROOT, BackupRefused, FileRecord, Manifest, manifest_from_json
from gateway.service.lock import ProcessLock
from memory.atomic import disk_errors, sync_dir

_BLOCK = 1 << 20
_LARGEST_MANIFEST = 1 << 28


def restore_backup(archive: Path, state: Path) -> Manifest:
    """Fill an absent or empty state directory from an archive; blocks.

    Everything is checked before anything is put in place, so whatever is raised leaves the directory as empty or absent
    as it was: AlreadyRunning while a daemon has it, BackupRefused for an archive that is no whole backup or names a place
    outside, StoreUnavailable where the disk fails.
    """
    with disk_errors(state), _opened(archive) as members:
        absent = [path for path in (state, *state.parents) if not path.exists()]
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        with ProcessLock(state / LOCK), _removed_on_failure(absent):
            staging = _emptied(state)
            try:
                manifest = _unpacked(members, staging)
                _put_in_place(staging, state)
            finally:
                shutil.rmtree(staging, ignore_errors=True)
    return manifest


@contextmanager
def _removed_on_failure(made: Sequence[Path]) -> Iterator[None]:
    """Take the directories that were made for the archive away again, innermost first, when nothing came into them."""
    try:
        yield
    except BaseException:
        for directory in made:
            if {path.name for path in directory.iterdir()} - {LOCK}:
                break
            (directory / LOCK).unlink(missing_ok=True)
            directory.rmdir()
        raise


@contextmanager
def _opened(archive: Path) -> Iterator[tarfile.TarFile]:
    try:
        file = archive.open("rb")
    except OSError as error:
        raise BackupRefused(f"{archive} can't be read: {error.strerror}") from error
    with file:
        try:
            with tarfile.open(fileobj=file, mode="r|gz") as members:
                yield members
        except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError) as error:
            raise BackupRefused(f"{archive} is no backup, or is damaged: {error}") from error


def _emptied(state: Path) -> Path:
    """An empty folder for what is unpacked, in a state directory that holds nothing else."""
    staging = state / STAGING
    found = sorted(path.name for path in state.iterdir() if path.name not in {LOCK, STAGING})
    if found:
        raise BackupRefused(f"{state} is not empty (there is {found[0]}); move it away first")
    if staging.exists():  # of a restore that was interrupted
        shutil.rmtree(staging)
    staging.mkdir(mode=0o700)
    return staging


def _unpacked(archive: tarfile.TarFile, staging: Path) -> Manifest:
    """Unpack everything and check it against the manifest."""
    found: dict[str, FileRecord] = {}
    manifest: Manifest | None = None
    for member in archive:
        if manifest is not None:
            raise BackupRefused(f"the archive goes on after its manifest, with {member.name!r}")
        if member.name == NAME and member.isreg() and member.size <= _LARGEST_MANIFEST:
            manifest = manifest_from_json(_content(archive, member).read())
            continue
        name = _inner_name(member)
        if name in found:
            raise BackupRefused(f"the archive holds {name!r} twice")
        if member.isdir():
            (staging / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        else:
            found[name] = _unpack(_content(archive, member), staging / name)
    if manifest is None:
        raise BackupRefused("the archive has no manifest: it is no backup, or was cut off")
    wrong = sorted(name for name in {*found, *manifest.files} if found.get(name) != manifest.files.get(name))
    if wrong:
        raise BackupRefused(f"{wrong[0]!r} in the archive is not what its manifest says")
    return manifest


def _inner_name(member: tarfile.TarInfo) -> str:
    """The member's path below the state directory; whatever could lie elsewhere is refused."""
    name = member.name.removeprefix(ROOT)
    path = PurePosixPath(name)
    plain = member.isreg() or member.isdir()
    inside = member.name.startswith(ROOT) and bool(path.parts) and not path.is_absolute()
    if not (plain and inside) or ".." in path.parts or "\0" in name or path.parts[0] in {LOCK, STAGING}:
        raise BackupRefused(f"the archive holds {member.name!r}, which no backup does; nothing was restored")
    return path.as_posix()


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    content = archive.extractfile(member)
    if content is None:
        raise BackupRefused(f"the archive holds {member.name!r}, which has no content")
    return content


def _unpack(content: IO[bytes], path: Path) -> FileRecord:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
        while block := content.read(_BLOCK):
            digest.update(block)
            size += len(block)
            file.write(block)
        file.flush()
        os.fsync(descriptor)
    return FileRecord(size=size, sha256=digest.hexdigest())


def _put_in_place(staging: Path, state: Path) -> None:
    """The database last: without it, what an interrupted restore left is seen to be no whole state."""
    for path in sorted(staging.iterdir(), key=lambda path: path.name == DATABASE):
        path.rename(state / path.name)
    sync_dir(state)
