import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.markdown import (
    Bold,
    Code,
    CodeBlock,
    Heading,
    Italic,
    LineBreak,
    Link,
    ListBlock,
    Paragraph,
    Quote,
    Rule,
    Strike,
    Table,
    Text,
    literal,
    parse,
    plain_text,
)
from channels.writing import to_markdown
from tests.helpers.markdown_texts import markdown_texts


def test_styles_nest_as_they_are_written() -> None:
    (block,) = parse("a **b *c*** ~~d~~ `e*f` [g](http://h)")

    assert block == Paragraph(
        (
            Text("a "),
            Bold((Text("b "), Italic((Text("c"),)))),
            Text(" "),
            Strike((Text("d"),)),
            Text(" "),
            Code("e*f"),
            Text(" "),
            Link((Text("g"),), "http://h"),
        )
    )


def test_every_kind_of_block_has_its_place_in_the_tree() -> None:
    blocks = parse("# H\n\np\nq\n\n- a\n- b\n\n3. c\n\n> d\n\n```py\ne\n```\n\n|f|g|\n|-|-|\n|h|i|\n\n---")

    assert blocks == (
        Heading((Text("H"),), 1),
        Paragraph((Text("p"), LineBreak(), Text("q"))),
        ListBlock(((Paragraph((Text("a"),)),), (Paragraph((Text("b"),)),))),
        ListBlock(((Paragraph((Text("c"),)),),), 3),
        Quote((Paragraph((Text("d"),)),)),
        CodeBlock("e", "py"),
        Table(((Text("f"),), (Text("g"),)), (((Text("h"),), (Text("i"),)),)),
        Rule(),
    )


@pytest.mark.parametrize(
    "source",
    [
        "<b>x</b> & <!-- y -->",
        "lone _ and * and [ and `",
        "[a]: http://reference",
        "snake_case_name",
        "![]()x",
        ">",
        "> > ```",
    ],
)
def test_what_is_no_markdown_is_shown_as_it_stands(source: str) -> None:
    assert plain_text(parse(source)) == source.removeprefix("![]()")


def test_a_document_nested_beyond_reason_is_shown_as_it_stands() -> None:
    source = "> " * 60 + "deep"

    assert plain_text(parse(source)) == source


def test_a_quote_of_nothing_is_left_out() -> None:
    assert plain_text(parse("before\n\n> >\n\nafter")) == "before\n\nafter"


def test_a_lone_surrogate_becomes_a_replacement_and_a_pair_becomes_its_character() -> None:
    assert plain_text(parse("\ud83d\ude00 \ud83d")) == "😀 �"


def test_a_link_without_markup_shows_its_address_once() -> None:
    assert plain_text(parse("<http://a.b> [c](http://d.e)")) == "http://a.b c (http://d.e)"


@given(markdown_texts())
@settings(deadline=None, max_examples=60)
def test_a_tree_written_back_says_the_same(source: str) -> None:
    blocks = parse(source)
    words = "".join(plain_text(blocks).split())

    assert "".join(plain_text(parse(to_markdown(blocks))).split()) == words


@given(st.text(alphabet="ab*_`[]()<>&#-+=1.|~\\!:/\n \t😀", max_size=60))
@settings(deadline=None, max_examples=150)
def test_any_letters_survive_being_parsed_and_written(source: str) -> None:
    blocks = parse(source)
    words = "".join(plain_text(blocks).split())

    assert "".join(plain_text(parse(to_markdown(blocks))).split()) == words


@given(st.text(alphabet="ab*_`[]<>&#-+=1.|~\\!😀 ", min_size=1, max_size=40).map(str.strip).filter(bool))
@settings(deadline=None, max_examples=100)
def test_what_means_something_in_markdown_is_written_so_that_it_means_nothing(text: str) -> None:
    assert parse(to_markdown(literal(text))) == literal(text)
