"""Whether what a claim names stands in its evidence: each of its anchors, and enough of its words."""

import re

from memory.claims import chinese, english
from memory.claims.anchors import AnchorKind, Mention
from memory.claims.anchors.calendar import full
from memory.claims.case import FRAMING, Case, Passage
from memory.claims.superseded import corrects
from memory.claims.text import fold, is_han
from memory.claims.trust import is_name_of
from memory.claims.words import STOP_WORDS, akin, either, listed, stem

LEAST_SHARED = 1 / 3
"""Of a claim's words, how many at least stand in its evidence: a summary may reword, and may not make up."""

_PRONOUNS = either(english.PRONOUNS, r"\bit\b", chinese.PRONOUNS, "它")
_SUBJECT = either(r"\W*(?:the|an?|his|her|their) (?P<noun>[a-z]+)(?= [a-z]+)")
_EXACT = frozenset(
    (AnchorKind.ADDRESS, AnchorKind.LINK, AnchorKind.PATH, AnchorKind.PHONE, AnchorKind.IDENTIFIER)
)
"""Anchors that nothing is confused with: with one of them a claim may put a few words in its own way."""
_FEW = 2
_ANYBODY = frozenset(listed(english.ANYBODY))
_SAID_ON = either(english.SAID_ON, chinese.SAID_ON)


def missing_anchor(case: Case) -> str | None:
    """The first anchor of the claim that none of its evidence holds, as written."""
    wanted: set[tuple[int, int]] = set()
    supported: set[tuple[int, int]] = set()
    for passage in case.given:
        for mention in case.read_by(passage):
            place = (mention.start, mention.end)
            wanted.add(place)
            if (
                not mention.firm
                or _holds(passage, mention)
                or _is_day_of_saying(case, mention, passage)
                or _is_corrected_count(case, mention, passage)
            ):
                supported.add(place)
    return next((case.text[slice(*place)] for place in sorted(wanted - supported)), None)


def made_up(case: Case) -> str | None:
    """The words that the evidence lacks, where these are too many; or the thing that the claim opens with."""
    words = [use for use in case.words if not use.is_value]
    if not words:
        return None if any(each.firm for each in case.claimed) else "it says nothing of its own"
    subject = _SUBJECT.match(case.text)
    if subject and not _is_known(case, subject["noun"].casefold()):
        return subject["noun"]
    lacking = [case.written(use) for use in words if not case.matches(use)]
    is_exact = len(lacking) <= _FEW and any(each.firm and each.kind in _EXACT for each in case.claimed)
    if is_exact or len(words) - len(lacking) >= LEAST_SHARED * len(words):
        return None
    return ", ".join(dict.fromkeys(lacking))


def _is_known(case: Case, noun: str) -> bool:
    """Whether the evidence speaks of the thing that the claim opens with, or of "it" after speaking of it."""
    word = stem(noun)
    if word in FRAMING or noun in STOP_WORDS or noun in _ANYBODY or case.is_speaker(noun):
        return True
    return any(
        noun in each.folded
        or any(akin(word, use.word.stem) for use in each.uses)
        or (_PRONOUNS.search(each.text) and noun in fold(each.before))
        for each in case.given
    )


def _holds(passage: Passage, mention: Mention) -> bool:
    """Whether the evidence has what the mention reads as."""
    value = min(mention.reads).partition(":")[2]
    if mention.kind is AnchorKind.QUOTED:
        return value in passage.folded
    if mention.kind is AnchorKind.NAME:
        return _names(passage, value)
    return any(mention.reads & each.offers for each in passage.mentions)


def _names(passage: Passage, name: str) -> bool:
    return (
        is_name_of(name, passage.speaker)
        or _stands_in(name, passage.folded)
        or ("-" in name and _stands_in(name.replace("-", ""), passage.folded.replace("-", "")))
        or (_PRONOUNS.search(passage.text) is not None and _stands_in(name, fold(passage.before)))
    )


def _stands_in(word: str, folded: str) -> bool:
    """Whether it stands there as a word, in whatever case of its language, or between unspaced characters."""
    if is_han(word):
        return word in folded
    name = re.escape(word)
    edges = rf"(?<!\w){name}(?:'?s|es|er|in|n)?(?!\w)|(?<![A-Za-z0-9]){name}(?![A-Za-z0-9])"
    return re.search(edges, folded) is not None


def _is_corrected_count(case: Case, mention: Mention, passage: Passage) -> bool:
    """Whether it is the number of a correction with what the corrected number counts: "make it five" of nights."""
    if mention.kind is not AnchorKind.AMOUNT or not corrects(passage):
        return False
    units = {read.partition(":")[0] for read in mention.reads}
    said = {read.partition(":")[0] for each in case.given for value in each.mentions for read in value.reads}
    return bool(units & said) and any(mention.implies & each.reads for each in passage.mentions)


def _is_day_of_saying(case: Case, mention: Mention, passage: Passage) -> bool:
    """Whether the claim dates the words, not what they say: "as of …", "said on …", or a date in brackets."""
    if mention.kind is not AnchorKind.DATE:
        return False
    day = full(passage.message.at.astimezone(passage.zone).date())
    return day in mention.reads and _SAID_ON.search(case.text, 0, mention.start) is not None
