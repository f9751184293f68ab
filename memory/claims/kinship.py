"""Relatives of relatives: a brother's daughter is a niece, and a claim may call her so."""

import re
from collections.abc import Iterable, Iterator

from memory.claims import chinese, english
from memory.claims.words import listed

_CHAINS = (
    re.compile(rf"\b(?P<a>{english.KIN_ALONE})'s (?:\w+ )?(?P<b>{english.KIN_ALONE})\b", re.IGNORECASE),
    re.compile(rf"(?P<a>{chinese.KIN_ALONE})(?:家的?|的)?(?P<b>{chinese.KIN_ALONE})"),
    re.compile(
        rf"\b(?P<a>{english.KIN_ALONE})\b[^.;]{{0,20}}\b(?:had|has|gave birth to)\b[^.;]{{0,25}}\ba (?P<b>boy|girl|son|daughter)\b",
        re.IGNORECASE,
    ),
    re.compile(rf"(?P<a>{chinese.KIN_ALONE})(?:刚|最近|昨天)?生了?[一个]{{0,2}}(?P<b>儿子|女儿|男孩|女孩)"),
)
_SAME = {
    word: words[0]
    for group in (*english.SAME_KIN, *chinese.SAME_KIN)
    for words in [listed(group)]
    for word in words
}


def _table(rows: Iterable[str]) -> dict[tuple[str, str], list[str]]:
    """Of "brother sister|son|nephew": whose, who of theirs, and how these are called."""
    return {
        (a, b): listed(names)
        for whose, who, names in (row.split("|") for row in rows)
        for a in listed(whose)
        for b in listed(who)
    }


_CALLED = _table((*english.KIN_OF_KIN, *chinese.KIN_OF_KIN))
RELATIVES = tuple(sorted({name for names in _CALLED.values() for name in names}))
"""How relatives of relatives are called."""


def spelled_out(text: str, said: str) -> str:
    """The claim with relatives named by the chain that the evidence has: "niece" as "brother's daughter"."""
    for a, b in _chains(said):
        for name in _CALLED.get((_known(a), _known(b)), ()):
            is_ascii = name.isascii()
            edges = (r"\b", r"(?![\w-])") if is_ascii else ("", "")
            if not re.search(f"{edges[0]}{name}{edges[1]}", said, re.IGNORECASE):
                chain = f"{a}'s {b}" if is_ascii else f"{a}的{b}"
                text = re.sub(f"{edges[0]}{name}{edges[1]}", chain, text, flags=re.IGNORECASE)
    return text


def _chains(said: str) -> Iterator[tuple[str, str]]:
    for pattern in _CHAINS:
        for match in pattern.finditer(said):
            yield match["a"].casefold(), match["b"].casefold()


def _known(word: str) -> str:
    return _SAME.get(word, word)
