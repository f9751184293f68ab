"""Reading a tidy session file from its end, or from a number in it, without reading the rest.

Every function gives None where the file is not as we write it; then somebody has to read it whole.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO

from memory.sessions.codec import decode, whole_number
from memory.sessions.session import Mark
from memory.sessions.state import MARKS, METADATA, mark_from_dict
from memory.sessions.stores.contents import ROLES, Contents

# A bit more than what may lie between two metadata lines, so that one read is enough for them.
_SPAN_BYTES = 80 * 1024
# More than most messages take, so that one read brings all that were asked for.
_MESSAGE_BYTES = 512


class _Untidy(Exception):  # a signal inside of this module
    pass


def read_end(file: BinaryIO, *, end: int, limit: int, with_metadata: bool = True) -> Contents | None:
    """The last records before the byte `end`, a line's beginning: `limit` messages, and all back to the metadata."""
    span = max(_SPAN_BYTES, limit * _MESSAGE_BYTES)
    try:
        while True:
            start = max(0, end - span)
            file.seek(start)
            contents = Contents()
            lines = _lines_from_end(file.read(end - start), from_start=start == 0)
            if _collect(contents, lines, limit=limit, with_metadata=with_metadata):
                return contents
            if start == 0:
                return contents if contents.metadata or not with_metadata else None
            span *= 4
    except _Untidy:
        return None


def offset_of(file: BinaryIO, seq: int, *, size: int) -> int | None:
    """The byte at which the first message with at least this number begins, or `size`; by halves."""
    low, high = 0, size
    try:
        while low < high:
            middle = (low + high) // 2
            found, end = _number_after(file, middle, until=high)
            if found is None or found >= seq:
                high = middle
            else:
                low = end
    except _Untidy:
        return None
    return low


def read_from(file: BinaryIO, offset: int, *, to_seq: int) -> Contents | None:
    """The messages from a byte on, up to a number."""
    file.seek(offset)
    contents = Contents()
    try:
        for line in file:
            raw = _record(line)
            if _is_message(raw):
                seq = _number(raw)
                if seq > to_seq:
                    break
                if contents.rows and seq <= contents.rows[-1][0]:
                    return None
                contents.rows.append((seq, raw))
    except _Untidy:
        return None
    return contents


def _collect(contents: Contents, lines: Iterator[bytes], *, limit: int, with_metadata: bool) -> bool:
    """Take records, newest first, until there are enough; whether there were."""
    enough = False
    for line in lines:
        _take(contents, _record(line))
        if not contents.metadata:
            contents.bytes_since_metadata += len(line) + 1
        enough = len(contents.rows) >= limit and bool(contents.metadata or not with_metadata)
        if enough:
            break
    contents.rows.reverse()
    contents.marks.reverse()
    return enough


def _take(contents: Contents, raw: dict[str, Any]) -> None:
    kind = raw.get("_type")
    if kind == METADATA:
        contents.metadata = contents.metadata or raw
        if "last_seq" not in contents.metadata:
            raise _Untidy
    elif kind in MARKS:
        if not contents.metadata:
            contents.marks.append(_mark(raw))
    elif _is_message(raw):
        seq = _number(raw)
        if contents.rows and seq >= contents.rows[-1][0]:
            raise _Untidy
        contents.rows.append((seq, raw))


def _lines_from_end(data: bytes, *, from_start: bool) -> Iterator[bytes]:
    lines = data.split(b"\n")
    if lines.pop():
        raise _Untidy  # the last line is torn
    lines.reverse()
    whole = lines if from_start else islice(lines, max(0, len(lines) - 1))
    return (line for line in whole if line.strip())


def _number_after(file: BinaryIO, position: int, *, until: int) -> tuple[int | None, int]:
    """The number of the first message that begins at or after a byte, and the byte after it."""
    if position:
        file.seek(position - 1)
        position += len(file.readline()) - 1
    else:
        file.seek(0)
    while position < until and (line := file.readline()):
        position += len(line)
        if line.strip() and _is_message(raw := _record(line)):
            return _number(raw), position
    return None, position


def _record(line: bytes) -> dict[str, Any]:
    try:
        return decode(line)
    except ValueError as error:
        raise _Untidy from error


def _is_message(raw: dict[str, Any]) -> bool:
    return "role" in raw and raw.get("_type") not in (METADATA, *MARKS)


def _number(raw: dict[str, Any]) -> int:
    seq = whole_number(raw.get("seq"))
    if not seq or raw["role"] not in ROLES:
        raise _Untidy
    return seq


def _mark(raw: dict[str, Any]) -> Mark:
    try:
        return mark_from_dict(raw)
    except ValueError as error:
        raise _Untidy from error
