"""The stem that the forms of an English word share, by Porter's rules of 1980.

Words of other languages pass through the same rules, alike when indexed and when asked, so no harm is done.
"""

import re

from memory.claims.words import listed

_CONSONANTS = "[^aeiou][^aeiouy]*"
_VOWELS = "[aeiouy][aeiou]*"
# Porter's measure of a stem is how often vowels are followed by consonants in it.
_ONE_OR_MORE = re.compile(f"^(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}")
_EXACTLY_ONE = re.compile(f"^(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}(?:{_VOWELS})?$")
_TWO_OR_MORE = re.compile(f"^(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}{_VOWELS}{_CONSONANTS}")
_HAS_VOWEL = re.compile(f"^(?:{_CONSONANTS})?[aeiouy]")
_ENDS_DOUBLED = re.compile(r"([^aeiouylsz])\1$")
_ENDS_SHORT = re.compile(f"^{_CONSONANTS}[aeiouy][^aeiouwxy]$")

_DERIVED = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
    "logi": "log",
}  # fmt: skip
_ENDINGS = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_BARE = listed("al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize sion tion")


def _longest_first(endings: list[str]) -> re.Pattern[str]:
    return re.compile(f"(?:{'|'.join(sorted(endings, key=len, reverse=True))})$")


_DERIVED_ENDING = _longest_first(list(_DERIVED))
_OTHER_ENDING = _longest_first(list(_ENDINGS))
_BARE_ENDING = _longest_first(_BARE)


def english_stem(word: str) -> str:
    """The stem of a word in lower-case ASCII letters; a word of one or two letters is its own."""
    if len(word) <= 2:
        return word
    word = _without_tense(_without_plural(word))
    if word.endswith("y") and _HAS_VOWEL.match(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, ending=_DERIVED_ENDING, table=_DERIVED)
    word = _replaced(word, ending=_OTHER_ENDING, table=_ENDINGS)
    return _without_last_letter(_without_bare_ending(word))


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_tense(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _ONE_OR_MORE.match(word[:-3]) else word
    for ending in ("ed", "ing"):
        stem = word[: -len(ending)]
        if word.endswith(ending) and _HAS_VOWEL.match(stem):
            if stem.endswith(("at", "bl", "iz")) or _ENDS_SHORT.match(stem):
                return stem + "e"
            return stem[:-1] if _ENDS_DOUBLED.search(stem) else stem
    return word


def _replaced(word: str, *, ending: re.Pattern[str], table: dict[str, str]) -> str:
    found = ending.search(word)
    if found and _ONE_OR_MORE.match(word[: found.start()]):
        return word[: found.start()] + table[found.group()]
    return word


def _without_bare_ending(word: str) -> str:
    found = _BARE_ENDING.search(word)
    if not found:
        return word
    stem = word[: found.start()]
    if found.group() in {"sion", "tion"}:
        stem = word[:-3]
    return stem if _TWO_OR_MORE.match(stem) else word


def _without_last_letter(word: str) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        if _TWO_OR_MORE.match(stem) or (_EXACTLY_ONE.match(stem) and not _ENDS_SHORT.match(stem)):
            word = stem
    return word[:-1] if word.endswith("ll") and _TWO_OR_MORE.match(word) else word
