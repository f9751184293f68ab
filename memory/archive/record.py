"""The archive: every consolidation of an audience, one line each in history.jsonl, only ever appended to."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import aiofiles

from memory.archive.entry import LARGEST_CURSOR, Entry, entry_from_dict, entry_to_dict
from memory.atomic import append_line, disk_errors, ensure_dir, replace_file
from memory.audience import audience_directory
from memory.claims.claim import Claim, claim_from_json
from memory.sessions.codec import decode, encode
from memory.sessions.locks import KeyedLocks

_NAME = "history.jsonl"
_CURSOR = ".cursor"
# Where readers of the archive keep how far they are: an entry below that would never be read.
_COUNTERS = (_CURSOR, ".dream_cursor")


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """A line that can't be read; it stays where it is and is skipped."""

    line: int
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    data: bytes
    entry: Entry | None
    problem: str = ""


class History:
    """`<state>/memory/<audience>/history.jsonl`.

    Entries are numbered from 1 on, per audience; a number is never given twice, whatever happened to the file.
    Every method raises ValueError for a text that is no audience and StoreUnavailable when the disk fails.
    """

    def __init__(self, state: Path) -> None:
        self._state = state
        self._locks = KeyedLocks()

    async def append(self, audience: str, entry: Entry) -> int:
        """Keep the entry, durably, and return its cursor; the same claims of the same stretch are kept once."""
        async with self._open(audience) as directory:
            lines = await _read(directory)
            known = next((line.entry for line in lines if line.entry and _is_same(line.entry, entry)), None)
            if known is not None:
                return known.cursor
            cursor = max(_last(lines), await _counter(directory)) + 1
            # The counter first: a line that is torn by a crash has used its number up.
            await replace_file(directory / _CURSOR, f"{cursor}\n".encode())
            data = encode(entry_to_dict(replace(entry, cursor=cursor)))
            torn = bool(lines) and not lines[-1].data.endswith(b"\n")
            await append_line(directory / _NAME, b"\n" + data if torn else data)
            return cursor

    async def entries(self, audience: str, *, after: int = 0, limit: int | None = None) -> tuple[Entry, ...]:
        """The entries with a cursor above `after`, oldest first, at most `limit`."""
        lines = await _read(audience_directory(self._state, audience))
        found = [line.entry for line in lines if line.entry and line.entry.cursor > after]
        return tuple(sorted(found, key=lambda entry: entry.cursor)[:limit])

    async def last_cursor(self, audience: str) -> int:
        """The number that was given last, 0 before the first."""
        directory = audience_directory(self._state, audience)
        return max(_last(await _read(directory)), await _counter(directory))

    async def find(
        self, audience: str, *, session: str, to_seq: int, since: datetime | None = None
    ) -> Entry | None:
        """The newest entry of the session that ends with the message `to_seq`.

        So a crash between the archive and the session's pointer is recognised. `since` leaves out what was archived
        before a session of the same key was deleted and began anew.
        """
        of_session = await self._of_session(audience, session, since)
        return next((entry for entry in reversed(of_session) if entry.to_seq == to_seq), None)

    async def covers(
        self, audience: str, *, session: str, to_seq: int, since: datetime | None = None
    ) -> bool:
        """Whether the message `to_seq` of the session lies within an entry."""
        of_session = await self._of_session(audience, session, since)
        return any(entry.from_seq <= to_seq <= entry.to_seq for entry in of_session)

    async def damage(self, audience: str) -> tuple[Damage, ...]:
        """The lines that are skipped, and why."""
        lines = await _read(audience_directory(self._state, audience))
        return tuple(
            Damage(line=number, problem=line.problem)
            for number, line in enumerate(lines, start=1)
            if line.problem
        )

    async def erase(
        self, audience: str, *, is_erased: Callable[[Claim], bool], is_erased_text: Callable[[str], bool]
    ) -> int:
        """Take the claims for which it is true out of every entry, for `forget`; how many they were.

        A line that can't be read is removed where its text is to be erased. Entries stay, without those claims:
        they tell which messages were consolidated.
        """
        async with self._open(audience) as directory:
            lines = await _read(directory)
            kept = [_without(line, is_erased=is_erased, is_erased_text=is_erased_text) for line in lines]
            if any(removed for _, removed in kept):
                await replace_file(directory / _NAME, b"".join(data for data, _ in kept))
            return sum(removed for _, removed in kept)

    async def _of_session(self, audience: str, session: str, since: datetime | None) -> list[Entry]:
        entries = await self.entries(audience)
        return [entry for entry in entries if entry.session == session and (not since or entry.at >= since)]

    @asynccontextmanager
    async def _open(self, audience: str) -> AsyncIterator[Path]:
        directory = audience_directory(self._state, audience)
        async with self._locks.hold(audience):
            await ensure_dir(directory)
            yield directory


async def _read(directory: Path) -> list[_Line]:
    with disk_errors(directory / _NAME):
        try:
            async with aiofiles.open(directory / _NAME, "rb") as file:
                data = await file.read()
        except FileNotFoundError:
            return []
    return await asyncio.to_thread(_lines, data)


def _lines(data: bytes) -> list[_Line]:
    return [_line(line) for line in data.splitlines(keepends=True)]


def _line(data: bytes) -> _Line:
    if not data.strip():
        return _Line(data=data, entry=None)
    try:
        return _Line(data=data, entry=entry_from_dict(decode(data)))
    except ValueError as error:
        return _Line(data=data, entry=None, problem=str(error) or "no JSON")


def _last(lines: list[_Line]) -> int:
    return max((line.entry.cursor for line in lines if line.entry), default=0)


async def _counter(directory: Path) -> int:
    """The highest number that a counter tells of; what can't be a count tells nothing."""
    return max([await _count(directory / name) for name in _COUNTERS])


async def _count(path: Path) -> int:
    with disk_errors(path):
        try:
            async with aiofiles.open(path, "rb") as file:
                text = (await file.read(64)).strip()
        except FileNotFoundError:
            return 0
    return int(text) if text.isdigit() and int(text) < LARGEST_CURSOR else 0


def _is_same(known: Entry, entry: Entry) -> bool:
    return (known.session, known.from_seq, known.to_seq, [claim.id for claim in known.claims]) == (
        entry.session,
        entry.from_seq,
        entry.to_seq,
        [claim.id for claim in entry.claims],
    )


def _without(
    line: _Line, *, is_erased: Callable[[Claim], bool], is_erased_text: Callable[[str], bool]
) -> tuple[bytes, int]:
    """The line without what is erased, and how much that was."""
    if line.entry is None:
        erased = bool(line.data.strip()) and is_erased_text(line.data.decode("utf-8", "replace"))
        return (b"", 1) if erased else (line.data, 0)
    kept = tuple(claim for claim in line.entry.claims if not is_erased(claim))
    rejected = tuple(
        document
        for document in line.entry.rejected
        if not _rests(document, is_erased=is_erased, is_erased_text=is_erased_text)
    )
    removed = len(line.entry.claims) - len(kept) + len(line.entry.rejected) - len(rejected)
    if not removed:
        return line.data, 0
    return encode(entry_to_dict(replace(line.entry, claims=kept, rejected=rejected))) + b"\n", removed


def _rests(
    document: Mapping[str, Any], *, is_erased: Callable[[Claim], bool], is_erased_text: Callable[[str], bool]
) -> bool:
    """Whether a rejected claim repeats what is erased, under whatever reference: its evidence may be wrong."""
    claim = claim_from_json(document)
    return claim is None or is_erased(claim) or any(is_erased_text(each.quote) for each in claim.evidence)
