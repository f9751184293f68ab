"""One git repository, through dulwich: commits made from given contents, never from what lies in the folder.

It and `folder` alone know dulwich. Everything here blocks.
"""

import contextlib
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Self

from dulwich.file import FileLocked
from dulwich.index import commit_tree, index_entry_from_stat
from dulwich.objects import Blob, Commit, ObjectID, Tree
from dulwich.refs import Ref
from dulwich.repo import Repo

from memory.atomic import ensure_dir_now, sync_dir
from memory.errors import StoreCorrupt, StoreUnavailable
from memory.longterm.versions.folder import (
    GIT,
    NEXT,
    finish_replacement,
    git_errors,
    make,
    refuse_emptied,
    refuse_pipes,
    workshop,
)
from memory.longterm.versions.revision import Change, Revision, revision_of

_ID = re.compile("[0-9a-f]{40}")
_HEAD = Ref(b"HEAD")
_FILE = 0o100644


class Repository:
    """`<directory>/.git`, made with its first commit; until then it is empty. Close it, or use it as a context."""

    def __init__(self, directory: Path) -> None:
        with git_errors(directory):
            finish_replacement(directory)
            self._open = _opened(directory) if (directory / GIT).exists() else None
        self._directory = directory

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._open is not None:
            self._open.close()

    @property
    def _repo(self) -> Repo:
        if self._open is None:
            ensure_dir_now(self._directory)
            make(self._directory)
            self._open = _opened(self._directory)
        return self._open

    def head(self) -> str:
        """The newest revision's id, "" before the first."""
        if self._open is None:
            return ""
        with git_errors(self._directory):
            try:
                return self._open.refs[_HEAD].decode()
            except KeyError:
                return ""

    def revisions(self, *, until: str = "") -> Iterator[Revision]:
        """From the newest back along first parents, up to but without `until`."""
        at = self.head()
        while at not in ("", until):
            made = self.revision(at)
            yield made
            at = made.parent

    def revision(self, revision_id: str) -> Revision:
        """One revision by its whole id."""
        with git_errors(self._directory):
            commit = self._commit(revision_id)
            parent = commit.parents[0].decode() if commit.parents else ""
            before, after = self._difference(self._commit(parent).tree if parent else None, commit.tree)
            return revision_of(
                commit.author.decode("utf-8", "replace"),
                message=commit.message.decode("utf-8", "replace"),
                seconds=commit.commit_time,
                revision_id=revision_id,
                parent=parent,
                before=before,
                after=after,
            )

    def pending(self, revision_id: str) -> Revision | None:
        """One that was prepared on what is the newest still; None where there is no such one."""
        with git_errors(self._directory):
            if self._open is None or not _ID.fullmatch(revision_id):
                return None
            if ObjectID(revision_id.encode()) not in self._open.object_store:
                return None
        found = self.revision(revision_id)
        return found if found.parent == self.head() else None

    def files(self, revision_id: str) -> dict[str, bytes]:
        """All files as a revision holds them; none of "", which is before the first."""
        with git_errors(self._directory):
            entries = self._entries(self._commit(revision_id)) if revision_id else {}
            return {path: self.content(sha.decode()) for path, (_mode, sha) in entries.items()}

    def content(self, blob: str) -> bytes:
        """The bytes of an object that a revision names."""
        with git_errors(self._directory):
            return bytes(self._repo[blob.encode()].as_raw_string())

    def prepare(self, change: Change, *, at: datetime) -> str:
        """Keep the change on top of the newest revision, durably, but not as one of the history yet.

        Returns its id, "" where it changes nothing.
        """
        with git_errors(self._directory):
            head = self.head()
            parent = self._commit(head) if head else None
            entries = self._entries(parent) if parent else {}
            for path, content in change.files.items():
                if content is None:
                    entries.pop(path, None)
                else:
                    mode, _ = entries.get(path, (_FILE, None))
                    entries[path] = mode, self._stored(Blob.from_string(content))
            tree = commit_tree(
                self._repo.object_store,
                [(_encoded(path), sha, mode) for path, (mode, sha) in entries.items()],
            )
            if tree == (parent.tree if parent else Tree().id):
                return ""
            commit = _commit(change, tree=tree, parents=[parent.id] if parent else [], at=at)
            self._stored(commit)
            self._sync_objects(commit, entries)
            return commit.id.decode()

    def conclude(self, revision_id: str) -> None:
        """Make what was prepared the newest revision, durably."""
        with git_errors(self._directory):
            commit = self._commit(revision_id)
            parent = commit.parents[0] if commit.parents else None
            if not self._repo.refs.set_if_equals(_HEAD, parent, commit.id):
                raise StoreUnavailable(f"{self._directory / GIT}: somebody else commits at this moment")
            sync_dir(self._directory / GIT / "refs" / "heads")
            self._show_in_status(self._entries(commit))

    def _commit(self, revision_id: str) -> Commit:
        found = self._repo[revision_id.encode()]
        if not isinstance(found, Commit):
            raise StoreCorrupt(f"{self._directory / GIT}: {revision_id} is no commit")
        return found

    def _difference(self, old: ObjectID | None, new: ObjectID) -> tuple[dict[str, str], dict[str, str]]:
        """The objects of the paths whose bytes differ between two trees: before, and after."""
        found: tuple[dict[str, str], dict[str, str]] = ({}, {})
        for paths, _modes, objects in self._repo.object_store.tree_changes(old, new):
            for side, path, sha in zip(found, paths, objects, strict=True):
                if path is not None and sha is not None and objects[0] != objects[1]:
                    side[path.decode("utf-8", "surrogateescape")] = sha.decode()
        return found

    def _entries(self, commit: Commit) -> dict[str, tuple[int, ObjectID]]:
        found = self._repo.object_store.iter_tree_contents(commit.tree)
        return {entry.path.decode("utf-8", "surrogateescape"): (entry.mode, entry.sha) for entry in found}

    def _stored(self, item: Blob | Commit) -> ObjectID:
        self._repo.object_store.add_object(item)
        return item.id

    def _sync_objects(self, commit: Commit, entries: Mapping[str, tuple[int, ObjectID]]) -> None:
        """Make the names of the objects durable, before a reference names them."""
        objects = self._directory / GIT / "objects"
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


