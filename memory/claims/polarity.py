"""Whether a claim says that it is so where its evidence denies it, leaves it open, asks it, or has it of other times."""

from collections.abc import Callable, Iterable

from memory.claims.case import Case
from memory.claims.claim import ClaimKind
from memory.claims.meaning import (
    Tense,
    Use,
    is_doubtful,
    tells_of_asking,
    tells_of_done,
    tells_of_past,
    tells_of_wish,
)


def lost_negation(case: Case) -> str | None:
    """A word that the claim denies and its evidence doesn't, or the other way round.

    What has ended was so before: a claim in the past may say so.
    """
    is_past = tells_of_past(case.text) or any(use.tense is Tense.PAST for use in case.all_words)
    return _first(
        case,
        lambda use, found: all(
            {each.is_denied, use.is_denied} == {True, False}
            and not (is_past and each.is_ended and each.is_denied)
            for each in [each for each in found if not each.is_asked] or found
        ),
    )


def lost_doubt(case: Case) -> str | None:
    """A word that the evidence leaves open or wishes for everywhere, in a claim that says it is so."""
    if _asks(case) or is_doubtful(case.text) or case.keeps_condition:
        return None
    is_wish = case.kind is ClaimKind.DECISION or tells_of_wish(case.text)
    return _first(
        case, lambda _, found: all(each.is_doubted or (each.is_wished and not is_wish) for each in found)
    )


def not_yet_done(case: Case) -> str | None:
    """A verb that the evidence has of what is to come alone, in a claim that it is done."""
    if tells_of_asking(case.text):
        return None
    shared = [(use, each) for use in case.words if not use.is_value for each in case.matches(use)]
    if tells_of_done(case.text) and shared and all(each.is_to_come for _, each in shared):
        return case.written(shared[0][0])
    return _first(
        case,
        lambda use, found: use.is_done and all(each.is_ahead for each in found),
        words=case.all_words,
    )


def lost_past(case: Case) -> str | None:
    """A word that the evidence has of former times alone, in a claim about now."""
    if case.kind is ClaimKind.QUESTION or tells_of_past(case.text):
        return None
    return _first(
        case,
        lambda use, found: all(
            each.is_past or (use.tense is Tense.PRESENT and each.tense is Tense.PAST) for each in found
        ),
    )


def only_asked(case: Case) -> str | None:
    """What stands in questions alone, in a claim that says it is so: an anchor, or every shared word."""
    if _asks(case):
        return None
    anchor = _first(case, lambda use, found: use.is_value and all(each.is_asked for each in found))
    shared = [(use, each) for use in case.words for each in case.matches(use)]
    if anchor is None and shared and all(each.is_asked for _, each in shared):
        return case.written(shared[0][0])
    return anchor


def _asks(case: Case) -> bool:
    return case.kind is ClaimKind.QUESTION or tells_of_asking(case.text)


def _first(
    case: Case, fails: Callable[[Use, list[Use]], bool], *, words: Iterable[Use] | None = None
) -> str | None:
    """The first word of the claim, or of these of it, that the evidence uses in a way that fails."""
    for use in case.words if words is None else words:
        if (found := case.matches(use)) and fails(use, found):
            return case.written(use)
    return None
