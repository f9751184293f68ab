"""What a claim says of the wrong thing: "the bus at 9" from "the train leaves at 9 and the bus at 10"."""

import re
from collections.abc import Iterator
from itertools import combinations

from memory.claims import chinese, english
from memory.claims.anchors.names import PERSON, PERSON_WORD
from memory.claims.case import Case
from memory.claims.superseded import corrects
from memory.claims.text import fold
from memory.claims.words import either

_CALLED = either(english.CALLED, chinese.CALLED)
_OF_MINE = either(
    r"\bmy (?:\w+ )?(?P<owner_en>\w+)'s (?:\w+ )??(?P<owned_en>\w+)\b",
    rf"我的?(?P<owner_zh>{chinese.KIN}|{chinese.KIN_ALONE}|[\u4e00-\u9fff]{{2}})(?:家?的|生了?[一个]{{0,2}})(?P<owned_zh>[\u4e00-\u9fff]{{2}}|[\u4e00-\u9fff])",
)
_HAN_DOER = re.compile(rf"(?P<name>{PERSON_WORD}[\u4e00-\u9fff]??)(?P<does>[\u4e00-\u9fff]{{2}})")


def mixed_parts(case: Case) -> str | None:
    """A word or value that the claim takes from one part of the evidence for the rest of another part.

    "The bus leaves at 9" from "the train leaves at 9 and the bus at 10": each part has something of its own that
    the claim says, and something that it leaves out.
    """
    corrections = {each.message.seq for each in case.given if corrects(each)}
    for one, other in combinations(case.evidence_parts, 2):
        # A correction is there to be put in the place of what was said before it.
        if one.source != other.source and {one.source, other.source} & corrections:
            continue
        for said in case.parts if one.is_beside(other) else ():
            first, second = said.takes_half(one, without=other), said.takes_half(other, without=one)
            if first and second:
                return second
    return None


def value_of_another(case: Case) -> str | None:
    """A value that the evidence has of somebody else alone, of whom the claim says nothing."""
    for said in case.parts:
        for value in said.values:
            holding = [part for part in case.evidence_parts if part.has(value)]
            is_said_of = any(map(said.knows, (word for part in case.evidence_parts for word in part.words)))
            if (
                holding
                and is_said_of
                and all(part.names and not any(map(said.knows, part.words)) for part in holding)
            ):
                return case.text[value.start : value.end]
    return None


def skipped_owner(case: Case) -> str | None:
    """What the claim gives to a speaker and the evidence to somebody of theirs: my boss's uncle is not my uncle."""
    names = "|".join([*(re.escape(each.speaker) for each in case.given), "the user", "用户"])
    for chain in (found for each in case.given for found in _OF_MINE.finditer(each.text)):
        owner, owned = (chain[f"{name}_en"] or chain[f"{name}_zh"] for name in ("owner", "owned"))
        taken = rf"(?:{names})(?:'s (?:\w+ )?| has an? (?:\w+ )?|的|有了?一?[个位]?){re.escape(owned)}"
        if owner.casefold() not in fold(case.text) and re.search(taken, case.text, re.IGNORECASE):
            return owned
    return None


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
