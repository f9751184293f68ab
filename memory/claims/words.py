"""The words of a text that carry its meaning, in a form that their inflections share."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memory.claims import chinese, english
from memory.claims.text import HAN, is_han


def listed(words: str) -> list[str]:
    """The words of a list that is written as a text."""
    return words.split()


def either(*patterns: str) -> re.Pattern[str]:
    """What any of the patterns finds, in capitals or not: one for each language."""
    return re.compile("|".join(patterns), re.IGNORECASE)


STOP_WORDS = frozenset(listed(english.STOP_WORDS))
REPORTING = frozenset(listed(english.REPORTING))

_IRREGULAR = {form: base for base, *forms in map(listed, english.FORMS.split("|")) for form in forms}
_PAST_FORMS = frozenset(_IRREGULAR) - frozenset(listed(english.NOT_PAST))
_ENDINGS = (("ies", 0), ("ing", 3), ("ied", 0), ("ed", 3), ("es", 3), ("s", 3))
"""An ending, and the letters that stand before it at least: "sing" and "red" have none."""
_LETTERS = rf"[^\W\d_{HAN}]"
_WORD = re.compile(rf"{_LETTERS}+(?:['-]{_LETTERS}+)*|[{HAN}]+")
_HAN_FRAME = re.compile(chinese.FRAME)
_AKIN_CHARS = 5


@dataclass(frozen=True, slots=True)
class Word:
    """A word that carries meaning, where it stands; of Chinese a pair of characters, or one that stands alone."""

    stem: str
    start: int
    end: int


def content(text: str) -> Iterator[Word]:
    """The words of a tidy text that carry meaning, in reading order."""
    for match in _WORD.finditer(text):
        if is_han(match.group()):
            yield from _han_words(match.group(), at=match.start())
            continue
        for part in re.finditer(r"[^-]+", match.group().casefold()):
            if part.group() not in STOP_WORDS:
                start = match.start() + part.start()
                yield Word(stem(part.group()), start, start + len(part.group()))


def stems(text: str) -> list[str]:
    """What `content` finds, without the places."""
    return [word.stem for word in content(text)]


def _han_words(run: str, *, at: int) -> Iterator[Word]:
    start = 0
    for frame in [*_HAN_FRAME.finditer(run), None]:
        end = frame.start() if frame else len(run)
        for place in range(start, max(end - 1, start + 1) if end > start else start):
            yield Word(run[place : min(place + 2, end)], at + place, at + min(place + 2, end))
        start = frame.end() if frame else end


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """What the forms of an English word share; harmless for other languages, alike on both sides."""
    bare = re.sub(r"'\w*$", "", word)
    bare = _IRREGULAR.get(bare, bare)
    for ending, least in _ENDINGS:
        if bare.endswith(ending) and len(bare) >= least + len(ending) and not bare.endswith("ss"):
            bare = bare[: -len(ending)] + ("y" if ending in {"ies", "ied"} else "")
            break
    if len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "aeiousl":
        bare = bare[:-1]
    return bare.removesuffix("e") if len(bare) > 3 else bare


def is_past_form(word: str) -> bool:
    """Whether a verb, where it is one, stands in the past."""
    return word in _PAST_FORMS or (word.endswith("ed") and len(word) > 4)


def is_present_form(word: str) -> bool:
    """Whether a verb, where it is one, is of a third person's present."""
    return word.endswith("s") and word not in _PAST_FORMS


def akin(a: str, b: str) -> bool:
    """Whether two stems are forms of one word: equal, or alike in all but their endings."""
    if a == b:
        return True
    if ":" in a + b or "@" in a + b:
        return False
    if is_han(a) or is_han(b):
        return (len(a) == 1 and a in b) or (len(b) == 1 and b in a)
    shared = max(_AKIN_CHARS, -(-3 * max(len(a), len(b)) // 5))
    return len(a) >= shared <= len(b) and a[:shared] == b[:shared]
