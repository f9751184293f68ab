"""Markdown as a talkative model writes it, for property tests."""

from hypothesis import strategies as st

_WORDS = st.sampled_from(
    [
        "one",
        "**two**",
        "*three*",
        "`four()`",
        "~~five~~",
        "[six](https://example.org/six?a=1&b=2)",
        "[two **words**](https://example.org/2)",
        "a<b&c",
        "😀👩‍👩‍👧‍👦",
        "记忆，可以。",
        "snake_case",
        "5 > 3",
        "**bold *both* end**",
        "e\u0301tude",
        "1.",
        "# no",
        "https://example.org/x_y",
    ]
)
_LINES = st.lists(_WORDS, min_size=1, max_size=14).map(" ".join)
_CODE = st.lists(
    st.sampled_from(["def f():", "    return '<&>'", "", "x = `y`", "# note"]), min_size=1, max_size=9
)


def _fenced(lines: list[str]) -> str:
    return "\n".join(["```python", *lines, "end", "```"])


def _table(rows: list[tuple[str, str]]) -> str:
    return "\n".join(
        ["| left | right |", "| --- | --- |", *(f"| {left} | {right} |" for left, right in rows)]
    )


def _items(lines: list[str]) -> str:
    return "\n".join(f"- {line}\n  1. {line}" for line in lines)


_BLOCKS = st.one_of(
    _LINES,
    st.lists(_LINES, min_size=1, max_size=4).map("\n".join),
    _LINES.map("## {}".format),
    st.lists(_LINES, min_size=1, max_size=4).map(_items),
    _LINES.map(lambda line: f"> {line}\n>\n> {line}"),
    _CODE.map(_fenced),
    st.lists(st.tuples(_WORDS, _WORDS), min_size=1, max_size=6).map(_table),
    st.just("---"),
)


def markdown_texts(*, max_blocks: int = 12) -> st.SearchStrategy[str]:
    """Documents of paragraphs, headings, lists, quotes, fences, tables and rules."""
    return st.lists(_BLOCKS, min_size=1, max_size=max_blocks).map("\n\n".join)
