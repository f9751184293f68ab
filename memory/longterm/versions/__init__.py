"""The history of an audience's long-term files: a git repository each, that a person may read and use with git."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from datetime import UTC, datetime
from difflib import unified_diff
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from memory.audience import audience_directory
from memory.errors import StoreUnavailable
from memory.longterm.refusal import Refused
from memory.longterm.versions.commits import Draft, Snapshot
from memory.longterm.versions.ownership import Ownership
from memory.longterm.versions.revision import Author, Change, Revision, revision
from memory.longterm.versions.undoing import undo

if TYPE_CHECKING:
    from memory.longterm.versions.repository import Repository

__all__ = ["Author", "Change", "Ownership", "Revision", "Versions"]

_T = TypeVar("_T")
# Walking a history again takes a millisecond a change; few audiences change within the same hour.
_OWNERSHIPS_KEPT = 64
_SHORTEST_ID = 4


class Versions:
    """Records, lists, shows and explains the changes; it never touches the files themselves.

    Calls for one audience must not overlap where one of them records: see `Notebook`, which sees to that.
    Every method raises StoreUnavailable when the disk fails and StoreCorrupt when the repository is damaged.
    """

    def __init__(self, state: Path) -> None:
        self._state = state
        self._started = time.time()
        self._ownerships: OrderedDict[str, tuple[str | None, Ownership]] = OrderedDict()

    async def record(self, audience: str, change: Change) -> Revision | None:
        """Commit what the change made different, or None where that is nothing."""
        return await asyncio.to_thread(self._record, audience, change)

    async def head(self, audience: str) -> tuple[str, Mapping[str, bytes]]:
        """The newest revision's id ("" before the first) and the files that it holds."""
        return await asyncio.to_thread(self._use, audience, _head)

    async def log(self, audience: str, *, limit: int = 50) -> tuple[Revision, ...]:
        """The changes, newest first."""
        return await asyncio.to_thread(
            self._use, audience, lambda repo: tuple(islice(_revisions(repo), limit))
        )

    async def find(self, audience: str, name: str) -> Revision | Refused:
        """The change whose id begins with `name`."""
        return await asyncio.to_thread(self._use, audience, lambda repo: _find(repo, name))

    async def diff(self, audience: str, name: str) -> str | Refused:
        """What a change did, as a unified diff."""
        return await asyncio.to_thread(self._use, audience, lambda repo: _diff(repo, name))

    async def undone(
        self, audience: str, name: str, *, now: Mapping[str, bytes]
    ) -> tuple[Revision, Mapping[str, bytes | None]] | Refused:
        """What the files `now` would be without one change; refused where later changes touch the same lines."""
        return await asyncio.to_thread(self._use, audience, lambda repo: _undone(repo, name, now))

    async def ownership(self, audience: str) -> Ownership:
        """Whose the lines are, as of the newest change."""
        return await asyncio.to_thread(self._use, audience, lambda repo: self._ownership(audience, repo))

    async def replace_all(self, audience: str, changes: Iterable[Change]) -> None:
        """Begin the history anew with these changes; whatever it held before is deleted from the disk."""
        at = datetime.now(UTC)
        drafts = [change.draft(at) for change in changes]
        await asyncio.to_thread(self._replace_all, audience, drafts)

    # In a thread.

    def _use(self, audience: str, work: Callable[["Repository"], _T]) -> _T:
        from memory.longterm.versions.repository import (  # noqa: PLC0415 - takes half a second, when it is needed
            Repository,
            remove_stale_locks,
        )

        directory = audience_directory(self._state, audience)
        try:
            with Repository(directory) as repo:
                return work(repo)
        except StoreUnavailable:
            # One process works here (see the state directory's lock), so older locks are of one that was killed.
            if not remove_stale_locks(directory, older_than=self._started):
                raise
            with Repository(directory) as repo:
                return work(repo)

    def _record(self, audience: str, change: Change) -> Revision | None:
        def add(repo: "Repository") -> Revision | None:
            made = repo.add(change.draft(datetime.now(UTC)))
            return _revision(repo, made) if made else None

        return self._use(audience, add)

    def _replace_all(self, audience: str, drafts: list[Draft]) -> None:
        from memory.longterm.versions.repository import replace_repository  # noqa: PLC0415 - as above

        replace_repository(audience_directory(self._state, audience), drafts)
        self._ownerships.pop(audience, None)

    def _ownership(self, audience: str, repo: "Repository") -> Ownership:
        known, ownership = self._ownerships.pop(audience, (None, Ownership()))
        news = list(repo.commits(until=known))
        if known is not None and news and news[-1].parent != known:
            ownership, news = Ownership(), list(repo.commits())  # somebody rewrote the history
        parent = repo.commit(news[-1].parent) if news and news[-1].parent else None
        for snapshot in reversed(news):
            _follow(ownership, repo, snapshot, parent=parent)
            parent = snapshot
        self._ownerships[audience] = (news[0].id if news else known, ownership)
        if len(self._ownerships) > _OWNERSHIPS_KEPT:
            self._ownerships.popitem(last=False)
        return deepcopy(ownership)


