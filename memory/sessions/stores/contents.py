"""What the lines of a session file say, and which of them say nothing that can be read."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from memory.messages import Message
from memory.sessions.codec import (
    decode,
    encode,
    message_from_dict,
    message_to_dict,
    parse_time,
    tombstone,
    whole_number,
)
from memory.sessions.session import Mark, Session
from memory.sessions.state import (
    MARKS,
    METADATA,
    mark_from_dict,
    metadata_to_dict,
    session_from_metadata,
)
from memory.sessions.text import whole

ROLES = frozenset({"user", "assistant", "tool"})
# Of beginnings at which a broken line is searched for records: more than a torn record has, and an end to it.
_TRIES = 100
_TYPES = MARKS | {METADATA}


LARGEST_GAP = 100_000
"""Messages that may be missing between two of a file: lines get lost, but a number far ahead is a lie, and costs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """Bytes that are no record: the number of their line, and what is wrong with them."""

    line: int
    problem: str
    data: bytes


@dataclass(slots=True, kw_only=True)
class Contents:
    """A session file, or the end of one.

    `metadata` is the newest metadata line; `marks` are those after it, or all where it doesn't count them in.
    `rows` is everything but metadata, each with the number of its message (0: none). `tidy` says that a reader may
    come from the end and a writer may go on there: every line is one record with its number and ends in a newline.
    `bytes_since_metadata` is how far from the end the newest metadata stands.
    """

    metadata: dict[str, Any] = field(default_factory=dict)
    rows: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    tidy: bool = True
    bytes_since_metadata: int = 0
    _numbers: set[int] = field(default_factory=set)
    _highest: int = 0

    def _counted(self, seen: int) -> int:
        """How many messages the metadata counts; a number far beyond those that are seen is believed as little."""
        counted = whole_number(self.metadata.get("last_seq"))
        return counted if not self.rows or counted <= seen + LARGEST_GAP else seen

    @property
    def last_seq(self) -> int:
        """The number of the last message; one that was counted and can't be read keeps its number."""
        seen = max((seq for seq, _ in reversed(self.rows) if seq), default=0)
        return max(seen, self._counted(seen))

    @property
    def erasures(self) -> int:
        """How often words were erased."""
        return whole_number(self.metadata.get("erasures"))

    def session(self, key: str) -> Session:
        """The session without its messages."""
        counted = self._counted(self.last_seq)
        after = [row for seq, row in self.rows if seq > counted]
        tokens = whole_number(self.metadata.get("tokens")) if counted else 0
        tokens += sum(whole_number(row.get("tokens")) for row in after)
        session = session_from_metadata(self.metadata, key=key, last_seq=self.last_seq, tokens=tokens)
        times = [at for row in after if (at := parse_time(row.get("timestamp")))]
        times += [mark.at for mark in self.marks]
        if not self.metadata and times:
            session.created_at, session.updated_at = times[0], times[-1]
        session.updated_at = max([session.updated_at, *times])
        for mark in self.marks:
            session.apply(mark)
        return session

    def messages(
        self, *, from_seq: int = 1, to_seq: int | None = None, last: int | None = None
    ) -> list[Message]:
        """The messages with these numbers, at most the `last` ones, oldest first."""
        first = max(from_seq, 1)  # what is no message has the number 0
        rows = [row for seq, row in self.rows if seq >= first and (to_seq is None or seq <= to_seq)]
        if last is not None:
            rows = rows[max(0, len(rows) - last) :]
        at = parse_time(self.metadata.get("updated_at"))
        return [message_from_dict(row, at=at) for row in rows]

    def erase(self, seqs: Collection[int]) -> tuple[int, int]:
        """Put tombstones in the place of these messages: how many changed, and how many tokens they had.

        What can't be read goes with them: nobody can tell whose words it holds.
        """
        changed = tokens = 0
        wanted = frozenset(seqs)
        for index, (seq, row) in enumerate(self.rows):
            if seq and seq in wanted and row.get("erased") is not True:
                message = message_from_dict(row)
                self.rows[index] = (seq, message_to_dict(tombstone(message)))
                changed += 1
                tokens += message.tokens
        self.broken.clear()
        return changed, tokens

    def written(self, session: Session, *, erasures: int) -> bytes:
        """The file anew: metadata first and once more at the end, where a reader that comes from there looks."""
        if not self.rows and not self.metadata:
            return b""
        metadata = metadata_to_dict(session, erasures=erasures)
        lines = [metadata, *(row for _, row in self.rows), metadata]
        return b"".join(encode(line) + b"\n" for line in lines)

    def take(self, raw: dict[str, Any]) -> None:
        """Put the next record of the file in; ValueError where it is none."""
        kind = raw.get("_type")
        if kind == METADATA:
            self._take_metadata(raw)
        elif kind in MARKS:
            self.marks.append(mark_from_dict(raw))
            self.rows.append((0, raw))
        elif isinstance(kind, str) and "role" not in raw:
            self.rows.append((0, raw))  # a kind that a newer version knows
        else:
            self._take_message(raw)

    def _take_metadata(self, raw: dict[str, Any]) -> None:
        self.metadata = raw
        if "view_from" in raw:
            self.marks.clear()

    def _take_message(self, raw: dict[str, Any]) -> None:
        message_from_dict(raw)
        seq, highest = whole_number(raw.get("seq")), self._highest
        if seq in self._numbers:
            raise ValueError(f"number {seq} is taken by an earlier message")
        if seq > highest + LARGEST_GAP:
            raise ValueError(f"number {seq} is too far from {highest}, the one before")
        if seq <= highest:
            self.tidy = False  # it has no number, or stands behind later ones
        seq = seq or highest + 1
        self._numbers.add(seq)
        self._highest = max(highest, seq)
        self.rows.append((seq, {"seq": seq} | raw | {"seq": seq}))

    def put_in_order(self) -> None:
        """By their numbers; what is no message stays behind the one that it stands behind."""
        place, placed = 0, []
        for row in self.rows:
            place = row[0] or place
            placed.append((place, row))
        self.rows = [row for _, row in sorted(placed, key=itemgetter(0))]


