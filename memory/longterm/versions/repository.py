"""One git repository, through dulwich: commits made from given contents, never from what lies in the folder.

The only module that knows dulwich. Everything here blocks.
"""

import contextlib
import shutil
import stat
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

from dulwich.errors import (
    ApplyDeltaError,
    ChecksumMismatch,
    FileFormatException,
    NotGitRepository,
    ObjectMissing,
)
from dulwich.file import FileLocked
from dulwich.index import commit_tree, index_entry_from_stat
from dulwich.objects import Blob, Commit, ObjectID, Tree
from dulwich.refs import Ref
from dulwich.repo import Repo

from memory.atomic import disk_errors, sync_dir
from memory.errors import StoreCorrupt, StoreUnavailable
from memory.longterm.versions.commits import Draft, Snapshot

_GIT = ".git"
# A whole repository that takes the place of the other: the rename to this name is what makes it whole.
_NEXT = ".git.next"
_MAKING = ".git.making-"
_BRANCH = b"main"
_HEAD = Ref(b"HEAD")
_FILE = 0o100644
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


class Repository:
    """`<directory>/.git`, made with its first commit; until then it is empty. Close it, or use it as a context."""

    def __init__(self, directory: Path) -> None:
        with _git_errors(directory):
            _finish_replacement(directory)
            self._open = _opened(directory) if (directory / _GIT).exists() else None
        self._directory = directory

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._open is not None:
            self._open.close()

    @property
    def _repo(self) -> Repo:
        if self._open is None:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            _make(self._directory)
            self._open = _opened(self._directory)
        return self._open

    def head(self) -> str | None:
        """The newest commit's id."""
        if self._open is None:
            return None
        with _git_errors(self._directory):
            try:
                return self._open.refs[_HEAD].decode()
            except KeyError:
                return None

    def commits(self, *, until: str | None = None) -> Iterator[Snapshot]:
        """From the newest back along first parents, up to but without `until`."""
        with _git_errors(self._directory):
            at = self.head()
            while at is not None and at != until:
                commit = self.commit(at)
                yield commit
                at = commit.parent

    def commit(self, commit_id: str) -> Snapshot:
        """One commit by its whole id."""
        with _git_errors(self._directory):
            found = self._repo[commit_id.encode()]
            if not isinstance(found, Commit):
                raise StoreCorrupt(f"{self._directory / _GIT}: {commit_id} is no commit")
            return Snapshot(
                id=commit_id,
                parent=found.parents[0].decode() if found.parents else None,
                author=found.author.decode("utf-8", "replace"),
                message=found.message.decode("utf-8", "replace"),
                at=found.commit_time,
                blobs={path: sha.decode() for path, (_mode, sha) in self._entries(found).items()},
            )

    def content(self, blob: str) -> bytes:
        """The bytes of a file as a commit holds it."""
        with _git_errors(self._directory):
            return bytes(self._repo[blob.encode()].as_raw_string())

    def add(self, draft: Draft) -> str | None:
        """Commit the draft on top of the newest commit, durably; None where it changes nothing."""
        with _git_errors(self._directory):
            head = self.head()
            old_id = ObjectID(head.encode()) if head else None
            old = self._repo[old_id] if old_id else None
            entries = self._entries(old) if isinstance(old, Commit) else {}
            for path, content in draft.files.items():
                if content is None:
                    entries.pop(path, None)
                else:
                    entries[path] = (
                        entries.get(path, (_FILE, None))[0],
                        self._stored(Blob.from_string(content)),
                    )
            tree = commit_tree(
                self._repo.object_store,
                [(_encoded(path), sha, mode) for path, (mode, sha) in entries.items()],
            )
            if tree == (old.tree if isinstance(old, Commit) else Tree().id):
                return None
            commit = _commit(draft, tree=tree, parents=[old_id] if old_id else [])
            self._stored(commit)
            self._sync_objects(commit, entries)
            if not self._repo.refs.set_if_equals(_HEAD, old_id, commit.id):
                raise StoreUnavailable(f"{self._directory / _GIT}: somebody else commits at this moment")
            sync_dir(self._directory / _GIT / "refs" / "heads")
            self._show_in_status(entries)
            return str(commit.id.decode())

    def _entries(self, commit: Commit) -> dict[str, tuple[int, ObjectID]]:
        found = self._repo.object_store.iter_tree_contents(commit.tree)
        return {entry.path.decode("utf-8", "surrogateescape"): (entry.mode, entry.sha) for entry in found}

    def _stored(self, item: Blob | Commit) -> ObjectID:
        self._repo.object_store.add_object(item)
        return item.id

    def _sync_objects(self, commit: Commit, entries: Mapping[str, tuple[int, ObjectID]]) -> None:
        """Make the names of the objects durable, before a reference names them."""
        objects = self._directory / _GIT / "objects"
        ids = {commit.id, *self._trees(commit.tree), *(sha for _mode, sha in entries.values())}
        for folder in {objects / each.decode()[:2] for each in ids}:
            if folder.is_dir():  # it is not where a person's git packed what it held
                sync_dir(folder)
        sync_dir(objects)

    def _trees(self, tree_id: ObjectID) -> Iterator[ObjectID]:
        yield tree_id
        tree = self._repo[tree_id]
        if isinstance(tree, Tree):
            for entry in tree.items():
                if stat.S_ISDIR(entry.mode):
                    yield from self._trees(entry.sha)

    def _show_in_status(self, entries: Mapping[str, tuple[int, ObjectID]]) -> None:
        """Let `git status` of a person say what it would after a commit of theirs; nothing of ours reads the index."""
        with contextlib.suppress(FileLocked, OSError):
            index = self._repo.open_index()
            index.clear()
            for path, (_mode, sha) in entries.items():
                with contextlib.suppress(FileNotFoundError):
                    found = (self._directory / path).lstat()
                    index[_encoded(path)] = index_entry_from_stat(found, sha)
            index.write()


