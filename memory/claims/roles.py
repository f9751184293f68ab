"""Who does what to whom: "Ann pays" from "Bob pays, I cook", or coffee before tea where it was tea before coffee."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from memory.claims.anchors import AnchorKind, Mention
from memory.claims.anchors.names import PERSON, PERSON_WORD
from memory.claims.attribution import is_name_of, is_user
from memory.claims.parts import Part, claim_parts, evidence_parts, parts
from memory.claims.passages import Passage
from memory.claims.text import UPPER, fold
from memory.claims.words import STOP_WORDS, content, listed, stem
from memory.messages import UserMessage

_PAIR = re.compile(
    r"\b(?P<a>[^\W\d_]+)\s(?P<how>to|over|than|before|after|above|below)\s(?:the\s|a\s)?(?P<b>[^\W\d_]+)\b",
    re.IGNORECASE,
)
_CALLED = re.compile(
    rf"\b(?P<who>[a-z]+)(?:'s name is|'s name's| is called| is named|,? called|,? named) (?P<name>[{UPPER}]\w+)"
    r"|(?P<han>[\u4e00-\u9fff]{1,2})(?:名叫|叫)(?P<own>[\u4e00-\u9fff]{2})"
)
_FROM_TO = re.compile(
    r"(?:\bfrom |从)(?P<start>.{1,40}?)(?:\bto |[改搬换调移延涨降]?[到至])(?P<end>.{1,40})", re.IGNORECASE
)
_HAN_LINK = re.compile(
    r"(?=(?P<a>[\u4e00-\u9fff]{2})(?P<link>[欠给比找教帮借打嫁请约让问向])(?P<b>[\u4e00-\u9fff]{2}))"
)
_TRIPLE = re.compile(r"(?=(?<!\w)(?P<a>[a-z]+) (?P<link>[a-z]+) (?P<b>[a-z]+)(?!\w))")
_MUTUAL = frozenset(map(stem, listed("meet marry date join know")))
_HAN_DOER = re.compile(rf"(?P<name>{PERSON_WORD}[\u4e00-\u9fff]??)(?P<does>[\u4e00-\u9fff]{{2}})")
_HAN_LINKS = re.compile("[到去飞欠给比找教帮借打嫁请约]")
_PASSIVE = re.compile(r"\b(?:by|from)\b|被|由")


def misplaced(claim: str, *, claimed: Sequence[Mention], given: Sequence[Passage]) -> str | None:
    """A word that the tidy claim says of one person and its evidence of another alone, or two that changed places."""
    return (
        _mixed(claim, claimed, given)
        or _of_another(claim, claimed, given)
        or _swapped(claim, claimed, given)
        or _turned(claim, claimed, given)
        or _renamed(claim, given)
    )


def _mixed(claim: str, claimed: Sequence[Mention], given: Sequence[Passage]) -> str | None:
    """A word that the claim takes from one part of the evidence for the rest of another part.

    "The hall is green" from "the kitchen is green, the hall yellow": each part has something of its own that the
    claim says, and something that it leaves out.
    """
    evidence = evidence_parts(given)
    for said in claim_parts(claim, claimed=claimed, given=given):
        for one, other in combinations(evidence, 2):
            if one.is_beside(other):
                first, second = said.takes_half(one, without=other), said.takes_half(other, without=one)
                if first and second:
                    return second
    return None


def _of_another(claim: str, claimed: Sequence[Mention], given: Sequence[Passage]) -> str | None:
    """A value that the evidence has of another alone: "Ann is 29" from "I'm 34 and my sister is 29"."""
    evidence = evidence_parts(given)
    subjects = {part.subject for part in evidence if part.subject}
    if len(subjects) < 2:
        return None
    subject = ""
    own = {each.speaker for each in given}
    for part in parts(claim, found=claimed, speaker=own.pop() if len(own) == 1 else ""):
        subject = _known_subject(claim, part.subject, given) or (subject if part.continues else "")
        if subject not in subjects:
            continue
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


def _turned(claim: str, claimed: Sequence[Mention], given: Sequence[Passage]) -> str | None:
    """The way "from A to B" that the evidence goes from B to A, and what Ann owes Bob where Bob owes Ann."""
    for passage in given:
        own = passage.text.replace("我", passage.speaker)
        for match in _HAN_LINK.finditer(claim):
            a, link, b = match.groups()
            if b + link + a in own and a + link + b not in own:
                return a + link + b
        own_triples = set(_triples(passage.text, speaker=passage.speaker))
        for a, link, b in _triples(claim, speaker=""):
            if (b, link, a) in own_triples and (a, link, b) not in own_triples:
                return f"{a} {link} {b}"
        said, there = _ends(claim, claimed), _ends(passage.text, passage.mentions)
        if said and there and said[0] & there[1] and said[1] & there[0] and not said[0] & there[0]:
            return min(said[0])
    return None


def _triples(text: str, *, speaker: str) -> Iterator[tuple[str, str, str]]:
    """Who does what to whom where three English words in a row say it; of the speaker by their first name."""
    first = next(iter(fold(speaker).split()), "")
    for match in _TRIPLE.finditer(
        re.sub(r"\b(?:i|me)\b", lambda _: first, fold(text)) if first else fold(text)
    ):
        link = stem(match["link"])
        if match["link"] not in STOP_WORDS and link not in _MUTUAL:
            yield match["a"], link, match["b"]


def _ends(text: str, found: Sequence[Mention]) -> tuple[set[str], set[str]] | None:
    """What stands where something begins and where it leads: words, and values that are no part of both."""
    match = _FROM_TO.search(text)
    if match is None:
        return None
    start, end = (
        {word.stem for word in content(match[name])}
        | {
            value
            for each in found
            if match.start(name) <= each.start < match.end(name)
            for value in each.offers
        }
        for name in ("start", "end")
    )
    return start - end, end - start


def _renamed(claim: str, given: Sequence[Passage]) -> str | None:
    """A name that the claim gives to somebody whom the evidence calls otherwise."""
    called = dict(pair for each in given for pair in _callings(each.text))
    for who, name in _callings(claim):
        if called.get(who, name) != name:
            return name
    doer = _HAN_DOER.match(claim)
    for passage in given if doer else ():
        other = re.search(rf"(?:^|[,。;]\s?){PERSON.pattern}{doer['does']}", passage.text) if doer else None
        if doer and other and doer["name"] not in passage.text:
            return doer["name"]
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
