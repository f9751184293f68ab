"""What a speaker took back: a value in the claim in whose place a later message of theirs puts another."""

from collections.abc import Iterator

from memory.claims import chinese, english_force
from memory.claims.anchors import AnchorKind, Mention
from memory.claims.case import Case, Passage, whole
from memory.claims.trust import speaker_of
from memory.claims.words import akin, either

_INSTEAD = either(english_force.INSTEAD, chinese.INSTEAD)
_TAKES_BACK = either(english_force.TAKES_BACK, chinese.TAKES_BACK)
_DENIES_FIRST = either(r"^\W*(?:no|not)\b", "^(?:不是|不,|没有,)")
_ALIKE = (
    frozenset({AnchorKind.NUMBER, AnchorKind.AMOUNT, AnchorKind.TIME}),
    frozenset({AnchorKind.DATE}),
    frozenset({AnchorKind.PHONE, AnchorKind.IDENTIFIER, AnchorKind.ADDRESS}),
)
"""Kinds of values of which one may stand in the place of another."""


def superseded(case: Case) -> str | None:
    """A value that the speaker corrected afterwards, in a claim that doesn't have the corrected one."""
    if not any(value.firm and value.kind in kinds for value in case.claimed for kinds in _ALIKE):
        return None
    for passage in case.given:
        for later in _corrections(case, passage):
            for value in case.claimed:
                if not value.firm or not _holds(passage, value) or _holds(later, value):
                    continue
                if any(_replaces(new, value) and not _has(case, new) for new in later.mentions if new.firm):
                    return case.text[value.start : value.end]
    return None


def corrects(passage: Passage) -> bool:
    """Whether the words correct what was said before them."""
    return any(each.search(passage.text) for each in (_INSTEAD, _TAKES_BACK, _DENIES_FIRST))


def _corrections(case: Case, passage: Passage) -> Iterator[Passage]:
    """Later words of the speaker that correct this: by saying what is to stand instead, or of the same thing.

    What is to stand instead of something stands instead of the last that was said of its kind.
    """
    between: list[Passage] = []
    for message in case.messages:
        if message.seq <= passage.message.seq or speaker_of(message) != passage.speaker:
            continue
        later = whole(message, zone=passage.zone)
        if (_INSTEAD.search(later.text) and not any(_has_other(each, passage) for each in between)) or (
            _TAKES_BACK.search(later.text) and _is_of_same(later, passage)
        ):
            yield later
        between.append(later)


def _has_other(later: Passage, passage: Passage) -> bool:
    return any(_replaces(new, old) for new in later.mentions for old in passage.mentions)


def _is_of_same(later: Passage, passage: Passage) -> bool:
    return any(akin(a.word.stem, b.word.stem) and not a.is_value for a in later.uses for b in passage.uses)


def _holds(passage: Passage, value: Mention) -> bool:
    return any(value.reads & each.offers for each in passage.mentions)


def _has(case: Case, new: Mention) -> bool:
    return any(each.reads & new.offers for each in case.claimed)


def _replaces(new: Mention, old: Mention) -> bool:
    """Whether the values are of one kind and differ."""
    is_alike = any(new.kind in kinds and old.kind in kinds for kinds in _ALIKE)
    return is_alike and not new.reads & old.offers and not old.reads & new.offers
