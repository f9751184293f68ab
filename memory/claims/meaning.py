"""What the clauses of a text do with their words: deny, doubt, ask, or put them into the past."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from memory.claims import chinese, english
from memory.claims.anchors import AnchorKind, Mention
from memory.claims.text import clauses, is_han, sentences
from memory.claims.words import Word, content, either, is_past_form, is_present_form

_NOT_DENIALS = either(english.NOT_DENIALS, chinese.NOT_DENIALS)
_DENIALS = either(english.DENIALS, chinese.DENIALS)
_DENIES_WHAT_FOLLOWS = either(english.DENIES_WHAT_FOLLOWS, chinese.DENIES_WHAT_FOLLOWS)
_NOT = either(chinese.NOT)
_CORRECTION = either(english.CORRECTION, chinese.CORRECTION)
_AUXILIARY = either(english.AUXILIARY)
_NEITHER = either(r"\bneither\b")
_ENDED = either(english.ENDED, chinese.ENDED)
_NOT_YET = either(english.NOT_YET, chinese.NOT_YET)
_END_FROM = either(chinese.END_FROM)
_END_STOPS = either(english.END_STOPS, chinese.END_STOPS)
_ASKED_WITHIN = either(english.ASKED_WITHIN, chinese.ASKED_WITHIN)
_ATTRIBUTE = re.compile(f"[^{chinese.NO_ATTRIBUTE}]的(?=[\u4e00-\u9fff])")
_THREE_WORDS = re.compile(r"(?:\s+[\w'-]+){1,3}")
_DOUBTS = either(english.DOUBTS, chinese.DOUBTS, english.CONDITION, chinese.CONDITION)
_WISHES = either(english.WISHES, chinese.WISHES)
_MEANT = either(english.WISHES, chinese.WISHES, english.PLANS, chinese.PLANS)
_CONDITION = either(english.CONDITION, chinese.CONDITION)
_ASKING = either(english.ASKING, chinese.ASKING)
_QUESTION = either(r"\?[\"')」』]*\s*$", chinese.QUESTION)
_TAG = either(english.TAG, chinese.TAG)
_PAST = either(english.PAST, chinese.PAST)
_ONCE = either(english.ONCE, chinese.ONCE)
_LEFT_BEHIND = either(english.LEFT_BEHIND, chinese.LEFT_BEHIND)
_TO_BE = either(english.TO_BE)
_DONE = either(chinese.DONE)
_AHEAD = either(english.AHEAD)
_HAN_AHEAD = either(chinese.AHEAD)
_TO_COME, _PERFECT = either(english.TO_COME), either(english.PERFECT)
_IS, _WAS = either(english.IS), either(english.WAS)


class Tense(Enum):
    """Whether a verb tells of now or of before."""

    PRESENT = auto()
    PAST = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One word in its clause, and what is done with it there."""

    word: Word
    tense: Tense | None
    is_denied: bool | None
    is_ended: bool
    is_doubted: bool
    is_wished: bool
    is_asked: bool
    is_past: bool
    is_ahead: bool
    is_to_come: bool
    is_done: bool

    @property
    def is_value(self) -> bool:
        """Whether it is the value of an anchor."""
        return ":" in self.word.stem


@dataclass(frozen=True, slots=True)
class _Reach:
    """The stretch of a clause that a denial may deny; only from `sure_from` to `sure_to` it surely does.

    It `is_end` where something was so and is no more.
    """

    start: int
    end: int
    sure_from: int
    sure_to: int
    is_end: bool = False

    def is_sure_of(self, word: Word) -> bool:
        """Whether it surely denies the word."""
        return self.sure_from <= word.start and word.end <= self.sure_to


def uses(text: str, *, marks: Iterable[Mention] = ()) -> list[Use]:
    """The meaning-bearing words of a tidy text, clause by clause; each value of `marks` counts as a word too."""
    found: list[Use] = []
    values = [mark for mark in marks if mark.kind not in {AnchorKind.NAME, AnchorKind.QUOTED}]
    for sentence in sentences(text):
        written = text[sentence.start : sentence.end]
        asked = is_question(written) and not _TAG.search(written)
        conditional = _CONDITION.search(written) is not None
        for span in clauses(written):
            clause = written[span.start : span.end]
            at = sentence.start + span.start
            left = _LEFT_BEHIND.search(clause)
            behind = left.span(left.lastgroup) if left and left.lastgroup else (0, 0)
            reaches = _reaches(clause, is_corrected=_CORRECTION.match(written, span.end) is not None)
            is_doubted = conditional or is_doubtful(clause)
            is_wished = _WISHES.search(clause) is not None
            is_past = _ONCE.search(clause) is not None
            ahead = [each.end() for each in _HAN_AHEAD.finditer(clause)]
            found.extend(
                Use(
                    word=Word(word.stem, at + word.start, at + word.end),
                    tense=_tense(clause, word),
                    is_denied=_denied(word, reaches),
                    is_ended=any(each.is_end and each.is_sure_of(word) for each in reaches),
                    is_doubted=is_doubted,
                    is_wished=is_wished,
                    is_asked=asked,
                    is_past=is_past or behind[0] <= word.start < behind[1],
                    is_ahead=_AHEAD.search(clause, 0, word.start) is not None
                    or any(end <= word.start for end in ahead),
                    is_to_come=_TO_COME.search(clause, 0, word.start) is not None,
                    is_done=_is_done(clause, word),
                )
                for word in _words(clause, at, values)
            )
    return found