def replace_repository(directory: Path, changes: Sequence[Change], *, at: datetime) -> None:
    """Put a repository of these changes alone in the place of the one that is there, whose objects are deleted.

    Killed at any moment, the next one who opens it finds the old one whole or the new one. Where none is there is
    nothing to delete, and none is made.
    """
    with git_errors(directory):
        if not (directory / GIT).exists():
            return
        with workshop(directory) as place:
            make(place)  # also where no change makes a difference
            with Repository(place) as repository:
                for change in changes:
                    if prepared := repository.prepare(change, at=at):
                        repository.conclude(prepared)
            (place / GIT).rename(directory / NEXT)
        sync_dir(directory)
        finish_replacement(directory)


def _encoded(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _opened(directory: Path) -> Repo:
    if (directory / GIT).is_dir():
        refuse_pipes(directory / GIT)
        refuse_emptied(directory / GIT)
    repo = Repo(str(directory))
    repo.object_store.fsync_object_files = True
    return repo


def _commit(change: Change, *, tree: ObjectID, parents: list[ObjectID], at: datetime) -> Commit:
    commit = Commit()
    commit.tree = tree
    commit.parents = parents
    commit.author = commit.committer = change.author.encode()
    commit.author_time = commit.commit_time = int(at.timestamp())
    commit.author_timezone = commit.commit_timezone = 0
    commit.encoding = b"UTF-8"
    commit.message = change.message.encode("utf-8", "replace")
    return commit
