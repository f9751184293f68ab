"""The words that carry meaning, cut and stemmed as the search does it, so that both find the same (pure)."""

from collections.abc import Container

from memory.archive.terms import content_terms, is_pair, stem
from memory.archive.terms import terms as all_terms

_ASKING = frozenset(
    map(
        stem,
        (  # noqa: SIM905 - a list of words is read as prose
            "after anything because ever find get give go got let list look make mine remind search show something"
            " tell thing"
        ).split(),
    )
)
"""Terms of which a question is made, and which the search keeps."""

WEAK_TERMS = frozenset(
    map(
        stem,
        (  # noqa: SIM905 - a list of words is read as prose
            "address call called color colour date day hour kind last long many month much name next number old"
            " people person place sort time today tomorrow type week year yesterday 时间 名字 日期 地方 号码 电话"
        ).split(),
    )
)
"""Terms that say what kind of answer a question wants, and little about what it is about."""


def terms(text: str) -> frozenset[str]:
    """Every term that a text can be found by; scripts without spaces give all their overlapping pairs."""
    return frozenset(all_terms(text))


def question_terms(text: str, *, known: Container[str]) -> frozenset[str]:
    """The terms that a question consists of.

    Of overlapping pairs those are taken that don't overlap, at places where `known` terms stand, so that one word
    counts once.
    """
    found = [term.removesuffix("*") for term in content_terms(text) if term not in _ASKING]
    kept = []
    at = 0
    while at < len(found):
        here, following = found[at], found[at + 1] if at + 1 < len(found) else ""
        overlap = is_pair(here) and is_pair(following) and here[1] == following[0]
        if not overlap or here in known or following not in known:
            kept.append(here)
            at += overlap
        at += 1
    return frozenset(kept)
