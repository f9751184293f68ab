"""Every sentence that we say to a user ourselves, by language; what a model says is none of them."""

import re
from collections.abc import Mapping

from gateway.replies.chinese import CHINESE
from gateway.replies.counts import Count, counted
from gateway.replies.english import ENGLISH
from gateway.replies.sentences import Say

__all__ = ["LANGUAGES", "Say", "choose_language", "counted", "say", "with_bang"]

LANGUAGES: Mapping[str, Mapping[Say, str]] = {"en": ENGLISH, "zh": CHINESE}
"""A language is one table; a test makes sure that all say the same things with the same values."""

_BANG = "-x-bang"
"""What RFC 5646 leaves to private use."""
_COMMAND = re.compile(r"(?<![\w/])/(?=[^\W\d_])")
_COMMANDS = frozenset({"command", "suggestion", "usage"})
_HAN = (("\u4e00", "\u9fff"), ("\u3400", "\u4dbf"), ("\U00020000", "\U0003ffff"))
_KANA = (("\u3040", "\u30ff"),)


def say(sentence: Say, language: str = "en", /, **values: object) -> str:
    """The sentence in the language of this tag, or in English; KeyError when a value is missing.

    Values are for names, numbers and a person's own words; the text of an exception is never one of them. A tag
    `with_bang` names our commands as `!new`, in the sentence and in values that are commands.
    """
    text = LANGUAGES.get(_primary(language), ENGLISH)[sentence]
    given = {name: _counting(value) for name, value in values.items()}
    if language.endswith(_BANG):
        text = _COMMAND.sub("!", text)
        given |= {name: _COMMAND.sub("!", str(given[name])) for name in _COMMANDS & given.keys()}
    return text.format_map(given)


def with_bang(language: str) -> str:
    """The tag of this language for a platform on which `/` belongs to the platform, and `!new` is typed to us."""
    return f"{_primary(language)}{_BANG}"


def _counting(value: object) -> object:
    return Count(value) if isinstance(value, int) else value


def choose_language(configured: str, *, person: str | None = None, text: str = "") -> str:
    """The language for a person: the configured one; with "auto" that of the words before that of the platform."""
    if configured != "auto":
        return _primary(configured)
    if _holds(text, _HAN) and not _holds(text, _KANA):
        return "zh"
    return _primary(person or "en")


def _primary(tag: str) -> str:
    return tag.replace("_", "-").partition("-")[0].lower()


def _holds(text: str, script: tuple[tuple[str, str], ...]) -> bool:
    return any(first <= char <= last for char in text for first, last in script)