def replace_repository(directory: Path, drafts: Sequence[Draft]) -> None:
    """Put a repository of these commits alone in the place of the one that is there, whose objects are deleted.

    Killed at any moment, the next one who opens it finds the old one whole or the new one.
    """
    with _git_errors(directory):
        with _workshop(directory) as place:
            _make(place)  # also where no draft changes anything
            with Repository(place) as repository:
                for draft in drafts:
                    repository.add(draft)
            (place / _GIT).rename(directory / _NEXT)
        sync_dir(directory)
        _finish_replacement(directory)


def remove_stale_locks(directory: Path, *, older_than: float) -> bool:
    """Delete locks that a killed process left, made before `older_than` (seconds since 1970); whether there were any."""
    found = False
    with disk_errors(directory):
        for lock in (directory / _GIT).rglob("*.lock"):
            with contextlib.suppress(FileNotFoundError):
                if lock.stat().st_mtime < older_than:
                    lock.unlink()
                    found = True
    return found


def _encoded(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _finish_replacement(directory: Path) -> None:
    if (directory / _NEXT).exists():
        shutil.rmtree(directory / _GIT, ignore_errors=True)
        (directory / _NEXT).rename(directory / _GIT)
        sync_dir(directory)


def _opened(directory: Path) -> Repo:
    repo = Repo(str(directory))
    repo.object_store.fsync_object_files = True
    return repo


def _make(directory: Path) -> None:
    """An empty repository, whole or not at all."""
    with _workshop(directory) as place:
        repo = Repo.init(str(place), default_branch=_BRANCH)
        try:
            (place / _GIT / "info" / "exclude").write_bytes(_EXCLUDE)
        finally:
            repo.close()
        (place / _GIT).chmod(0o700)
        (place / _GIT).rename(directory / _GIT)
    sync_dir(directory)


@contextlib.contextmanager
def _workshop(directory: Path) -> Iterator[Path]:
    for left_behind in directory.glob(f"{_MAKING}*"):
        shutil.rmtree(left_behind, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=directory, prefix=_MAKING) as name:
        yield Path(name)


def _commit(draft: Draft, *, tree: ObjectID, parents: list[ObjectID]) -> Commit:
    commit = Commit()
    commit.tree = tree
    commit.parents = parents
    commit.author = commit.committer = draft.author.encode()
    commit.author_time = commit.commit_time = draft.at
    commit.author_timezone = commit.commit_timezone = 0
    commit.encoding = b"UTF-8"
    commit.message = draft.message.encode("utf-8", "replace")
    return commit


@contextlib.contextmanager
def _git_errors(directory: Path) -> Iterator[None]:
    """What dulwich and the file system say, as our errors."""
    try:
        with disk_errors(directory / _GIT):
            yield
    except FileLocked as error:
        raise StoreUnavailable(f"{directory / _GIT}: locked; another program works on it") from error
    except _DAMAGE as error:
        raise StoreCorrupt(f"{directory / _GIT}: {error}; `git fsck` there says what is wrong") from error
