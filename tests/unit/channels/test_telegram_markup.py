import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.markdown import parse
from channels.telegram.markup import plain_parts, render, split
from tests.helpers.markdown_texts import markdown_texts
from tests.helpers.telegram_html import visible_text

_ODD = st.text(alphabet="ab*_`[]()<>&#-+=1.|~\\!:/\n \t😀", max_size=200)


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("# Title with **bold**", "<b>Title with bold</b>"),
        ("**a `b` c**", "<b>a </b><code>b</code><b> c</b>"),
        ("[`a`](http://b)", '<a href="http://b">a</a>'),
        ("[a](mailto:b@c)", "a (mailto:b@c)"),
        ("[a](x.md)", "a (x.md)"),
        ("> a\n> > b", "<blockquote>a\n\nb</blockquote>"),
        ("- a\n  - b\n- c", "• a\n   • b\n• c"),
        ("3. a\n4. b", "3. a\n4. b"),
        ("```py\n<&>\n```", '<pre><code class="language-py">&lt;&amp;&gt;</code></pre>'),
        ("|a|b|\n|-|-|\n|记忆|c|", "<pre>a    | b\n-----+--\n记忆 | c</pre>"),
        ("---", "———"),
    ],
)
def test_markdown_becomes_the_tags_that_telegram_knows(source: str, html: str) -> None:
    assert render(parse(source)).html == html


@given(markdown_texts() | _ODD)
@settings(deadline=None, max_examples=80)
def test_what_is_rendered_is_legal_and_shows_what_we_think(source: str) -> None:
    rendered = render(parse(source))

    assert visible_text(rendered.html) == rendered.visible


@given(markdown_texts() | _ODD, st.integers(min_value=64, max_value=300))
@settings(deadline=None, max_examples=50)
def test_every_part_fits_in_both_forms(source: str, limit: int) -> None:
    parts = [render(parse(part)) for part in split(source, limit=limit)]

    assert all(part.length <= limit and part.visible.strip() for part in parts)


def test_the_plain_form_splits_too() -> None:
    parts = plain_parts("**" + "😀" * 5000 + "**")

    assert [len(part) for part in parts] == [2048, 2048, 904]