def read_contents(data: bytes) -> Contents:
    """Everything that a file says, however damaged it is."""
    contents = Contents()
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    for number, line in enumerate(lines, start=1):
        _take_line(contents, line, number)
    contents.put_in_order()
    finished = not lines[-1] and "last_seq" in contents.metadata
    contents.tidy = contents.tidy and finished and not contents.broken
    return contents


def _take_line(contents: Contents, line: bytes, number: int) -> None:
    if not line.strip():
        return
    try:
        contents.take(decode(line))
    except ValueError as error:
        contents.tidy = False
        _salvage(contents, line, number, problem=_problem(error))


def _salvage(contents: Contents, line: bytes, number: int, *, problem: str) -> None:
    """Take the records that stand in one line because a newline was lost; what is left over is broken."""
    left = bytearray()
    text = line.decode("utf-8", "surrogateescape")
    end = 0
    for start, stop, raw in _records_in(text):
        left += text[end:start].encode("utf-8", "surrogateescape")
        end = stop
        try:
            contents.take(raw)
        except ValueError as error:
            piece = text[start:stop].encode("utf-8", "surrogateescape")
            contents.broken.append(Broken(line=number, problem=_problem(error), data=piece))
    left += text[end:].encode("utf-8", "surrogateescape")
    if left.strip():
        contents.broken.append(Broken(line=number, problem=problem, data=bytes(left)))


def _records_in(text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    decoder = json.JSONDecoder()
    position = tries = 0
    while tries < _TRIES and (start := text.find('{"', position)) >= 0:
        try:
            raw, position = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            position = start + 1
            tries += 1
            continue
        # A part of a record that was torn before it is no record of its own.
        if _is_record(raw) and not _has_stray_bytes(text[start:position]):
            yield start, position, whole(raw)


def _is_record(raw: Mapping[str, Any]) -> bool:
    return raw.get("_type") in _TYPES or (raw.get("role") in ROLES and "content" in raw)


def _has_stray_bytes(text: str) -> bool:
    return any("\udc80" <= char <= "\udcff" for char in text)


def _problem(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"no JSON: {error.msg} at character {error.pos + 1}"
    return "no UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
