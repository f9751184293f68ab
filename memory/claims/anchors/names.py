"""Names in a text: words with a capital that need one, Chinese people by title, well-known places."""

import re

from memory.claims import chinese, english
from memory.claims.anchors.anchor import TAKEN, AnchorKind, Page
from memory.claims.text import HAN, UPPER, sentences
from memory.claims.words import REPORTING, STOP_WORDS, listed

_LETTER = rf"[^\W_{HAN}]"
_CAPITAL = re.compile(rf"(?<!{_LETTER})(?<!')[{UPPER}]{_LETTER}*(?:['-]{_LETTER}+)*")
OPENERS = frozenset(listed(english.OPENERS))
_CALENDAR = frozenset(listed(english.CALENDAR))
_VERB_AFTER = re.compile(english.VERB_AFTER)
_TITLED = re.compile(
    rf"(?:(?![的是在有和了觉得])[\u4e00-\u9fff]){{1,2}}(?:{chinese.TITLES})"
    r"|(?<![\u4e00-\u9fff])[小老阿][\u4e00-\u9fff](?=[说想要会在去来给和跟把没不有是住喜的,。]|$)"
)
PERSON_WORD = rf"[{chinese.SURNAMES}][\u4e00-\u9fff]"
PERSON = re.compile(rf"{PERSON_WORD}[\u4e00-\u9fff]?")
# Surnames that also begin common words name nobody here.
_TOLD = re.compile(
    rf"(?<=[让叫请找约由被派])(?![周钱万方高马]){PERSON_WORD}(?:[\u4e00-\u9fff](?=[,。;!]|$))?"
)
_PLACES = re.compile(chinese.PLACES)


_NO_NAME_YET = re.compile(r"[:;\"(]\s*|'(?=[A-Z])")
_MARKS = re.compile(r"[-*•>\s\"'(\[#]*(?:\d+[.)]\s+)?")


def take_names(page: Page) -> None:
    """Note names; each word of a name by itself, so that "Ann" stands in "Ann Meyer"."""
    starts = _sentence_starts(page.text)
    for match in page.each(_CAPITAL):
        bare = match.group().removesuffix("'s")
        if not is_common(bare):
            place = (match.start(), match.start() + len(bare))
            firm = place[0] not in starts or _opens_as_name(page.text, bare, end=place[1])
            page.note(AnchorKind.NAME, place, "name:" + bare.casefold(), firm=firm)
    for match in page.each(_TITLED, _TOLD, _PLACES):
        if TAKEN not in match.group():
            page.note(AnchorKind.NAME, match, "name:" + match.group().casefold())


def is_common(word: str) -> bool:
    """Whether a word names nobody even with a capital."""
    folded = word.casefold()
    return len(word) == 1 or any(folded in each for each in (STOP_WORDS, REPORTING, _CALENDAR))


def _sentence_starts(text: str) -> set[int]:
    """Where a capital needs no name: at the start of a sentence, a quotation, after a colon or a list mark."""
    starts = [_MARKS.match(text, span.start) for span in sentences(text)]
    return {match.end() for match in [*starts, *_NO_NAME_YET.finditer(text)] if match}


def _opens_as_name(text: str, word: str, *, end: int) -> bool:
    """Whether the first word of a sentence is used as a name: before a verb, and no verb or common noun itself."""
    if word.casefold() in OPENERS:
        return False
    return any(char.isupper() for char in word[1:]) or _VERB_AFTER.match(text, end) is not None
