"""The history of an audience's long-term files: a git repository each, that a person may read and use with git."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from datetime import UTC, datetime
from difflib import unified_diff
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from memory.audience import audience_directory
from memory.errors import StoreUnavailable
from memory.longterm.refusal import Refused
from memory.longterm.versions.ownership import Ownership
from memory.longterm.versions.revision import Author, Change, Revision
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
        self._ownerships: OrderedDict[str, tuple[str, Ownership]] = OrderedDict()

    async def record(self, audience: str, change: Change) -> None:
        """Commit what the change made different, if anything."""
        made = await self.prepare(audience, change)
        if made is not None:
            await self.conclude(audience, made)

    async def prepare(self, audience: str, change: Change) -> Revision | None:
        """The commit that the change will be, kept but in no history before `conclude`; None where it changes nothing."""

        def prepared(repo: "Repository") -> Revision | None:
            made = repo.prepare(change, at=datetime.now(UTC))
            return repo.revision(made) if made else None

        return await self._use(audience, prepared)

    async def pending(self, audience: str, revision_id: str) -> Revision | None:
        """What was prepared under this id, if it can be concluded still."""
        return await self._use(audience, lambda repo: repo.pending(revision_id))

    async def conclude(self, audience: str, prepared: Revision) -> None:
        """Make what was prepared the newest change."""
        await self._use(audience, lambda repo: repo.conclude(prepared.id))

    async def newest(self, audience: str) -> Mapping[str, bytes]:
        """The files as the newest change left them."""
        return await self._use(audience, lambda repo: repo.files(repo.head()))

    async def sides(self, audience: str, made: Revision) -> tuple[Mapping[str, bytes], Mapping[str, bytes]]:
        """The files that a change touched, before it and after it."""
        return await self._use(audience, lambda repo: _sides(repo, made))

    async def log(self, audience: str, *, limit: int = 50) -> tuple[Revision, ...]:
        """The changes, newest first."""
        return await self._use(audience, lambda repo: tuple(islice(repo.revisions(), limit)))

    async def find(self, audience: str, name: str) -> Revision | Refused:
        """The change whose id begins with `name`."""
        return await self._use(audience, lambda repo: _find(repo, name))

    async def diff(self, audience: str, name: str) -> str | Refused:
        """What a change did, as a unified diff."""
        return await self._use(audience, lambda repo: _diff(repo, name))

    async def undone(
        self, audience: str, name: str, *, now: Mapping[str, bytes]
    ) -> tuple[Revision, Mapping[str, bytes | None]] | Refused:
        """What the files `now` would be without one change; refused where later changes touch the same lines."""
        return await self._use(audience, lambda repo: _undone(repo, name, now=now))

    async def ownership(self, audience: str) -> Ownership:
        """Whose the lines are, as of the newest change."""
        return await self._use(audience, lambda repo: self._ownership(audience, repo))

    async def replace_all(self, audience: str, changes: Sequence[Change]) -> None:
        """Begin the history anew with these changes; whatever it held before is deleted from the disk."""
        await asyncio.to_thread(self._replace_all, audience, changes)

    async def _use(self, audience: str, work: Callable[["Repository"], _T]) -> _T:
        return await asyncio.to_thread(self._used, audience, work)

    # In a thread.

    def _used(self, audience: str, work: Callable[["Repository"], _T]) -> _T:
        # Half a second for the library, when it is needed.
        from memory.longterm.versions.folder import remove_stale_locks  # noqa: PLC0415 - as said
        from memory.longterm.versions.repository import Repository  # noqa: PLC0415 - as said

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

    def _replace_all(self, audience: str, changes: Sequence[Change]) -> None:
        from memory.longterm.versions.repository import replace_repository  # noqa: PLC0415 - as above

        replace_repository(audience_directory(self._state, audience), changes, at=datetime.now(UTC))
        self._ownerships.pop(audience, None)

    def _ownership(self, audience: str, repo: "Repository") -> Ownership:
        known, ownership = self._ownerships.pop(audience, ("", Ownership()))
        news = list(repo.revisions(until=known))
        if known and news and news[-1].parent != known:
            ownership = Ownership()  # somebody rewrote the history: all of it is new
        for made in reversed(news):
            ownership.follow(made, content=repo.content)
        self._ownerships[audience] = (news[0].id if news else known, ownership)
        if len(self._ownerships) > _OWNERSHIPS_KEPT:
            self._ownerships.popitem(last=False)
        return deepcopy(ownership)


def _find(repo: "Repository", name: str) -> Revision | Refused:
    wanted = name.strip().lower()
    if len(wanted) < _SHORTEST_ID:
        return Refused(
            f"{name!r} is too short for a change; give at least {_SHORTEST_ID} characters of its id"
        )
    found = [made for made in repo.revisions() if made.id.startswith(wanted)]
    if len(found) != 1:
        return Refused(f"{name!r} is {'no change' if not found else 'more than one change'} of these files")
    return found[0]


def _sides(repo: "Repository", made: Revision) -> tuple[dict[str, bytes], dict[str, bytes]]:
    before, after = (
        {path: repo.content(blob) for path, blob in side.items()} for side in (made.before, made.after)
    )
    return before, after


def _diff(repo: "Repository", name: str) -> str | Refused:
    made = _find(repo, name)
    if isinstance(made, Refused):
        return made
    before, after = _sides(repo, made)
    return "\n".join(
        line
        for path in made.files
        for line in unified_diff(
            before.get(path, b"").decode("utf-8", "replace").splitlines(),
            after.get(path, b"").decode("utf-8", "replace").splitlines(),
            f"a/{path}",
            f"b/{path}",
            lineterm="",
        )
    )


def _undone(
    repo: "Repository", name: str, *, now: Mapping[str, bytes]
) -> tuple[Revision, Mapping[str, bytes | None]] | Refused:
    made = _find(repo, name)
    if isinstance(made, Refused):
        return made
    before, after = _sides(repo, made)
    files: dict[str, bytes | None] = {}
    for path in made.files:
        undone = undo(before=before.get(path, b""), after=after.get(path, b""), now=now.get(path, b""))
        if undone is None:
            return Refused(
                f"{path} was changed again in the same place since {made.id[:8]}; undo the later change first, "
                f"or edit {path} by hand"
            )
        files[path] = undone or None
    return made, files
