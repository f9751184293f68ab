"""Who does what to whom: "Ann pays" from "Bob pays, I cook", or coffee before tea where it was tea before coffee."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from memory.claims.anchors import AnchorKind, Mention
from memory.claims.attribution import is_name_of, is_user
from memory.claims.parts import Part, parts
from memory.claims.passages import Passage
from memory.claims.text import UPPER, fold
from memory.claims.words import content, stem
from memory.messages import UserMessage

_PAIR = re.compile(
    r"\b(?P<a>[^\W\d_]+)\s(?P<how>to|over|than|before|after|above|below)\s(?:the\s|a\s)?(?P<b>[^\W\d_]+)\b",
    re.IGNORECASE,
)
_CALLED = re.compile(
    rf"\b(?P<who>[a-z]+)(?:'s name is|'s name's| is called| is named|,? called|,? named) (?P<name>[{UPPER}]\w+)"
    r"|(?P<han>[\u4e00-\u9fff]{2})(?:名叫|叫)(?P<own>[\u4e00-\u9fff]{2})"
)
_HAN_LINKS = re.compile("[到去飞欠给比找教帮借打嫁请约]")
_PASSIVE = re.compile(r"\b(?:by|from)\b|被|由")


def misplaced(claim: str, *, claimed: Sequence[Mention], given: Sequence[Passage]) -> str | None:
    """A word that the tidy claim says of one person and its evidence of another alone, or two that changed places."""
    return _of_another(claim, claimed, given) or _swapped(claim, claimed, given) or _renamed(claim, given)


def _of_another(claim: str, claimed: Sequence[Mention], given: Sequence[Passage]) -> str | None:
    evidence = [
        part
        for each in given
        for part in parts(each.text, found=each.mentions, speaker=each.speaker, source=each.message.seq)
    ]
    subjects = {part.subject for part in evidence if part.subject}
    if len(subjects) < 2:
        return None
    subject = ""
    own = {each.speaker for each in given}
    for part in parts(claim, found=claimed, speaker=own.pop() if len(own) == 1 else ""):
        subject = _known_subject(claim, part.subject, given) or (subject if part.continues else "")
        if subject not in subjects:
            continue
        for word in sorted(part.words - part.names):
            if _is_anothers([each for each in evidence if each.knows(word)], subject):
                return word
        for kind, offers in part.values:
            if kind is not AnchorKind.NAME and _is_anothers(
                [each for each in evidence if each.has(kind, offers)], subject
            ):
                return min(offers)
    return None


def _known_subject(claim: str, subject: str, given: Sequence[Passage]) -> str:
    """The subject as the evidence's parts name it: a speaker is "I" there."""
    speakers = {each.speaker for each in given if isinstance(each.message, UserMessage)}
    if subject.startswith("@"):
        return subject
    if not subject:
        return "@" + fold(speakers.pop()) if len(speakers) == 1 and is_user(claim) else ""
    own = [speaker for speaker in speakers if is_name_of(subject, speaker)]
    return "@" + fold(own[0]) if own else subject


def _is_anothers(holding: Sequence[Part], subject: str) -> bool:
    """Whether all parts of the evidence that hold it are about somebody else, without the subject."""
    return bool(holding) and all(
        part.subject not in {"", subject} and subject not in part.words and subject not in part.names
        for part in holding
    )


def _swapped(claim: str, claimed: Sequence[Mention], given: Sequence[Passage]) -> str | None:
    said = {pair for each in given for pair in _pairs(each.text, each.mentions)}
    for first, how, second in _pairs(claim, claimed):
        if (second, how, first) in said and (first, how, second) not in said:
            return f"{first} {how} {second}"
    return None


def _renamed(claim: str, given: Sequence[Passage]) -> str | None:
    """A name that the claim gives to somebody whom the evidence calls otherwise."""
    called = dict(pair for each in given for pair in _callings(each.text))
    for who, name in _callings(claim):
        if called.get(who, name) != name:
            return name
    return None


def _callings(text: str) -> Iterator[tuple[str, str]]:
    for match in _CALLED.finditer(text):
        yield fold(match["who"] or match["han"]), fold(match["name"] or match["own"])


def _pairs(text: str, found: Sequence[Mention]) -> Iterator[tuple[str, str, str]]:
    """Two words and what stands between them that makes their order matter."""
    for match in _PAIR.finditer(text):
        yield stem(match["a"].casefold()), match["how"].casefold(), stem(match["b"].casefold())
    names = [each for each in found if each.kind is AnchorKind.NAME]
    if _PASSIVE.search(text) and not re.search(r"\bfrom\b.*\bto\b|从", text):
        return
    for one, two in pairwise(names):
        between = text[one.end : two.start]
        a, b = text[one.start : one.end].casefold(), text[two.start : two.end].casefold()
        for link in _HAN_LINKS.findall(between) or [word.stem for word in content(between)][:1]:
            yield a, link, b
