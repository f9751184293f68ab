"""What was meant as less than it says: in jest, as a dream, or as an attempt whose end is open."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memory.claims import chinese, english, english_force
from memory.claims.case import Case
from memory.claims.claim import ClaimKind
from memory.claims.text import is_han, sentences
from memory.claims.words import akin, either


@dataclass(frozen=True, slots=True)
class _Weakening:
    """What weakens a sentence, in which claims that matters, what keeps it there, and what of the evidence settles it."""

    said: re.Pattern[str]
    matters: Callable[[Case], bool]
    kept_by: re.Pattern[str]
    settled_by: re.Pattern[str] | None = None


_INTENDS = either(english_force.INTENDS, chinese.INTENDS)
_DREAMS = either(english_force.DREAMS, chinese.DREAMS)
_TRIES = either(english_force.TRIES, chinese.TRIES)
_REACHED = either(english_force.REACHED, chinese.REACHED)
_GOT = either(chinese.GOT)


def _tells_more(case: Case) -> bool:
    """Whether the claim has something done of which the evidence says nothing."""
    return _GOT.search(case.text) is not None or any(
        use.is_done and not is_han(use.word.stem) and not case.matches(use) for use in case.words
    )


_WEAKENINGS = (
    _Weakening(
        either(english_force.EXAGGERATES, chinese.EXAGGERATES),
        lambda _: True,
        either(english_force.JESTS, chinese.JESTS),
    ),
    _Weakening(
        _DREAMS,
        lambda case: _INTENDS.search(case.text) is not None,
        either(english_force.DREAMS, english.WISHES, chinese.DREAMS, chinese.WISHES),
        _INTENDS,
    ),
    _Weakening(_TRIES, _tells_more, _TRIES, _REACHED),
)


def weakened(case: Case) -> str | None:
    """The word of the evidence that weakens all that the claim takes from it, and of which the claim has nothing."""
    if case.kind is ClaimKind.QUESTION:
        return None
    shared = list(_shared(case))
    for each in _WEAKENINGS:
        found = [each.said.search(text) for text in shared]
        settled = each.settled_by is not None and any(map(each.settled_by.search, shared))
        if settled or each.kept_by.search(case.text) or not each.matters(case):
            continue
        if found and (first := found[0]) and all(found):
            return first.group()
    return None


def _shared(case: Case) -> Iterator[str]:
    """The sentences of the evidence that share a word with the claim, each with a question or exclamation before it."""
    for passage in case.given:
        before = passage.before if passage.before.endswith(("?", "!")) else ""
        for span in sentences(passage.text):
            uses = [each for each in passage.uses if span.start <= each.word.start < span.end]
            text = passage.text[span.start : span.end]
            if any(akin(use.word.stem, word.word.stem) for word in case.words for use in uses):
                yield f"{before} {text}"
            before = text if text.endswith(("?", "!")) else ""
