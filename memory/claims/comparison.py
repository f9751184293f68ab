"""Holds the words and anchors of a claim against the sentences that it rests on, one question at a time."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from memory.claims.anchors import AnchorKind, Mention, mentions
from memory.claims.anchors.anchor import TAKEN
from memory.claims.anchors.calendar import full
from memory.claims.attribution import is_name_of
from memory.claims.claim import ClaimKind
from memory.claims.meaning import Use, is_doubtful, tells_of_asking, tells_of_past, tells_of_wish, uses
from memory.claims.passages import Passage
from memory.claims.text import fold, is_han, tidy
from memory.claims.words import REPORTING, akin, content, is_past_form, stem

LEAST_SHARED = 1 / 3
"""Of a claim's words, how many at least stand in its evidence: a summary may reword, and may not make up."""

_FRAMING = frozenset(stem(word) for word in REPORTING)
_TO_BE = re.compile(r"\b(?:be|is|are|being|get|gets)\s+(?:\w+ly\s+)?$", re.IGNORECASE)
_PRONOUNS = re.compile(r"\b(?:he|she|they|it|him|her|his|their|them)\b|他|她|它", re.IGNORECASE)
_SUBJECT = re.compile(r"\W*(?:the|an?|his|her|their) (?P<noun>[a-z]+)(?= [a-z]+)", re.IGNORECASE)
_EXACT = frozenset(
    (AnchorKind.ADDRESS, AnchorKind.LINK, AnchorKind.PATH, AnchorKind.PHONE, AnchorKind.IDENTIFIER)
)
"""Anchors that nothing is confused with: with one of them a claim may put a few words in its own way."""

_FEW = 2

_ANYBODY = frozenset(
    ("team", "group", "family", "couple", "tool", "page", "website", "company", "conversation")
)
"""Nouns by which a summary calls speakers that its evidence doesn't name."""

