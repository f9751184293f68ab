"""An audience's long-term files as they change: one change at a time, whole after a crash, in git when it returns."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from memory.atomic import read_regular, remove_file, replace_file
from memory.audience import audience_directory
from memory.crashpoints import CrashPoint, reach
from memory.errors import StoreUnavailable
from memory.longterm.lines import fingerprint
from memory.longterm.pages import NO_PAGE, Page, is_page, read_pages, write_pages
from memory.longterm.refusal import Refused
from memory.longterm.versions import Author, Change, Ownership, Revision, Versions
from memory.sessions.locks import KeyedLocks

# An editor that saves again and again within milliseconds is a loop, not a person.
_TRIES = 5
# Names the change that is under way: a commit that no history has yet.
_PENDING = ".pending"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What a decision about a change rests on: the files as they stand, and whose their lines are."""

    pages: Mapping[str, Page]
    ownership: Ownership


Decide = Callable[[Contents], Change | None]


class Notebook:
    """The way to change long-term files. What a person wrote meanwhile is committed first, as theirs.

    Every method raises ValueError for a text that is no audience, StoreUnavailable when the disk fails and
    StoreCorrupt when the repository is damaged.
    """

    def __init__(self, state: Path) -> None:
        self.versions = Versions(state)
        self._state = state
        self._locks = KeyedLocks()

    async def read(self, audience: str) -> Contents:
        """The files now, after finishing what a crash left unfinished and committing what a person edited."""
        async with self._open(audience):
            return await self._contents(audience)

    async def change(self, audience: str, *, decide: Decide) -> Revision | None:
        """Make the change that `decide` wants of the files as they stand then; None where nothing is different.

        `decide` is quick and may be called again, when a person saves a file at the same moment.
        """
        async with self._open(audience):
            for _ in range(_TRIES):
                contents = await self._contents(audience)
                change = decide(contents)
                if change is None:
                    return None
                if await self._pages(audience) == contents.pages:
                    return await self._make(audience, change=change, pages=contents.pages)
        raise StoreUnavailable(f"{self._directory(audience)}: the files keep changing under our hands")

    async def restore(self, audience: str, name: str) -> Revision | Refused:
        """Undo one change by a new one, which counts as a person's: what it takes out is not written again (P12).

        Later edits stay. Refused where they touch the same lines, and where there is nothing to undo.
        """
        async with self._open(audience):
            contents = await self._contents(audience)
            now = {path: page.data for path, page in contents.pages.items()}
            undone = await self.versions.undone(audience, name, now=now)
            if isinstance(undone, Refused):
                return undone
            revision, files = undone
            for path in files:
                problem = contents.pages.get(path, NO_PAGE).problem
                if problem or not is_page(path):
                    return Refused(f"{path} {problem or 'is no file of long-term memory'}")
            change = Change(
                files=files,
                title=f"Undo {revision.id[:8]}: {revision.title}",
                author=Author.PERSON,
                restores=revision.id,
            )
            made = await self._make(audience, change=change, pages=contents.pages)
            return made or Refused(f"{revision.id[:8]} has nothing left to undo")

    async def erase(self, audience: str, *, is_erased: Callable[[str], bool]) -> int:
        """Remove the lines for which it is true from the files, and the whole history before it from the disk.

        For `forget` (P9): no object of the old repository stays. Whose each line is, what was declined and how far
        Dream has read is carried over. Returns how many lines were removed.
        """
        async with self._open(audience):
            contents = await self._contents(audience)
            removed = 0
            files: dict[str, bytes | None] = {}
            for path, page in contents.pages.items():
                kept, gone = _parted(page.data, is_erased=is_erased)
                if gone and not page.problem:
                    removed += len(gone)
                    files[path] = b"".join(kept)
            await write_pages(self._directory(audience), files)
            pages = {path: page.data for path, page in contents.pages.items() if not page.problem}
            pages |= {path: data for path, data in files.items() if data is not None}
            await self.versions.replace_all(audience, _beginning(pages, ownership=contents.ownership))
            return removed

    @asynccontextmanager
    async def _open(self, audience: str) -> AsyncIterator[None]:
        async with self._locks.hold(audience):
            await self._settle(audience)
            yield

    def _directory(self, audience: str) -> Path:
        return audience_directory(self._state, audience)

    async def _pages(self, audience: str) -> dict[str, Page]:
        return await asyncio.to_thread(read_pages, self._directory(audience))

    async def _contents(self, audience: str) -> Contents:
        pages = await self._pages(audience)
        await self._by_hand(audience, pages=pages)
        return Contents(pages=pages, ownership=await self.versions.ownership(audience))

    async def _by_hand(self, audience: str, *, pages: Mapping[str, Page]) -> None:
        committed = await self.versions.newest(audience)
        known = {path: page.data for path, page in pages.items() if page.data or not page.problem}
        files: dict[str, bytes | None] = {path: d for path, d in known.items() if d != committed.get(path)}
        files |= {path: None for path in committed if is_page(path) and path not in pages}
        if files:
            change = Change(files=files, title="Edited by hand", author=Author.PERSON)
            await self.versions.record(audience, change)

    async def _make(self, audience: str, *, change: Change, pages: Mapping[str, Page]) -> Revision | None:
        """Prepare the commit and note which it is; then the files, then the history: see `_settle` for a crash."""
        different = {
            path: data
            for path, data in change.files.items()
            if pages.get(path, NO_PAGE).data != (data or b"")
        }
        made = await self.versions.prepare(audience, replace(change, files=different)) if different else None
        if made is not None:
            await replace_file(self._directory(audience) / _PENDING, f"{made.id}\n".encode())
            await self._carry_out(audience, made=made)
        return made

    async def _settle(self, audience: str) -> None:
        """Finish the change at which a process was killed. What a person wrote since stays, as a later change."""
        noted = await asyncio.to_thread(_noted, self._directory(audience) / _PENDING)
        if noted is None:
            return
        made = await self.versions.pending(audience, noted)
        if made is not None:
            await self._carry_out(audience, made=made)
        else:
            await remove_file(self._directory(audience) / _PENDING)

    async def _carry_out(self, audience: str, *, made: Revision) -> None:
        before, after = await self.versions.sides(audience, made)
        pages = await self._pages(audience)
        now = {path: page.data for path, page in pages.items()}
        untouched = {
            path: after.get(path)
            for path in made.files
            if is_page(path) and not pages.get(path, NO_PAGE).problem and now.get(path) == before.get(path)
        }
        await write_pages(self._directory(audience), untouched)
        reach(CrashPoint.DREAM_WRITE_AFTER)
        await self.versions.conclude(audience, made)
        reach(CrashPoint.DREAM_COMMIT_AFTER)
        await remove_file(self._directory(audience) / _PENDING)


