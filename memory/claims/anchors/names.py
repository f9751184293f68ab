"""Names in a text: words with a capital that need one, Chinese people by title, well-known places."""

import re

from memory.claims import chinese, english
from memory.claims.anchors.anchor import TAKEN, AnchorKind, Mention, Page
from memory.claims.text import HAN, UPPER, sentences
from memory.claims.words import REPORTING, STOP_WORDS, listed

_LETTER = rf"[^\W_{HAN}]"
_CAPITAL = re.compile(rf"(?<!{_LETTER})(?<!')[{UPPER}]{_LETTER}*(?:['-]{_LETTER}+)*")
OPENERS = frozenset(listed(english.OPENERS))
_CALENDAR = frozenset(listed(english.CALENDAR))
_NO_NAME_ENDINGS = ("ing", "ed", "ly", "s")
_VERB_AFTER = re.compile(english.VERB_AFTER)
_TITLED = re.compile(
    rf"(?:(?![的是在有和了])[\u4e00-\u9fff]){{1,2}}(?:{chinese.TITLES})"
    r"|(?<![\u4e00-\u9fff])[小老阿][\u4e00-\u9fff](?=[说想要会在去来给和跟把没不有是住喜的,。]|$)"
)
PERSON_WORD = rf"[{chinese.SURNAMES}][\u4e00-\u9fff]"
PERSON = re.compile(rf"{PERSON_WORD}[\u4e00-\u9fff]?")
# Surnames that also begin common words name nobody here.
_TOLD = re.compile(
    rf"(?<=[让叫请找约由被派])(?![周钱万方高马]){PERSON_WORD}(?:[\u4e00-\u9fff](?=[,。;!]|$))?"
)
_PLACES = re.compile(chinese.PLACES)


def take_names(page: Page) -> None:
    """Note names; each word of a name by itself, so that "Ann" stands in "Ann Meyer"."""
    starts = _sentence_starts(page.text)
    for match in _CAPITAL.finditer(page.rest):
        word = match.group()
        bare = re.sub(r"'s$", "", word)
        if is_common(bare):
            continue
        opens = match.start() in starts
        firm = not opens or _opens_as_name(page.text, match, bare)
        _note(page, match.start(), match.start() + len(bare), bare, firm=firm)
    for pattern in (_TITLED, _TOLD, _PLACES):
        for match in pattern.finditer(page.rest):
            if TAKEN not in match.group():
                _note(page, *match.span(), match.group(), firm=True)


def is_common(word: str) -> bool:
    """Whether a word names nobody even with a capital."""
    folded = word.casefold()
    return len(word) == 1 or any(folded in each for each in (STOP_WORDS, REPORTING, _CALENDAR))


def _note(page: Page, start: int, end: int, word: str, *, firm: bool) -> None:
    reads = frozenset({"name:" + word.casefold()})
    page.mentions.append(Mention(kind=AnchorKind.NAME, start=start, end=end, reads=reads, firm=firm))


def _sentence_starts(text: str) -> set[int]:
    """Where a capital needs no name: at the start of a sentence, a quotation, after a colon or a list mark."""
    found = set()
    for span in sentences(text):
        inner = re.compile(r"[-*•>\s\"'(\[#]*(?:\d+[.)]\s+)?").match(text, span.start)
        found.add(inner.end() if inner else span.start)
    return found | {match.end() for match in re.finditer(r"[:;\"(]\s*|'(?=[A-Z])", text)}


def _opens_as_name(text: str, match: re.Match[str], word: str) -> bool:
    """Whether the first word of a sentence is used as a name: before a verb, and no verb or common noun itself."""
    folded = word.casefold()
    if folded in OPENERS:
        return False
    if word.isupper() or any(char.isupper() for char in word[1:]):
        return True
    if folded.endswith(_NO_NAME_ENDINGS) and not _VERB_AFTER.match(text, match.start() + len(word)):
        return False
    return _VERB_AFTER.match(text, match.start() + len(word)) is not None
