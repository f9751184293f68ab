"""Who a claim says it is about, held against who the record says spoke."""

import re
from collections.abc import Sequence

from memory.claims import chinese, english
from memory.claims.anchors import AnchorKind
from memory.claims.anchors.names import OPENERS, PERSON, is_common
from memory.claims.case import Case, Passage
from memory.claims.meaning import tells_of_asking
from memory.claims.text import HAN, UPPER, Span, clauses, fold, is_han, sentences
from memory.claims.trust import is_name_of
from memory.claims.words import akin, either, stems
from memory.messages import AssistantMessage, UserMessage

_WORD = rf"(?-i:[{UPPER}])[^\W\d{HAN}]*(?:-[^\W\d{HAN}]+)*"
_NAME = rf"{_WORD}(?: {_WORD})?"
_OPENING_NAME = re.compile(rf"(?![^\W\d]+ing\b)(?P<name>{_NAME})(?:'s?\b)?(?!\w|-\d)")
_HAN_OPENING = re.compile(rf"(?:^|[,。;\s\"(])(?P<name>[\u4e00-\u9fff]{{2,4}}?){chinese.DOES}")
_NO_PERSON = re.compile(chinese.NO_PERSON)
_ASSISTANT = either(english.ASSISTANT, chinese.ASSISTANT)
_FIRST_PERSON = either(english.FIRST_PERSON, chinese.FIRST_PERSON)
_FRAMES = either(english.FRAMES, chinese.FRAMES)
_PRONOUNS = either(english.PRONOUNS, chinese.PRONOUNS)
_OTHERS_FIRST = either(
    r"^\W*(?:(?P<pronoun>(?:he|she|they|you)\b|他|她|你|您)|(?P<owned>my|our|his|her|their|your) (?P<whom>[a-z]+)"
    rf"|(?P<name>{_NAME})(?={english.VERB_AFTER_NAME})|(?:我的?)?(?P<kin>{chinese.KIN})|(?P<told>{PERSON.pattern}?)(?={chinese.TOLD_ME}))",
)
_QUOTED = re.compile(r'"[^"]*"')
_SAYS = re.compile(r"[:,]\s*$")
_OWNED = either(rf"\b(?:my|our)\b|我的?(?={chinese.KIN})")
_BY = r"(?:\bby |由|被|让|派)"
_BY_SOMEBODY = either(rf"{_BY}(?P<name>[\u4e00-\u9fff]{{2}}|{_NAME})")
_IS_KIN = either(english.KIN)
_CALL = re.compile(rf"[@,]\s*$|^\W*{english.GREETING}\s+$")
_SPEAKER_DOES = re.compile(r"\s*(?:that |,\s*)?(?:i|we|i'm|i'll|i've|i'd|we'll|we're)\b|\s*,?(?:我(?!的)|咱)")
_I_FIRST = either(
    r"\W*(?:(?:and|but|so)\s+)?(?:i|i'm|i'll|i've|i'd)\b(?! \w+ (?:that )?(?:he|she|they)\b)",
    rf"\W*[而但]?我(?![的们]|{chinese.KIN})",
)
_SPEAKER = re.compile(r"\b(?:i|we|i'll|i'm|i've|i'd|we'll|we're|we've|let's)\b|我(?!的)|咱")


def misattributed(case: Case) -> str | None:
    """What the claim gets wrong about who spoke, and of whom."""
    if _ASSISTANT.match(case.opening) and not any(
        isinstance(each.message, AssistantMessage) for each in case.given
    ):
        return "the evidence is not the assistant's words"
    people = [each for each in case.given if isinstance(each.message, UserMessage)]
    if case.is_about_user:
        return _not_of_speaker(case, people, name="the user")
    for name in _subjects(case):
        own = [each for each in case.given if is_name_of(name, each.speaker)]
        is_speaker = any(is_name_of(name, each) for each in case.speakers)
        wrong = _not_of_speaker(case, own, name=name) if own else _not_of(name, case.given)
        if wrong and not any(_is_told_of(name, each) for each in (people if is_speaker else case.given)):
            return wrong
    return None


def _subjects(case: Case) -> list[str]:
    """The names of whom the claim says that they said, did or are something."""
    opener = _OPENING_NAME.match(case.opening)
    found = [opener["name"]] if opener else []
    found += [each["name"] for each in _HAN_OPENING.finditer(case.text) if _may_be_person(each["name"], case)]
    found += [
        each
        for each in case.speakers
        if re.search(rf"{_BY}{re.escape(each)}", case.text)
        or (case.opening.startswith(each) and is_han(case.opening[len(each) - 1 : len(each) + 1]))
    ]
    return list(dict.fromkeys(name for each in found if (name := _proper(each))))


def _proper(name: str) -> str:
    """The name without common words before it: "Perhaps Ann" is Ann."""
    words = name.split()
    while words and _is_no_name(words[0]):
        del words[0]
    return " ".join(words)


def _is_no_name(word: str) -> bool:
    return is_common(word) or word.casefold() in OPENERS


def _may_be_person(name: str, case: Case) -> bool:
    return not _NO_PERSON.search(name) and (
        PERSON.fullmatch(name) is not None or any(is_name_of(name, each) for each in case.speakers)
    )


