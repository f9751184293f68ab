"""The terms of a text: what is indexed of a message and what is asked of the index.

Words are folded (case, width, accents) and stemmed. Scripts that put no spaces between words are cut into
overlapping pairs of characters, and the last character of a run stands alone as well, so that a single
character is found by its prefix.
"""

import re
import unicodedata
import zlib
from collections.abc import Sequence
from functools import lru_cache

from memory.archive.stemming import english_stem
from memory.archive.words import (
    COURTESIES,
    COURTESY_PHRASES,
    IRREGULAR,
    STOP_CHARACTERS,
    STOP_PHRASES,
    STOP_WORDS,
)

# Han, kana, hangul, Thai, Lao, Burmese, Khmer.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
# Vowel signs and accents that are no word characters to `re`: Hebrew, Arabic, the scripts of India.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff"
_LETTER = rf"[^\W_{_UNSPACED}]"
_RUN = re.compile(rf"[{_UNSPACED}]+|{_LETTER}(?:{_LETTER}|[{_MARKS}])*(?:'[a-z]{{1,2}}(?![a-z]))?")
_RUN_ASCII = re.compile(r"[a-z0-9]+(?:'[a-z]{1,2}(?![a-z]))?")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
FIRST_UNSPACED = "\u0e00"
# A pasted file is a few thousand words; more of one message would only make the index slow.
_LONGEST_TEXT = 200_000
_SHORT = 8
# No word has this character, and the tokenizer of the index takes it for a letter.
_VERBATIM = "≡"
# Words that share so many of their first letters are far more often akin than not.
_KINDRED = 5
# Longer ones are keys and encoded data: their beginning says as much.
_LONGEST_TERM = 48


def fold(text: str) -> str:
    """One spelling of the text: lower case, compatibility forms and apostrophes unified."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'").replace("\u2018", "'")


def terms(text: str) -> list[str]:
    """Every term of a message in reading order, repeats included."""
    found: list[str] = []
    for run in _runs(text):
        if run[0] >= FIRST_UNSPACED and _IS_UNSPACED.match(run):
            found.extend([run[i : i + 2] for i in range(len(run))])
        else:
            found.append(stem(run))
    return found


def verbatim(found: Sequence[str]) -> list[str]:
    """One more term for a short message: all of its words at once, so that whoever quotes it finds it.

    Its words alone may be too common for that. A long message has rare ones.
    """
    if not 0 < len(found) <= _SHORT:
        return []
    return [f"{_VERBATIM}{zlib.crc32(' '.join(found).encode()):08x}"]


def query_terms(text: str) -> list[str]:
    """What to ask for: the terms that carry meaning, or all of them where none does; no repeats.

    A term that ends in `*` is a prefix: a single character of an unspaced script.
    """
    runs = _runs(text)
    return _meaningful(runs) or _all(runs)


def content_terms(text: str) -> list[str]:
    """The terms that carry meaning, possibly none: a greeting, an acknowledgement, praise."""
    runs: list[str] = []
    for run in _runs(text):
        runs.extend([run] if run.isascii() else COURTESY_PHRASES.split(run))
    return _meaningful([run for run in runs if run and run not in COURTESIES])


def is_pair(term: str) -> bool:
    """Whether the term is a pair of characters of an unspaced script."""
    return len(term) == 2 and term[0] >= FIRST_UNSPACED and bool(_IS_UNSPACED.match(term))


def kin(term: str) -> str | None:
    """The prefix that kindred words share with the term, as musician and musical do; None where it has no kin.

    Stemming leaves apart what is derived in two steps or put together: injury and injured, camper and campervan.
    """
    return term[:_KINDRED] + "*" if len(term) >= _KINDRED and term.isalpha() else None


def _runs(text: str) -> list[str]:
    """Words, and stretches of characters that are written without spaces."""
    folded = fold(text[:_LONGEST_TEXT])
    return (_RUN_ASCII if folded.isascii() else _RUN).findall(folded)


def _meaningful(runs: list[str]) -> list[str]:
    found: dict[str, None] = {}
    for run in runs:
        if _IS_UNSPACED.match(run):
            found.update(dict.fromkeys(_pairs_with_meaning(run)))
        elif run not in STOP_WORDS:
            found[stem(run)] = None
    return list(found)


def _all(runs: list[str]) -> list[str]:
    found: dict[str, None] = {}
    for run in runs:
        if not _IS_UNSPACED.match(run):
            found[stem(run)] = None
        elif len(run) == 1:
            found[run + "*"] = None
        else:
            found.update(dict.fromkeys(_pairs(run)))
    return list(found)


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]


def _pairs_with_meaning(run: str) -> list[str]:
    """Pairs of a run without its question and function words; what these leave alone is asked as a prefix."""
    found: list[str] = []
    for part in STOP_PHRASES.split(run):
        if len(part) == 1 and part not in STOP_CHARACTERS:
            found.append(part + "*")
        found.extend(pair for pair in _pairs(part) if not set(pair) <= STOP_CHARACTERS)
    return found


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem that the forms of a word share; `word` is folded. English endings, harmless elsewhere."""
    if not word.isascii():
        word = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    bare = word.removesuffix("'s").replace("'", "")[:_LONGEST_TERM]
    bare = IRREGULAR.get(bare, bare)
    return english_stem(bare) if bare.isalpha() else bare
