"""What a claim says of the wrong thing: "the bus at 9" from "the train leaves at 9 and the bus at 10"."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, product

from memory.claims import chinese, english
from memory.claims.anchors import AnchorKind, Mention
from memory.claims.anchors.names import PERSON, PERSON_WORD
from memory.claims.case import Case
from memory.claims.parts import Part, parts
from memory.claims.text import fold
from memory.claims.trust import is_name_of
from memory.claims.words import akin, either

_CALLED = either(english.CALLED, chinese.CALLED)
_HAN_DOER = re.compile(rf"(?P<name>{PERSON_WORD}[\u4e00-\u9fff]??)(?P<does>[\u4e00-\u9fff]{{2}})")


def crossed_value(case: Case) -> str | None:
    """The value that the evidence gives to something else than the claim does, as written.

    A value is crossed when a word beside it stands in the evidence only beside other values of the kind, while
    the value itself stands there beside a word that the claim has nowhere.
    """
    if sum(bool(part.values) for part in case.evidence_parts) < 2:
        return None
    known = {word for part in case.parts for word in part.words}
    firm = [each for each in case.claimed if each.firm and each.kind is not AnchorKind.QUOTED]
    for part, mention in product(case.parts, firm):
        if part.has(mention.kind, mention.reads) and _is_crossed(part, mention, known, case.evidence_parts):
            return case.text[mention.start : mention.end]
    return None


def _is_crossed(part: Part, mention: Mention, known: set[str], evidence: Sequence[Part]) -> bool:
    holding = [each for each in evidence if each.has(mention.kind, mention.reads)]
    if not holding or not all(_has_foreign(each, known) for each in holding):
        return False
    sources = {each.source for each in holding}
    for word in part.words:
        is_speaker = word.startswith("@")
        if is_speaker and not all(each.names - known for each in holding):
            continue  # what somebody says is theirs unless it names another
        if mention.kind is AnchorKind.NAME and any(word in each.names for each in evidence):
            continue  # of two names each may stand with its own
        beside = [each for each in evidence if each.knows(word)]
        if not is_speaker and sources.isdisjoint(each.source for each in beside):
            continue  # a word that another message happens to use too
        if beside and all(each.competes(mention.kind, mention.reads) for each in beside):
            return True
    return False


def _has_foreign(part: Part, known: set[str]) -> bool:
    return any(not any(akin(word, each) for each in known) for word in part.words)


def mixed_parts(case: Case) -> str | None:
    """A word that the claim takes from one part of the evidence for the rest of another part.

    "The hall is green" from "the kitchen is green, the hall yellow": each part has something of its own that the
    claim says, and something that it leaves out.
    """
    for said in case.parts:
        for one, other in combinations(case.evidence_parts, 2):
            if one.is_beside(other):
                first, second = said.takes_half(one, without=other), said.takes_half(other, without=one)
                if first and second:
                    return second
    return None


def value_of_another(case: Case) -> str | None:
    """A value that the evidence has of another alone: "Ann is 29" from "I'm 34 and my sister is 29"."""
    subjects = {part.subject for part in case.evidence_parts if part.subject}
    if len(subjects) < 2:
        return None
    subject = ""
    own = {each.speaker for each in case.given}
    for part in parts(case.text, found=case.claimed, speaker=own.pop() if len(own) == 1 else ""):
        subject = _known_subject(case, part.subject) or (subject if part.continues else "")
        if subject not in subjects:
            continue
        for kind, offers in part.values:
            holding = [each for each in case.evidence_parts if each.has(kind, offers)]
            if kind is not AnchorKind.NAME and _is_anothers(holding, subject):
                return min(offers)
    return None


def _known_subject(case: Case, subject: str) -> str:
    """The subject as the evidence's parts name it: a speaker is "I" there."""
    if subject.startswith("@"):
        return subject
    own = [speaker for speaker in case.people if not subject or is_name_of(subject, speaker)]
    if not subject:
        return "@" + fold(own[0]) if len(own) == 1 and case.is_about_user else ""
    return "@" + fold(own[0]) if own else subject


def _is_anothers(holding: Sequence[Part], subject: str) -> bool:
    """Whether all parts of the evidence that hold it are about somebody else, without the subject."""
    return bool(holding) and all(
        part.subject not in {"", subject} and subject not in part.words and subject not in part.names
        for part in holding
    )


def renamed(case: Case) -> str | None:
    """A name that the claim gives to somebody whom the evidence calls otherwise."""
    called = dict(pair for each in case.given for pair in _callings(each.text))
    for who, name in _callings(case.text):
        if called.get(who, name) != name:
            return name
    doer = _HAN_DOER.match(case.text)
    for each in case.given if doer else ():
        other = doer and re.search(rf"(?:^|[,。;]\s?){PERSON.pattern}{doer['does']}", each.text)
        if doer and other and doer["name"] not in each.text:
            return doer["name"]
    return None


def _callings(text: str) -> Iterator[tuple[str, str]]:
    for match in _CALLED.finditer(text):
        yield fold(match["who"] or match["han"]), fold(match["name"] or match["own"])