def _is_told_of(name: str, passage: Passage) -> bool:
    """Whether the passage says something of the one with this name, and is not said to them or about another."""
    named = re.escape(fold(name))
    place = re.search(rf"(?<!\w){named}(?!\w)" if name.isascii() else named, passage.folded)
    if not place:
        return bool(_PRONOUNS.search(passage.text)) and fold(name) in fold(passage.before)
    before, after = _QUOTED.sub("", passage.folded[: place.start()]), passage.folded[place.end() :]
    if re.search(rf"{_BY}$", before):
        return True
    is_called = re.match(r"\s*[,:!]", after) and (not before.strip() or _CALL.search(before))
    is_last = re.match(r"\s*[.!?]?\s*$", after) and re.search(r"[,@]\s*$", before)
    if is_called or is_last or _SPEAKER_DOES.match(after):
        return False
    return not _SPEAKER.search(_FRAMES.sub("", before[clauses(before)[-1].start :]))


def _not_of(name: str, given: Sequence[Passage]) -> str | None:
    """A name that is no speaker's is wrong where the evidence has it in another part, or a record of ours has it."""
    first = name.split(maxsplit=1)[0]
    said = ", ".join(sorted({each.speaker for each in given}))
    if not any(fold(first) in each.folded for each in given):
        return f"said by {said}, not by {name}"
    if not first.isascii() or any(first in each.text for each in given):
        return f"said by {said} of somebody else, not of {name}"
    return None


def _not_of_speaker(case: Case, own: Sequence[Passage], *, name: str) -> str | None:
    """A claim about a speaker needs words of theirs that are about themselves and share something with it."""
    if not own:
        return f"none of the evidence was said by {name}"
    if len(own) < len(case.given) and not tells_of_asking(case.text):
        own = [each for each in own if not all(use.is_asked for use in each.uses)]
    reasons = [_other_than_speaker(case.text, each, name=name) for each in own]
    if all(reasons):
        return reasons[0] if reasons else f"{name} only asked"
    words = [each for each in stems(case.text) if not akin(each, fold(name))]
    values = {
        value for each in case.read_by(own[0]) if each.kind is not AnchorKind.NAME for value in each.offers
    }
    shares = len(own) == len(case.given) or any(
        any(akin(word, use.word.stem) for word in words for use in each.uses)
        or any(values & mention.offers for mention in each.mentions)
        for each in own
    )
    if shares or not words or tells_of_asking(case.text):
        return None
    return f"what {name} said is not what the claim says"


def _other_than_speaker(claim: str, passage: Passage, *, name: str) -> str | None:
    """Whom the passage is about when it is not its speaker and the claim does not name them."""
    if _is_quoted(claim, passage):
        return f"it is quoted, not said by {name}"
    closest = _closest(claim, passage.text, sentences(passage.text))
    told = _FRAMES.sub("", closest, count=1).removeprefix(" that")
    first = _OTHERS_FIRST.match(told)
    if not first or _I_FIRST.match(_closest(claim, told, clauses(told))):
        return _named_instead(claim, passage, name=name)
    if first["pronoun"]:
        is_meant = _FIRST_PERSON.search(passage.text) or _PRONOUNS.search(claim)
        return None if is_meant else f"it is not about {name}"
    whom = first["whom"] or first["kin"] or first["told"] or first["name"]
    if first["name"] and (
        _is_no_name(whom) or is_name_of(whom, passage.speaker) or _FIRST_PERSON.search(whom)
    ):
        return None
    about = stems(whom.casefold())
    is_own = (first["owned"] or "").casefold() in {"my", "our"} and not _IS_KIN.fullmatch(whom)
    if is_own or not about or any(akin(word, each) for word in about for each in stems(claim)):
        return None
    return f"it is about {whom}, not about {name}"


def _closest(claim: str, text: str, stretches: Sequence[Span]) -> str:
    """The stretch of the text that shares most words with the claim, the first among equals."""
    known = stems(claim)
    written = [text[each.start : each.end] for each in stretches]
    return max(written, key=lambda each: sum(any(akin(a, b) for b in known) for a in stems(each)), default="")


def _is_quoted(claim: str, passage: Passage) -> bool:
    """Whether all that the claim shares with the passage is in quotation marks: of one who says "I" there, or of another."""
    quoted = [
        each
        for each in passage.mentions
        if each.kind is AnchorKind.QUOTED
        and (
            _FIRST_PERSON.search(passage.text, each.start, each.end)
            or (
                _SAYS.search(passage.text, 0, each.start)
                and not _SPEAKER.search(_OWNED.sub("", passage.text[: each.start]))
            )
        )
    ]
    known = stems(claim)
    shared = [use.word for use in passage.uses if any(akin(use.word.stem, each) for each in known)]
    return bool(shared) and all(
        any(each.start <= word.start < each.end for each in quoted) for word in shared
    )


def _named_instead(claim: str, passage: Passage, *, name: str) -> str | None:
    """Somebody in the place that the claim gives to the speaker, who doesn't speak of themselves."""
    if _FIRST_PERSON.search(passage.text) or not re.search(rf"{_BY}{re.escape(name)}", claim, re.IGNORECASE):
        return None
    other = _BY_SOMEBODY.search(passage.text)
    return f"it is about {other['name']}, not about {name}" if other else None
