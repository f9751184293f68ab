import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.cuts import utf16_units
from channels.markdown import parse
from channels.slack.entities import escape, mentions, readable, unescape
from channels.slack.mrkdwn import mrkdwn
from channels.slack.rendering import LIMIT, split, texts

_LETTERS = st.text(alphabet=st.sampled_from("ab <>&|!@#*_~`[]()\n中文-1.😀"), max_size=120)


def rendered(source: str) -> str:
    return mrkdwn(parse(source))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("**bold** and *soft* and ~~gone~~", "*bold* and _soft_ and ~gone~"),
        ("# Title\n\ntext", "*Title*\n\ntext"),
        ("## A **bold** title", "*A bold title*"),
        ("`a < b`", "`a &lt; b`"),
        ("```python\nif a < b:\n    pass\n```", "```\nif a &lt; b:\n    pass\n```"),
        ("- one\n- two\n  - three", "• one\n• two\n    • three"),
        ("3. one\n4. two", "3. one\n4. two"),
        ("> quoted\n> twice", "> quoted\n> twice"),
        ("[site](https://a.org/?x=1&y=2)", "<https://a.org/?x=1&amp;y=2|site>"),
        ("<https://a.org/>", "<https://a.org/>"),
        ("[here](!here)", "here (!here)"),
        ("a\n\n---\n\nb", "a\n\n———\n\nb"),
        ("**two\nlines**", "*two*\n*lines*"),
        ("中**粗**体", "中\u200b*粗*\u200b体"),
        ("***both***", "_*both*_"),
        ("| a | b |\n| --- | --- |\n| 1 | 中文 |", "```\na | b\n--+-----\n1 | 中文\n```"),
    ],
)
def test_markdown_becomes_mrkdwn(source: str, expected: str) -> None:
    assert rendered(source) == expected


def test_nobody_is_pinged_by_what_a_model_writes() -> None:
    text = rendered("use <!channel> & <@U0AAA>, a < b, [x](<!here>), `<!everyone>`")

    assert not re.search(r"<[!@#]", text)
    assert unescape(text).startswith("use <!channel> & <@U0AAA>, a < b")


def test_a_fence_inside_code_does_not_end_it() -> None:
    text = rendered("````\n```\ninner\n```\n````")

    assert text.count("```") == 2


@settings(deadline=None, max_examples=150)
@given(_LETTERS)
def test_no_text_makes_a_control_sequence(source: str) -> None:
    sequences = re.findall(r"<([^>]*)>", rendered(source))

    assert all(sequence.startswith(("https://", "http://", "mailto:", "tel:")) for sequence in sequences)


@settings(deadline=None, max_examples=150)
@given(_LETTERS)
def test_escaping_is_undone_once(text: str) -> None:
    assert unescape(escape(text)) == text
    assert readable(escape(text), names={}) == text.strip()


@settings(deadline=None, max_examples=15)
@given(st.lists(_LETTERS, max_size=8), st.integers(min_value=1, max_value=40))
def test_every_part_of_a_reply_fits_a_message(pieces: list[str], times: int) -> None:
    parts = split("\n\n".join(pieces * times))

    assert all(len(texts(part)) == 1 for part in parts)
    assert all(utf16_units(texts(part)[0]) <= LIMIT for part in parts)


def test_a_long_text_is_split_after_rendering() -> None:
    parts = split("&" * 2000 + "\n\n" + "<" * 2000)

    assert len(parts) > 2
    assert all(utf16_units(texts(part)[0]) <= LIMIT for part in parts)
    assert "".join(unescape(texts(part)[0]) for part in parts) == "&" * 2000 + "<" * 2000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("&lt;div&gt; &amp;amp;", "<div> &amp;"),
        ("see <https://a.org|the site>", "see the site (https://a.org)"),
        ("see <http://a.org|a.org>", "see a.org"),
        ("<https://a.org/?a=1&amp;b=2>", "https://a.org/?a=1&b=2"),
        ("<mailto:a@b.org|a@b.org>", "a@b.org"),
        ("<#C1|general> and <#C2>", "#general and #C2"),
        ("<!here> <!subteam^S1|@team> <!date^1700000000^{date}|Tuesday>", "@here @team Tuesday"),
        ("<@U1> <@U2|bob> <@U3>", "@ann @bob @U3"),
        ("&lt;@U1&gt;", "<@U1>"),
    ],
)
def test_what_slack_sends_is_read_as_people_see_it(text: str, expected: str) -> None:
    assert readable(text, names={"U1": "ann"}) == expected


def test_code_with_tags_makes_the_round_trip() -> None:
    """Escaped once on the way in, once on the way out."""
    inbound = "```\n&lt;div&gt;a &amp;amp; b&lt;/div&gt;\n```"
    seen = readable(inbound, names={})

    assert seen == "```\n<div>a &amp; b</div>\n```"
    assert rendered(seen) == inbound


def test_mentions_are_found() -> None:
    assert mentions("<@U1> and <@U2|bob>, not &lt;@U3&gt;") == {"U1", "U2"}
