import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wcwidth import iter_graphemes

from channels.chunking import SMALLEST_LIMIT, Blocks, split_blocks, split_markdown
from channels.cuts import split_text, utf16_units
from channels.markdown import CodeBlock, ListBlock, parse, plain_text
from tests.helpers.markdown_texts import markdown_texts


def units(blocks: Blocks) -> int:
    return utf16_units(plain_text(blocks))


def words(text: str) -> str:
    """What is left when layout, list markers and quote signs are taken away."""
    return re.sub(r"[\s>•]", "", text)


def test_a_text_that_fits_is_left_alone() -> None:
    assert split_markdown("**a**  \nb", measure=units, limit=SMALLEST_LIMIT) == ["**a**  \nb"]


def test_a_blank_text_has_no_parts() -> None:
    assert split_markdown(" \n ", measure=units, limit=SMALLEST_LIMIT) == []


def test_paragraphs_are_cut_apart_before_a_paragraph_is_cut() -> None:
    assert split_markdown(f"{'a ' * 30}\n\n{'b ' * 30}", measure=units, limit=80) == [
        ("a " * 30).strip(),
        ("b " * 30).strip(),
    ]


def test_lines_are_cut_apart_before_words() -> None:
    text = "\n".join(["one two three four"] * 4)

    assert split_text(text, measure=len, limit=40) == ["one two three four\none two three four"] * 2


def test_a_word_is_cut_only_when_it_is_longer_than_a_part() -> None:
    assert split_text("abc def ghijklmnop", measure=len, limit=6) == ["abc", "def", "ghijkl", "mnop"]


def test_a_fence_that_is_cut_is_closed_and_opened_again() -> None:
    code = "\n".join(f"line {number}" for number in range(40))
    parts = split_markdown(f"```py\n{code}\n```", measure=units, limit=100)

    assert all(part.startswith("```py\n") and part.endswith("\n```") for part in parts)
    assert "\n".join(part[6:-4] for part in parts) == code


def test_a_style_that_is_cut_goes_on_in_the_next_part() -> None:
    parts = split_markdown(f"**{'bold ' * 40}end**", measure=units, limit=SMALLEST_LIMIT)

    assert len(parts) > 3
    assert all(part.startswith("**") and part.endswith("**") for part in parts)


def test_a_numbered_list_goes_on_counting() -> None:
    source = "\n".join(f"{number}. item number {number}" for number in range(1, 30))
    parts = split_blocks(parse(source), measure=units, limit=100)
    lists = [block for part in parts for block in part if isinstance(block, ListBlock)]

    assert [block.start for block in lists] == [
        1 + sum(len(earlier.items) for earlier in lists[:place]) for place in range(len(lists))
    ]


def test_a_heading_is_not_left_behind_at_the_end_of_a_part() -> None:
    parts = split_markdown(f"{'a ' * 35}\n\n## Next\n\n{'b ' * 35}", measure=units, limit=90)

    assert parts[1].startswith("## Next")


def test_an_emoji_family_is_not_torn_apart() -> None:
    parts = split_text("👨‍👩‍👧" * 50, measure=utf16_units, limit=30)

    assert all(len(part) % len("👨‍👩‍👧") == 0 for part in parts)


def test_a_link_longer_than_a_part_is_shown_as_text() -> None:
    url = "https://example.org/" + "x" * 200
    parts = split_markdown(f"see [this]({url}) now", measure=lambda blocks: len(repr(blocks)), limit=170)

    assert url in "".join(plain_text(parse(part)) for part in parts)


def test_a_letter_with_a_thousand_marks_is_cut_like_any_text() -> None:
    parts = split_text("e" + "\u0301" * 1000, measure=len, limit=100)

    assert max(map(len, parts)) <= 100
    assert "".join(parts) == "e" + "\u0301" * 1000


def test_a_link_goes_whole_into_the_next_part() -> None:
    url = "https://example.org/a"
    parts = split_markdown(f"{'word ' * 10}[of three words]({url}) end", measure=units, limit=80)

    assert parts == [("word " * 10).strip(), f"[of three words](<{url}>) end"]


def test_an_item_that_finds_no_room_is_not_said_twice() -> None:
    parts = split_markdown(f"- one\n- [x](https://example.org/{'b' * 35})", measure=units, limit=64)

    assert [part.count("example.org") for part in parts] == [0, 1]


def test_a_part_that_holds_no_more_than_a_word_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 64"):
        split_markdown("short", measure=units, limit=SMALLEST_LIMIT - 1)


@pytest.mark.parametrize("limit", [SMALLEST_LIMIT, 100, 400])
@given(source=markdown_texts())
@settings(deadline=None, max_examples=25, derandomize=True)
def test_every_part_fits_and_together_they_say_everything_once(limit: int, source: str) -> None:
    parts = split_blocks(parse(source), measure=units, limit=limit)

    assert all(units(part) <= limit for part in parts)
    assert words("\n".join(map(plain_text, parts))) == words(plain_text(parse(source)))


@given(source=markdown_texts())
@settings(deadline=None, max_examples=25)
def test_every_part_is_markdown_that_says_the_same_by_itself(source: str) -> None:
    trees = split_blocks(parse(source), measure=units, limit=SMALLEST_LIMIT)
    written = split_markdown(source, measure=units, limit=SMALLEST_LIMIT)

    assert [words(plain_text(parse(part))) for part in written] == [words(plain_text(tree)) for tree in trees]


@given(
    st.text(alphabet="ab 😀👩‍\u0301\n中。", max_size=300),
    st.integers(min_value=12, max_value=60),
)
@settings(deadline=None, max_examples=100)
def test_plain_text_is_cut_between_graphemes_and_nothing_is_lost(text: str, limit: int) -> None:
    parts = split_text(text, measure=utf16_units, limit=limit)
    longest = max((utf16_units(piece) for piece in iter_graphemes(text)), default=0)

    assert all(0 < utf16_units(part) <= max(limit, longest) for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())


def test_code_is_never_glued_to_the_text_around_it() -> None:
    parts = split_blocks(parse(f"a\n\n```\n{'b' * 40}\n{'c' * 40}\n```"), measure=units, limit=64)

    assert len([block for part in parts for block in part if isinstance(block, CodeBlock)]) == 2
