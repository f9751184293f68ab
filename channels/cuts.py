"""Where a text without markup reads best when it is cut, and the parts that it is cut into."""

from collections.abc import Callable, Iterable, Iterator

from wcwidth import iter_graphemes

_LONGEST_GRAPHEME = 16
"""No emoji has more than ten code points; more marks on one letter are a prank, and are cut like any other text."""


def utf16_units(text: str) -> int:
    """The length of a text in UTF-16 code units."""
    return len(text) + sum(char > "\uffff" for char in text)


def split_text(text: str, *, measure: Callable[[str], int], limit: int) -> list[str]:
    """The parts of a text without markup, each measuring at most `limit`."""
    parts: list[str] = []
    rest = text.strip()

    def fits(count: int) -> bool:
        return measure(rest[:count]) <= limit

    while rest:
        at = max(best_cut(graphemes(rest), limit, fits), 1)
        parts.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    return parts


def largest(total: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to `total` that fits, 0 if none does; what is far too long is never tried."""
    low, high = 0, 1
    while high <= total and fits(high):
        low, high = high, 2 * high
    high = min(high, total + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def best_cut(pieces: Iterable[str], limit: int, fits: Callable[[int], bool]) -> int:
    """Where to cut a text so that its head fits: after a line, a sentence, a word, or between two of its pieces."""
    text, ends = "", [0]
    for piece in pieces:
        text += piece
        ends.append(len(text))
        # No character measures less than 1, so what lies beyond the limit need not be looked at.
        if len(text) > limit:
            break
    count = largest(len(ends) - 1, lambda number: fits(ends[number]))
    candidates = ends[1 : count + 1]
    if not candidates or candidates[-1] == len(text):
        return ends[count]
    late = candidates[count // 2 :]
    for border, among in ((_ends_line, late), (_ends_sentence, late), (_ends_word, candidates)):
        for at in reversed(among):
            if border(text, at):
                return at
    return ends[count]


def graphemes(text: str) -> Iterator[str]:
    """What people see as one letter each, and what is far too long to be one in pieces."""
    for piece in iter_graphemes(text):
        yield from (piece,) if len(piece) <= _LONGEST_GRAPHEME else piece


def _ends_line(text: str, at: int) -> bool:
    return "\n" in text[at - 1 : at + 1]


def _ends_sentence(text: str, at: int) -> bool:
    return text[at - 1] in "。！？" or (text[at - 1] in ".!?…" and text[at].isspace())


def _ends_word(text: str, at: int) -> bool:
    return text[at - 1].isspace() or text[at].isspace() or text[at - 1] in "，、；："
