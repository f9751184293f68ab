"""What gives a message away where only a part of it is said again: a name, a number, an address, a run of characters."""

import re
from collections.abc import Sequence
from datetime import UTC
from functools import lru_cache

from memory.claims.anchors import AnchorKind, mentions
from memory.claims.text import HAN, fold, tidy
from memory.claims.words import stems
from memory.messages import Message, UserMessage

_TELLING = frozenset(AnchorKind) - {AnchorKind.NUMBER, AnchorKind.DATE, AnchorKind.TIME}
_NUMBER = re.compile(r"\d[\d.,:/-]*\d")
# A shorter number stands in many a text for another reason, and so does a year.
_LEAST_DIGITS = 4
_YEAR = re.compile(r"(?:19|20)\d\d")
# Of languages without spaces: so many characters in a row are no phrase that everybody uses.
_RUN = 6
_RUNS = re.compile(f"[{HAN}]{{{_RUN},}}")
# Of a pasted file: every message of an audience is looked through for each of them.
_MOST = 100


def traces(message: Message) -> frozenset[str]:
    """What in it others may repeat without repeating the whole, folded."""
    text = tidy(message.content)
    named = {
        text[each.start : each.end]
        for each in mentions(text, said_at=message.at, zone=UTC)
        if each.kind in _TELLING and each.firm
    }
    numbers = {
        number
        for number in _NUMBER.findall(text)
        if sum(map(str.isdigit, number)) >= _LEAST_DIGITS and not _YEAR.fullmatch(number)
    }
    parts = {*filter(None, map(fold, named | numbers))}
    return frozenset({*sorted(parts, key=lambda part: (-len(part), part))[:_MOST], *_runs(fold(text))})


def _runs(folded: str) -> set[str]:
    return {run[at : at + _RUN] for run in _RUNS.findall(folded) for at in range(len(run) - _RUN + 1)}


@lru_cache(maxsize=8)
def _spaced(parts: frozenset[str]) -> tuple[str, ...]:
    """Those that are no runs, for which a text has to be searched."""
    return tuple(part for part in parts if not _RUNS.fullmatch(part))


def found_in(text: str, parts: frozenset[str]) -> set[str]:
    """Those of the parts that stand in a text, as words of their own where words are set apart."""
    folded = fold(text)
    spaced = {part for part in _spaced(parts) if part in folded and _whole(part).search(folded)}
    return spaced | (_runs(folded) & parts)


def said_by_people(messages: Sequence[Message], parts: frozenset[str], *, but: int | None) -> set[str]:
    """Those of the parts that stand in any message of a person but that of this number."""
    said = (each.content for each in messages if isinstance(each, UserMessage) and each.seq != but)
    return {part for text in said for part in found_in(text, parts)}


def answers(message: Message, following: Sequence[Message]) -> frozenset[int]:
    """The numbers of what was said and done in answer to a person's message, as far as it has a word of it.

    `following` are the messages after it; several of people may be answered at once.
    """
    if not isinstance(message, UserMessage):
        return frozenset()
    words, parts = {*stems(fold(message.content))}, traces(message)
    seqs: set[int] = set()
    is_answered = False
    for each in following:
        if isinstance(each, UserMessage):
            if is_answered:
                break
            continue
        is_answered = True
        if not words.isdisjoint(stems(fold(each.content))) or found_in(each.content, parts):
            seqs.add(each.seq)
    return frozenset(seqs)


def _whole(part: str) -> re.Pattern[str]:
    before = r"(?<!\w)" if re.match(r"[^\W_]", part) and not re.match(f"[{HAN}]", part) else ""
    after = r"(?!\w)" if re.search(r"[^\W_]$", part) and not re.search(f"[{HAN}]$", part) else ""
    # A letter of a language without spaces is a letter, and none of this word.
    before, after = (side.replace(r"\w", rf"[^\W{HAN}]") for side in (before, after))
    return re.compile(before + re.escape(part) + after)
