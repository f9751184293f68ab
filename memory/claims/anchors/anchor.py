"""An anchor at its place in a text, and the text that shrinks while anchors are taken out of it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum


class AnchorKind(StrEnum):
    """What an anchor is."""

    NUMBER = "number"
    DATE = "date"
    TIME = "time"
    AMOUNT = "amount"
    LINK = "link"
    PATH = "path"
    ADDRESS = "address"
    PHONE = "phone"
    IDENTIFIER = "identifier"
    QUOTED = "quoted"
    NAME = "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """An exact part of a text, where it stands: `1,000` and `一千` both read as the number 1000.

    `reads` are the values that it may be read as ("Friday" may be either of two); a claim with it needs one of
    them in its evidence. `implies` is what else evidence with it says (a full date also names a weekday).
    A mention that is not `firm` is too common a word to be asked for ("one").
    """

    kind: AnchorKind
    start: int
    end: int
    reads: frozenset[str]
    implies: frozenset[str] = frozenset()
    firm: bool = True

    @property
    def offers(self) -> frozenset[str]:
        """All that evidence with this mention says."""
        return self.reads | self.implies


TAKEN = "\x00"
"""Stands in place of each character that an earlier kind has taken: no blank, no letter, no digit."""


@dataclass(slots=True)
class Page:
    """A tidy text from which mentions are taken, one kind after the other; `rest` keeps every position."""

    text: str
    rest: str = ""
    mentions: list[Mention] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rest = self.rest or self.text

    def each(self, *patterns: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """What the patterns find one after the other in what is left; to be taken or let stand."""
        for pattern in patterns:
            yield from pattern.finditer(self.rest)

    def note(
        self,
        kind: AnchorKind,
        place: re.Match[str] | tuple[int, int],
        *reads: str,
        implies: Iterable[str] = (),
        firm: bool = True,
    ) -> tuple[int, int]:
        """Note the mention at the place, which is given back; its characters stay, to be read in other ways too."""
        start, end = place.span() if isinstance(place, re.Match) else place
        own, more = frozenset(reads), frozenset(implies)
        self.mentions.append(
            Mention(kind=kind, start=start, end=end, reads=own, implies=more - own, firm=firm)
        )
        return start, end

    def take(
        self,
        kind: AnchorKind,
        place: re.Match[str] | tuple[int, int],
        *reads: str,
        implies: Iterable[str] = (),
        firm: bool = True,
    ) -> None:
        """Note the mention at the place and take its characters out of the rest."""
        start, end = self.note(kind, place, *reads, implies=implies, firm=firm)
        self.rest = self.rest[:start] + TAKEN * (end - start) + self.rest[end:]
