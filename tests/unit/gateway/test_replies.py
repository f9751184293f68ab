"""Every sentence of ours exists in every language, with the same values."""

import re
from pathlib import Path
from string import Formatter

import pytest

import gateway
from gateway.replies import LANGUAGES, Say, choose_language, say, with_bang

_EXAMPLE = {name: 7 for table in LANGUAGES.values() for text in table.values() for name in
            (field for _, field, _, _ in Formatter().parse(text) if field)}  # fmt: skip


def values_of(text: str) -> set[str]:
    """The values that a sentence takes."""
    return {field for _, field, _, _ in Formatter().parse(text) if field}


@pytest.mark.parametrize("sentence", list(Say))
def test_a_sentence_says_the_same_in_every_language(sentence: Say) -> None:
    takes = [values_of(table[sentence]) for table in LANGUAGES.values()]

    assert all(values == takes[0] for values in takes)
    assert all(table[sentence].strip() == table[sentence] != "" for table in LANGUAGES.values())


@pytest.mark.parametrize("language", list(LANGUAGES))
@pytest.mark.parametrize("sentence", list(Say))
def test_no_brace_is_left_when_the_values_are_given(sentence: Say, language: str) -> None:
    text = say(sentence, language, **_EXAMPLE)

    assert "{" not in text
    assert "}" not in text


@pytest.mark.parametrize("language", list(LANGUAGES))
@pytest.mark.parametrize("sentence", list(Say))
def test_where_a_slash_belongs_to_the_platform_no_command_is_named_with_one(
    sentence: Say, language: str
) -> None:
    own = {"command": "/new", "suggestion": "/new", "usage": "/forget web:a/b#17"}

    plain = say(sentence, language, **_EXAMPLE | own)
    banged = say(sentence, with_bang(language), **_EXAMPLE | own)

    assert not re.search(r"(?<![\w/])/[a-z]", banged)
    assert re.sub(r"(?<!\w)!(?=[a-z])", "/", banged) == plain


def test_the_words_of_a_person_keep_their_slashes() -> None:
    assert say(Say.REMINDER, with_bang("en"), text="read /etc/hosts") == "⏰ read /etc/hosts"


def test_no_language_has_sentences_of_its_own() -> None:
    assert all(set(table) == set(Say) for table in LANGUAGES.values())


def test_every_sentence_is_said_somewhere() -> None:
    rooms = Path(gateway.__file__).parent
    files = [file for file in rooms.rglob("*.py") if file.parent.name != "replies"]
    said = {name for file in files for name in re.findall(r"\bSay\.([A-Z_]+)", file.read_text("utf-8"))}

    assert set(Say.__members__) - said == set()


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_the_greeting_is_three_lines(language: str) -> None:
    assert len(say(Say.GREETING, language).splitlines()) == 3


def test_a_value_may_hold_braces() -> None:
    assert say(Say.REMINDER, "en", text="{x} {0}") == "⏰ {x} {0}"


def test_a_missing_value_is_an_error() -> None:
    with pytest.raises(KeyError):
        say(Say.REMINDER, "en")


def test_an_unknown_language_is_english() -> None:
    assert say(Say.NO_JOBS, "tlh") == say(Say.NO_JOBS, "en")


def test_a_tag_with_a_region_is_its_language() -> None:
    assert say(Say.NO_JOBS, "zh-Hans") == say(Say.NO_JOBS, "zh_TW") == say(Say.NO_JOBS, "zh")


@pytest.mark.parametrize(
    ("configured", "person", "text", "language"),
    [
        ("zh", "en", "hello", "zh"),
        ("auto", "en", "你好", "zh"),
        ("auto", None, "ok 明天见", "zh"),
        ("auto", "zh-hans", "/help", "zh"),
        ("auto", "de", "hallo", "de"),
        ("auto", "ja", "明日は会議です", "ja"),
        ("auto", None, "", "en"),
        ("auto", None, "hello", "en"),
    ],
)
def test_the_words_choose_the_language_before_the_platform(
    configured: str, person: str | None, text: str, language: str
) -> None:
    assert choose_language(configured, person=person, text=text) == language
