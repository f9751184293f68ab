"""Who does what to whom: Ann owes Bob where Bob owes Ann, coffee before tea where it was tea before coffee."""

import re
from collections.abc import Iterator, Sequence
from itertools import product

from memory.claims import chinese, english
from memory.claims.anchors import Mention
from memory.claims.case import Case
from memory.claims.text import fold
from memory.claims.words import STOP_WORDS, either, listed, stem, stems

Relation = tuple[str, str, str]

_FROM_TO = either(r"(?:\bfrom |从)(?P<start>.{1,40}?)(?:\bto |[改搬换调移延涨降]?[到至])(?P<end>.{1,40})")
_THREE_WORDS = re.compile(
    r"(?=(?<!\w)(?P<a>[^\W\d_]+) (?P<link>[a-z]+) (?:the |an? )?(?P<b>[^\W\d_]+)(?!\w))"
)
_HAN = re.compile(rf"(?=(?P<a>[\u4e00-\u9fff]{{2}})(?P<link>[{chinese.LINKS}])(?P<b>[\u4e00-\u9fff]{{2}}))")
_MIXED = re.compile(
    r"(?<![a-z0-9-])(?P<a>[a-z][a-z0-9-]*)(?:[\u4e00-\u9fff]{2})??(?P<link>[\u4e00-\u9fff]{1,2})(?P<b>[a-z][a-z0-9-]*)"
)
"""Two names in letters with a Chinese verb between them, and perhaps what the first is: billing服务调用ledger."""
_MUTUAL = frozenset(map(stem, listed(english.MUTUAL)))
_NO_LINKS = STOP_WORDS - frozenset(listed(english.ORDERED))


def turned_round(case: Case) -> str | None:
    """Two words of the claim that changed places: what the evidence has of the second and the first alone."""
    said = {
        found
        for each in case.given
        for found in _relations(each.text, mentions=each.mentions, speaker=each.speaker)
    }
    for a, link, b in _relations(case.text, mentions=case.claimed):
        if (b, link, a) in said and (a, link, b) not in said:
            return f"{a} {link} {b}"
    return None


def _relations(text: str, *, mentions: Sequence[Mention], speaker: str = "") -> Iterator[Relation]:
    """Two words each, and what stands between them that makes their order matter; "I" is the speaker."""
    first = next(iter(fold(speaker).split()), "")
    folded = re.sub(r"\b(?:i|me)\b|我", lambda _: first, fold(text)) if first else fold(text)
    for match in (*_THREE_WORDS.finditer(folded), *_HAN.finditer(folded), *_MIXED.finditer(folded)):
        link = stem(match["link"])
        if match["link"] not in _NO_LINKS and link not in _MUTUAL:
            yield stem(match["a"]), link, stem(match["b"])
    way = _FROM_TO.search(text)
    if way:
        start, end = (_ends(way, name, mentions) for name in ("start", "end"))
        yield from ((a, "to", b) for a, b in product(sorted(start - end), sorted(end - start)))


def _ends(way: re.Match[str], name: str, mentions: Sequence[Mention]) -> set[str]:
    """What stands where something begins, or where it leads: words and values."""
    inside = (each for each in mentions if way.start(name) <= each.start < way.end(name))
    return {value for each in inside for value in each.offers}.union(stems(way[name]))
