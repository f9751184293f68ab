"""Taking one change out of a text that went on changing."""

from difflib import SequenceMatcher


def undo(*, before: bytes, after: bytes, now: bytes) -> bytes | None:
    """`now` without what led from `before` to `after`; None where a later change touches the same lines.

    Lines that the change brought and that are gone by now need no undoing. The last line ends like the others.
    """
    now_lines, after_lines = _lines(now), _lines(after)
    place = _places(after_lines, now_lines)
    edits: list[tuple[int, int, list[bytes]]] = []
    before_lines = _lines(before)
    matcher = SequenceMatcher(None, after_lines, before_lines, autojunk=False)
    for tag, start, end, old_start, old_end in matcher.get_opcodes():
        back = before_lines[old_start:old_end]
        if tag == "delete":
            edits += [(place[index], place[index] + 1, []) for index in range(start, end) if index in place]
        elif tag != "equal":
            span = _span(place, start=start, end=end, length=len(now_lines))
            if span is None:
                return None
            edits.append((*span, back))
    for first, last, back in reversed(edits):
        now_lines[first:last] = back
    return b"".join(now_lines)


def _lines(data: bytes) -> list[bytes]:
    ended = data if not data or data.endswith(b"\n") else data + b"\n"
    return ended.splitlines(keepends=True)


def _places(after: list[bytes], now: list[bytes]) -> dict[int, int]:
    """Where each line that is still there stands now."""
    blocks = SequenceMatcher(None, after, now, autojunk=False).get_matching_blocks()
    return {block.a + step: block.b + step for block in blocks for step in range(block.size)}


def _span(place: dict[int, int], *, start: int, end: int, length: int) -> tuple[int, int] | None:
    """Where the lines from `start` to `end` stand now, if they still stand together; else None."""
    if start < end:
        spots = [place.get(index, -1) for index in range(start, end)]
        together = spots[0] >= 0 and spots == list(range(spots[0], spots[0] + len(spots)))
        return (spots[0], spots[0] + len(spots)) if together else None
    # Lines were removed here: they come back behind the line that they followed, or before the one that followed.
    if start == 0:
        return 0, 0
    if start - 1 in place:
        return place[start - 1] + 1, place[start - 1] + 1
    if start in place:
        return place[start], place[start]
    return (length, length) if not place else None