def _follow(ownership: Ownership, repo: "Repository", snapshot: Snapshot, *, parent: Snapshot | None) -> None:
    made = revision(snapshot, parent=parent)
    before = parent.blobs if parent else {}
    ownership.follow(
        by_hand=made.by_hand,
        before={path: before[path] for path in made.files if path in before},
        after={path: snapshot.blobs[path] for path in made.files if path in snapshot.blobs},
        content=repo.content,
    )
    ownership.declined.update(made.declined)
    ownership.cursor = max(ownership.cursor, made.cursor)


def _head(repo: "Repository") -> tuple[str, Mapping[str, bytes]]:
    head = repo.head()
    if head is None:
        return "", {}
    return head, {path: repo.content(blob) for path, blob in repo.commit(head).blobs.items()}


def _revision(repo: "Repository", commit_id: str) -> Revision:
    snapshot = repo.commit(commit_id)
    return revision(snapshot, parent=repo.commit(snapshot.parent) if snapshot.parent else None)


def _revisions(repo: "Repository") -> Iterable[Revision]:
    return (_revision(repo, snapshot.id) for snapshot in repo.commits())


def _find(repo: "Repository", name: str) -> Revision | Refused:
    wanted = name.strip().lower()
    if len(wanted) < _SHORTEST_ID:
        return Refused(
            f"{name!r} is too short for a change; give at least {_SHORTEST_ID} characters of its id"
        )
    found = [snapshot.id for snapshot in repo.commits() if snapshot.id.startswith(wanted)]
    if len(found) != 1:
        return Refused(f"{name!r} is {'no change' if not found else 'more than one change'} of these files")
    return _revision(repo, found[0])


def _diff(repo: "Repository", name: str) -> str | Refused:
    made = _find(repo, name)
    if isinstance(made, Refused):
        return made
    parts = (_texts(repo, made, path) for path in made.files)
    return "\n".join(
        line
        for path, (before, after) in zip(made.files, parts, strict=True)
        for line in unified_diff(
            before.decode("utf-8", "replace").splitlines(),
            after.decode("utf-8", "replace").splitlines(),
            f"a/{path}",
            f"b/{path}",
            lineterm="",
        )
    )


def _undone(
    repo: "Repository", name: str, now: Mapping[str, bytes]
) -> tuple[Revision, Mapping[str, bytes | None]] | Refused:
    made = _find(repo, name)
    if isinstance(made, Refused):
        return made
    files: dict[str, bytes | None] = {}
    for path in made.files:
        before, after = _texts(repo, made, path)
        undone = undo(before=before, after=after, now=now.get(path, b""))
        if undone is None:
            return Refused(
                f"{path} was changed again in the same place since {made.id[:8]}; undo the later change first, "
                f"or edit {path} by hand"
            )
        files[path] = undone or None
    return made, files


def _texts(repo: "Repository", made: Revision, path: str) -> tuple[bytes, bytes]:
    """The file before and after a change; empty where it was not there."""
    after = repo.commit(made.id)
    before = repo.commit(after.parent).blobs if after.parent else {}
    old, new = (repo.content(blobs[path]) if path in blobs else b"" for blobs in (before, after.blobs))
    return old, new
