"""The archive: every consolidation of an audience, one line each in history.jsonl, only ever appended to."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memory.archive.entry import Entry, entry_from_dict, entry_to_dict
from memory.atomic import append_now, disk_errors, ensure_dir_now, read_regular, replace_file, replace_now
from memory.audience import audience_directory
from memory.claims.claim import Claim, claim_from_json
from memory.sessions.codec import LARGEST_COUNT, decode, encode
from memory.sessions.locks import KeyedLocks

_NAME = "history.jsonl"
_CURSOR = ".cursor"
# Where readers of the archive keep how far they are: an entry below that would never be read.
_COUNTERS = (_CURSOR, ".dream_cursor")


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """A line that can't be read, counted from 1; it stays where it is and is skipped."""

    line: int
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    data: bytes
    entry: Entry | None
    problem: str = ""


@dataclass(slots=True, kw_only=True)
class _Kept:
    """What a file holds, as far as appending has to know."""

    stamp: tuple[int, int, int]
    last: int
    cursors: dict[tuple[object, ...], int]
    is_torn: bool


class History:
    """`<state>/memory/<audience>/history.jsonl`.

    Entries are numbered from 1 on, per audience; a number is never given twice, whatever happened to the file.
    Every method raises ValueError for a text that is no audience and StoreUnavailable when the disk fails.
    """

    def __init__(self, state: Path) -> None:
        self._state = state
        self._locks = KeyedLocks()
        self._kept: dict[Path, _Kept] = {}

    async def append(self, audience: str, entry: Entry) -> int:
        """Keep the entry, durably, and return its cursor; the same claims of the same stretch are kept once."""
        directory = audience_directory(self._state, audience)
        async with self._locks.hold(audience):
            return await asyncio.to_thread(self._append, directory, entry)

    async def entries(self, audience: str, *, after: int = 0, limit: int | None = None) -> tuple[Entry, ...]:
        """The entries with a cursor above `after`, oldest first, at most `limit`."""
        lines = await _read(audience_directory(self._state, audience))
        found = [line.entry for line in lines if line.entry and line.entry.cursor > after]
        return tuple(sorted(found, key=lambda entry: entry.cursor)[:limit])

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
        directory = audience_directory(self._state, audience)
        async with self._locks.hold(audience):
            lines = await _read(directory)
            kept = [_without(line, is_erased=is_erased, is_erased_text=is_erased_text) for line in lines]
            if any(removed for _, removed in kept):
                await replace_file(directory / _NAME, b"".join(data for data, _ in kept))
            return sum(removed for _, removed in kept)

    def _append(self, directory: Path, entry: Entry) -> int:
        ensure_dir_now(directory)
        kept = self._kept_in(directory)
        known = kept.cursors.get(_identity(entry))
        if known is not None:
            return known
        cursor = max(kept.last, _counter(directory)) + 1
        # The counter first: a line that is torn by a crash has used its number up.
        replace_now(directory / _CURSOR, f"{cursor}\n".encode())
        data = encode(entry_to_dict(replace(entry, cursor=cursor))) + b"\n"
        append_now(directory / _NAME, b"\n" + data if kept.is_torn else data)
        kept.cursors[_identity(entry)] = kept.last = cursor
        kept.is_torn, kept.stamp = False, _stamp(directory / _NAME)
        return cursor

    def _kept_in(self, directory: Path) -> _Kept:
        """What the file holds, read anew only where somebody else has written it."""
        stamp = _stamp(directory / _NAME)
        kept = self._kept.get(directory)
        if kept is None or kept.stamp != stamp:
            lines = _read_now(directory)
            kept = self._kept[directory] = _Kept(
                stamp=stamp,
                last=_last(lines),
                cursors={_identity(line.entry): line.entry.cursor for line in reversed(lines) if line.entry},
                is_torn=bool(lines) and not lines[-1].data.endswith(b"\n"),
            )
        return kept


async def _read(directory: Path) -> list[_Line]:
    return await asyncio.to_thread(_read_now, directory)


def _read_now(directory: Path) -> list[_Line]:
    data = read_regular(directory / _NAME) or b""
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


def _stamp(path: Path) -> tuple[int, int, int]:
    """Changes whenever the file does."""
    with disk_errors(path):
        try:
            found = path.stat()
        except FileNotFoundError:
            return 0, 0, 0
    return found.st_ino, found.st_mtime_ns, found.st_size


def _counter(directory: Path) -> int:
    """The highest number that a counter tells of."""
    return max(read_count(directory / name) for name in _COUNTERS)


def read_count(path: Path) -> int:
    """The number that the file holds; 0 where it is missing or says nothing that can be a count. Blocks."""
    text = (read_regular(path, limit=64) or b"").strip()
    return int(text) if text.isdigit() and int(text) < LARGEST_COUNT else 0


def _identity(entry: Entry) -> tuple[object, ...]:
    """What two entries share that archive the same."""
    return entry.session, entry.from_seq, entry.to_seq, tuple(claim.id for claim in entry.claims)


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
