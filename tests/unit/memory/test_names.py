import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.names import original_text, safe_name

TEXTS = st.text(st.characters(), max_size=40) | st.text("aAbB:_-.+%~/#@é東", max_size=12)
LONG = st.integers(min_value=100, max_value=4000).map(lambda length: "k" * length)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("telegram:42", "telegram_42"),
        ("telegram:-100200", "telegram_-100200"),
        ("slack:C1#1699.2", "slack_+c1%231699.2"),
        ("web:安娜", "web_安娜"),
        ("spaces/AB/threads/c", "spaces%2f+a+b%2fthreads%2fc"),
        ("..", "%2e."),
        ("", "%"),
    ],
)
def test_a_name_stays_readable(text: str, name: str) -> None:
    assert safe_name(text) == name


@given(TEXTS)
@settings(deadline=None)
def test_a_name_gives_its_text_back(text: str) -> None:
    assert original_text(safe_name(text, limit_bytes=1000)) == text


@given(TEXTS | LONG)
@settings(deadline=None)
def test_a_name_is_safe_on_every_file_system(text: str) -> None:
    name = safe_name(text)

    assert 0 < len(name.encode()) <= 150
    assert not name.startswith(".")
    assert not set(name) & set('/\\\0<>:"|?* \n')
    assert name == unicodedata.normalize("NFKD", name)
    assert name == name.lower()


@given(TEXTS | LONG, TEXTS | LONG)
@settings(deadline=None)
def test_two_texts_never_share_a_name(one: str, other: str) -> None:
    assert (safe_name(one) == safe_name(other)) == (one == other)


@pytest.mark.parametrize("length", [150, 151, 4096])
def test_a_long_text_is_cut_and_told_apart_by_its_end(length: int) -> None:
    one, other = safe_name("k" * length + "a"), safe_name("k" * length + "b")

    assert one != other
    assert len(one) == 150


@pytest.mark.parametrize("name", ["Telegram", "a~0", "a/b", "%zz", "%ff", "a b", "\udcff"])
def test_what_is_no_name_has_no_text(name: str) -> None:
    assert original_text(name) is None