def _words(clause: str, at: int, values: Sequence[Mention]) -> Iterator[Word]:
    for word in content(clause):
        if not any(value.start <= at + word.start < value.end for value in values):
            yield word
    for value in values:
        if at <= value.start < at + len(clause):
            for each in sorted(value.offers):
                yield Word(each, value.start - at, value.end - at)


def _tense(clause: str, word: Word) -> Tense | None:
    """In which English tense the word stands as a verb, or beside "is" and "was" where it is none."""
    written = "" if ":" in word.stem else clause[word.start : word.end].casefold()
    if is_past_form(written) or _WAS.search(clause, 0, word.start):
        return Tense.PAST
    return Tense.PRESENT if is_present_form(written) or _IS.search(clause, 0, word.start) else None


def _is_done(clause: str, word: Word) -> bool:
    """Whether the word, where it is a verb, tells of what has happened; in Chinese the clause does."""
    if is_han(word.stem):
        return _DONE.search(clause) is not None
    written = clause[word.start : word.end].casefold()
    return is_past_form(written) and not _TO_BE.search(clause, 0, word.start)


def is_question(sentence: str) -> bool:
    """Whether a tidy sentence ends as questions do."""
    return _QUESTION.search(sentence) is not None


def is_doubtful(text: str) -> bool:
    """Whether the text says that it may be otherwise, or on a condition."""
    return _DOUBTS.search(text) is not None


def tells_condition(clause: str) -> bool:
    """Whether a clause is the condition of another."""
    return _CONDITION.search(clause) is not None


def tells_of_wish(text: str) -> bool:
    """Whether a claim says that somebody wants or means to do it, not that it is so."""
    return _MEANT.search(text) is not None


def tells_of_asking(text: str) -> bool:
    """Whether a claim says that something was asked or wished for, not that it is so."""
    return _ASKING.search(text) is not None


def tells_of_done(text: str) -> bool:
    """Whether a claim says that something has been done, and nothing of what is to come."""
    return _PERFECT.search(text) is not None and not _TO_COME.search(text)


def tells_of_past(text: str) -> bool:
    """Whether a claim says that something was so."""
    return _PAST.search(text) is not None


def _denied(word: Word, reaches: Sequence[_Reach]) -> bool | None:
    """Whether an odd number of denials reach the word; None where that can't be told."""
    reaching = [each for each in reaches if each.start < word.end <= each.end]
    is_clear = all(each.is_sure_of(word) for each in reaching)
    return len(reaching) % 2 == 1 if is_clear else None


def _reaches(clause: str, *, is_corrected: bool) -> list[_Reach]:
    """How far each denial reaches: one beside a verb over the whole clause, "not X" over what follows."""
    harmless = {place for match in _NOT_DENIALS.finditer(clause) for place in range(*match.span())}
    found = []
    ends = [
        _end(clause, match)
        for match in _ENDED.finditer(clause)
        if not _NOT_YET.search(clause, 0, match.start())
    ]
    ended = {place for match in _ENDED.finditer(clause) for place in range(*match.span())}
    for match in _DENIALS.finditer(clause):
        denial, start, end = match.group().casefold(), 0, len(clause)
        sure_from = match.end() if _NOT.fullmatch(denial) else 0
        is_nor = denial == "nor" and _NEITHER.search(clause, 0, match.start())
        if match.start() in harmless or match.start() in ended or is_nor:
            continue
        if denial == "without":
            few = _THREE_WORDS.match(clause, match.end())
            start, end = match.end(), few.end() if few else match.end()
        elif is_corrected or (
            _DENIES_WHAT_FOLLOWS.fullmatch(denial) and not _AUXILIARY.search(clause, 0, match.start())
        ):
            start = match.end()
        within = _ASKED_WITHIN.search(clause, match.end()) or _ATTRIBUTE.search(clause, match.end())
        found.append(_Reach(start, end, sure_from, within.end() if within else end))
    return found + ends


def _end(clause: str, match: re.Match[str]) -> _Reach:
    """What came to an end: what stands before a verb like "ended", behind one like "sold"; in Chinese either."""
    stop = _END_STOPS.search(clause, match.end())
    behind = stop.start() if stop else len(clause)
    groups = match.groupdict()
    starts = [each.end() for each in _END_FROM.finditer(clause, 0, match.start())]
    sure_from = match.end() if groups["object"] or groups["leaver"] else 0
    if is_han(match.group()) and starts:
        sure_from = starts[-1]
    sure_to = match.start() if groups["subject"] else behind
    return _Reach(0, len(clause), sure_from, sure_to, is_end=True)