_SAID_ON = re.compile(
    r"(?:as of|said on|decided on|asked on|stated on|mentioned on|reported on|noted on|agreed on|told on|截至|\(|\[)\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A claim beside its evidence. `claimed` are its anchors, relative dates read by the newest of the evidence."""

    text: str
    kind: ClaimKind
    given: tuple[Passage, ...]
    speakers: frozenset[str]
    zone: tzinfo
    claimed: tuple[Mention, ...]
    words: tuple[Use, ...]

    def matches(self, use: Use) -> list[Use]:
        """Where the evidence uses the word."""
        return [
            each for passage in self.given for each in passage.uses if akin(use.word.stem, each.word.stem)
        ]


def opened_case(
    text: str, *, kind: ClaimKind, given: Sequence[Passage], speakers: frozenset[str], zone: tzinfo
) -> Case:
    """Take the tidy claim apart once, for all questions."""
    newest = max(each.message.at for each in given)
    claimed = tuple(mentions(text, said_at=newest, zone=zone))
    return Case(
        text=text,
        kind=kind,
        given=tuple(given),
        speakers=speakers,
        zone=zone,
        claimed=claimed,
        words=tuple(_telling(text, claimed, given)),
    )


def overlap(text: str, *, passage: Passage, zone: tzinfo) -> int:
    """How much of the tidy claim the passage holds: its words and anchors, counted."""
    claimed = mentions(text, said_at=passage.message.at, zone=zone)
    offered = {value for each in passage.mentions for value in each.offers}
    words = sum(any(akin(word.stem, use.word.stem) for use in passage.uses) for word in content(text))
    return words + sum(bool(each.reads & offered) for each in claimed)


def missing_anchor(case: Case) -> str | None:
    """The first anchor of the claim that none of its evidence holds, as written."""
    supported: set[tuple[int, int]] = set()
    wanted: dict[tuple[int, int], Mention] = {}
    for passage in case.given:
        for mention in mentions(case.text, said_at=passage.message.at, zone=case.zone):
            place = (mention.start, mention.end)
            wanted.setdefault(place, mention)
            if not mention.firm or _holds(passage, mention) or _is_day_of_saying(case, mention, passage):
                supported.add(place)
    for place in sorted(set(wanted) - supported):
        return case.text[slice(*place)]
    return None


def lost_negation(case: Case) -> str | None:
    """A word that the claim denies and its evidence doesn't, or the other way round."""
    return _first(
        case, lambda use, found: all(each.is_denied != use.is_denied for each in found), anchors=True
    )


def lost_doubt(case: Case) -> str | None:
    """A word that the evidence leaves open or wishes for everywhere, in a claim that says it is so."""
    if case.kind is ClaimKind.QUESTION or is_doubtful(case.text) or tells_of_asking(case.text):
        return None
    is_wish = case.kind is ClaimKind.DECISION or tells_of_wish(case.text)
    return _first(
        case,
        lambda _, found: all(each.is_doubted or (each.is_wished and not is_wish) for each in found),
        anchors=True,
    )


def lost_past(case: Case) -> str | None:
    """A word that the evidence has of former times alone, in a claim about now."""
    if case.kind is ClaimKind.QUESTION or tells_of_past(case.text):
        return None
    return _first(case, lambda _, found: all(each.is_past for each in found), anchors=True)


def not_yet(case: Case) -> str | None:
    """A verb that the evidence has of what is to come alone, in a claim that it is done."""
    if tells_of_asking(case.text):
        return None
    for use in case.words:
        written = case.text[use.word.start : use.word.end].casefold()
        before = case.text[: use.word.start]
        found = case.matches(use)
        if (
            is_past_form(written)
            and not _TO_BE.search(before)
            and found
            and all(each.is_ahead for each in found)
        ):
            return written
    return None


def only_asked(case: Case) -> str | None:
    """What stands in questions alone, in a claim that says it is so: an anchor, or every shared word."""
    if case.kind is ClaimKind.QUESTION or tells_of_asking(case.text):
        return None
    anchor = _first(
        case, lambda use, found: ":" in use.word.stem and all(each.is_asked for each in found), anchors=True
    )
    shared = [(use.word, each) for use in case.words for each in case.matches(use)]
    if anchor is None and shared and all(each.is_asked for _, each in shared):
        word, _ = shared[0]
        return case.text[word.start : word.end]
    return anchor


def unsupported(case: Case) -> str | None:
    """The words that the evidence lacks, where these are too many."""
    words = [use for use in case.words if ":" not in use.word.stem]
    if not words:
        return None if any(each.firm for each in case.claimed) else "it says nothing of its own"
    subject = _SUBJECT.match(case.text)
    if subject and not _is_known(case, subject["noun"]):
        return subject["noun"]
    lacking = [use for use in words if not case.matches(use) and not _stands(case, use)]
    is_exact = any(each.firm and each.kind in _EXACT for each in case.claimed) and len(lacking) <= _FEW
    if is_exact or len(words) - len(lacking) >= LEAST_SHARED * len(words):
        return None
    return ", ".join(dict.fromkeys(case.text[use.word.start : use.word.end] for use in lacking))


def _is_known(case: Case, noun: str) -> bool:
    """Whether the evidence speaks of the thing that the claim opens with, or of "it" after speaking of it."""
    word = next(content(noun.casefold()), None)
    if (
        word is None
        or word.stem in _FRAMING
        or noun.casefold() in _ANYBODY
        or any(is_name_of(noun, each.speaker) for each in case.given)
    ):
        return True
    return any(
        any(akin(word.stem, use.word.stem) for use in passage.uses)
        or noun.casefold() in passage.folded
        or (_PRONOUNS.search(passage.text) is not None and noun.casefold() in fold(passage.before))
        for passage in case.given
    )


def _first(case: Case, fails: Callable[[Use, list[Use]], bool], *, anchors: bool) -> str | None:
    for use in case.words:
        found = case.matches(use)
        if found and (anchors or ":" not in use.word.stem) and fails(use, found):
            return case.text[use.word.start : use.word.end]
    return None


def _telling(text: str, claimed: Iterable[Mention], given: Sequence[Passage]) -> Iterator[Use]:
    """The claim's words without the speakers' names and without the words by which a summary reports."""
    for use in uses(_without_speakers(text, given), marks=claimed):
        written = text[use.word.start : use.word.end]
        if use.word.stem in _FRAMING or any(is_name_of(written, each.speaker) for each in given):
            continue
        yield use


def _without_speakers(text: str, given: Sequence[Passage]) -> str:
    """The text with a mark in place of each letter of a name that is written without blanks around it."""
    for name in {tidy(each.speaker) for each in given}:
        if is_han(name):
            text = text.replace(name, TAKEN * len(name))
    return text


def _holds(passage: Passage, mention: Mention) -> bool:
    """Whether the evidence has what the mention reads as."""
    value = min(mention.reads).partition(":")[2]
    if mention.kind is AnchorKind.QUOTED:
        return value in passage.folded
    if mention.kind is AnchorKind.NAME:
        return _names(passage, value)
    return any(mention.reads & each.offers for each in passage.mentions)


def _names(passage: Passage, name: str) -> bool:
    if is_name_of(name, passage.speaker) or _stands_in(name, passage.folded):
        return True
    if "-" in name and _stands_in(name.replace("-", ""), passage.folded.replace("-", "")):
        return True
    return _PRONOUNS.search(passage.text) is not None and _stands_in(name, fold(passage.before))


def _stands_in(word: str, folded: str) -> bool:
    if is_han(word):
        return word in folded
    return (
        re.search(rf"(?<!\w){re.escape(word)}(?:'?s|es|er|in|n)?(?!\w)", folded) is not None
        or re.search(rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])", folded) is not None
    )


def _stands(case: Case, use: Use) -> bool:
    written = case.text[use.word.start : use.word.end].casefold()
    return any(written in passage.folded for passage in case.given)


def _is_day_of_saying(case: Case, mention: Mention, passage: Passage) -> bool:
    """Whether the claim dates the words, not what they say: "as of …", "said on …", or a date in brackets."""
    if mention.kind is not AnchorKind.DATE:
        return False
    day = full(passage.message.at.astimezone(case.zone).date())
    return day in mention.reads and _SAID_ON.search(case.text, 0, mention.start) is not None