def _noted(place: Path) -> str | None:
    """The id of the change that is under way; None where none is."""
    data = read_regular(place)
    return None if data is None else data.decode("ascii", "replace").strip()


def _parted(data: bytes, *, is_erased: Callable[[str], bool]) -> tuple[list[bytes], list[bytes]]:
    """The lines that stay and those that go; with a line of a skill goes the description that repeats it."""
    lines = data.splitlines(keepends=True)
    told = [line.decode("utf-8", "replace").rstrip() for line in lines]
    repeated = {f"description {fingerprint(line)}" for line in told if is_erased(line)}
    gone = [is_erased(line) or fingerprint(line) in repeated for line in told]
    return (
        [line for line, is_gone in zip(lines, gone, strict=True) if not is_gone],
        [line for line, is_gone in zip(lines, gone, strict=True) if is_gone],
    )


def _beginning(pages: Mapping[str, bytes], *, ownership: Ownership) -> tuple[Change, Change]:
    """A history in two changes that tells whose each line is: the lines of a person, then ours among them."""
    theirs: dict[str, bytes | None] = {}
    for path, data in pages.items():
        by_hand = ownership.person_lines(path, data)
        theirs[path] = b"".join(
            line
            for line in data.splitlines(keepends=True)
            if not (said := line.decode("utf-8", "surrogateescape").rstrip()) or said in by_hand
        )
    return (
        Change(
            files=theirs,
            title="What was written by hand",
            author=Author.PERSON,
            declined=sorted(ownership.declined),
        ),
        Change(files=dict(pages), title="What was remembered", cursor=ownership.cursor),
    )
