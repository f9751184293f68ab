"""Markdown parsed once into a small tree that every renderer walks."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

_MAX_NESTING = 40
"""Deeper text is no document that a person wrote; it is shown as it stands, and recursion stays bounded."""


@dataclass(frozen=True, slots=True)
class Text:
    """Letters to be shown as they are; never empty, without line ends."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """A code span."""

    text: str


@dataclass(frozen=True, slots=True)
class LineBreak:
    """A line ends here; a chat keeps the lines of the source, soft or hard."""


@dataclass(frozen=True, slots=True)
class Bold:
    """Strong emphasis."""

    children: tuple["Inline", ...]


@dataclass(frozen=True, slots=True)
class Italic:
    """Emphasis."""

    children: tuple["Inline", ...]


@dataclass(frozen=True, slots=True)
class Strike:
    """Struck through."""

    children: tuple["Inline", ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A link, or a picture that is linked to; `children` are never empty."""

    children: tuple["Inline", ...]
    url: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    children: tuple["Inline", ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6."""

    children: tuple["Inline", ...]
    level: int


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Lines of code, without the last line end."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """Quoted blocks."""

    blocks: tuple["Block", ...]


@dataclass(frozen=True, slots=True)
class ListBlock:
    """Items, each of blocks; `start` is the first number, or None for bullets."""

    items: tuple[tuple["Block", ...], ...]
    start: int | None = None

    def marker(self, number: int) -> str:
        """What stands before an item, counted from 0."""
        return "• " if self.start is None else f"{self.start + number}. "


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of equally many cells; a `header` of empty cells is not shown (the rest of a table that was cut)."""

    header: tuple["Cell", ...]
    rows: tuple[tuple["Cell", ...], ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across."""


Inline = Text | Code | LineBreak | Bold | Italic | Strike | Link
Block = Paragraph | Heading | CodeBlock | Quote | ListBlock | Table | Rule
Cell = tuple[Inline, ...]

_STYLES: dict[str, type[Bold | Italic | Strike]] = {"strong": Bold, "em": Italic, "s": Strike}


def parse(source: str) -> tuple[Block, ...]:
    """The tree of a Markdown text: CommonMark with tables and strikethrough.

    Raw HTML and reference definitions are text; what shows nothing at all is shown as it stands; surrogate
    pairs are joined and lone ones become U+FFFD, because no platform's wire can carry them.
    """
    text = source.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    tokens = _parser().parse(text)
    if all(token.level < _MAX_NESTING - 1 for token in tokens):
        blocks = _blocks(SyntaxTreeNode(tokens).children)
        if plain_text(blocks).strip():
            return blocks
    return literal(text)


def literal(text: str) -> tuple[Block, ...]:
    """One paragraph that shows a text as it stands, or none for a blank text."""
    children = _lines(text.strip("\n"))
    return (Paragraph(children),) if text.strip() else ()


def plain_text(blocks: Iterable[Block]) -> str:
    """What a tree says without any markup; a link's address stands behind its text."""
    return "\n\n".join(_plain_block(block) for block in blocks)


def plain_inlines(inlines: Iterable[Inline]) -> str:
    """What inlines say without any markup."""
    return "".join(_plain_inline(inline) for inline in inlines)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _MAX_NESTING})
    # A reference definition would vanish from what is shown; nothing that a model wrote may.
    return parser.enable(["table", "strikethrough"]).disable("reference")


def _blocks(nodes: Sequence[SyntaxTreeNode]) -> tuple[Block, ...]:
    """The blocks without quotes of nothing, of which a platform shows only the bar beside them, or refuses them."""
    blocks = (_block(node) for node in nodes)
    return tuple(
        block for block in blocks if not isinstance(block, Quote) or plain_text(block.blocks).strip()
    )


def _block(node: SyntaxTreeNode) -> Block:  # noqa: PLR0911 - one return a kind
    match node.type:
        case "heading":
            return Heading(_one_line(_content(node)), int(node.tag[1:]))
        case "fence" | "code_block":
            language = (node.info.split() or [""])[0]
            return CodeBlock(node.content.removesuffix("\n"), language)
        case "blockquote":
            return Quote(_blocks(node.children))
        case "bullet_list" | "ordered_list":
            start = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
            return ListBlock(tuple(_blocks(item.children) for item in node.children), start)
        case "table":
            header, *rows = (_row(row) for part in node.children for row in part.children)
            return Table(header, tuple(rows))
        case "hr":
            return Rule()
        case _:
            return Paragraph(_content(node))


def _row(node: SyntaxTreeNode) -> tuple[Cell, ...]:
    return tuple(_one_line(_content(cell)) for cell in node.children)


def _content(node: SyntaxTreeNode) -> tuple[Inline, ...]:
    return _inlines(node.children[0].children) if node.children else ()


def _inlines(nodes: Iterable[SyntaxTreeNode]) -> tuple[Inline, ...]:
    return _joined(inline for node in nodes for inline in _inline(node))


def _joined(inlines: Iterable[Inline]) -> tuple[Inline, ...]:
    """The inlines with neighbouring texts made one."""
    found: list[Inline] = []
    for inline in inlines:
        if isinstance(inline, Text) and found and isinstance(found[-1], Text):
            found[-1] = Text(found[-1].text + inline.text)
        else:
            found.append(inline)
    return tuple(found)


def _inline(node: SyntaxTreeNode) -> tuple[Inline, ...]:
    match node.type:
        case "softbreak" | "hardbreak":
            return (LineBreak(),)
        case "code_inline":
            return (Code(node.content),) if node.content else ()
        case "strong" | "em" | "s":
            children = _inlines(node.children)
            return (_STYLES[node.type](children),) if children else ()
        case "link":
            url = str(node.attrs["href"])
            return (Link(_inlines(node.children) or (Text(url),), url),) if url else _inlines(node.children)
        case "image":
            url = str(node.attrs["src"])
            return (Link((Text(node.content or url),), url),) if url else _lines(node.content)
        case _:
            return _lines(node.content)


def _lines(text: str) -> tuple[Inline, ...]:
    """A text as inlines; an entity may have smuggled a line end into it."""
    return tuple(LineBreak() if piece == "\n" else Text(piece) for piece in re.split(r"(\n)", text) if piece)


def _one_line(inlines: tuple[Inline, ...]) -> tuple[Inline, ...]:
    """The inlines of a place that has no second line."""
    return _joined(_without_break(inline) for inline in inlines)


def _without_break(inline: Inline) -> Inline:
    match inline:
        case LineBreak():
            return Text(" ")
        case Bold() | Italic() | Strike() | Link():
            return replace(inline, children=_one_line(inline.children))
        case _:
            return inline


def _plain_block(block: Block) -> str:
    match block:
        case Paragraph() | Heading():
            return plain_inlines(block.children)
        case CodeBlock():
            return block.text
        case Quote():
            return "\n".join(f"> {line}".rstrip() for line in plain_text(block.blocks).split("\n"))
        case ListBlock():
            return "\n".join(_plain_item(block, number) for number in range(len(block.items)))
        case Table():
            shown = (block.header, *block.rows) if any(block.header) else block.rows
            return "\n".join(" | ".join(plain_inlines(cell) for cell in row) for row in shown)
        case Rule():
            return "———"


def _plain_item(block: ListBlock, number: int) -> str:
    marker = block.marker(number)
    content = "\n".join(_plain_block(inner) for inner in block.items[number])
    return marker + content.replace("\n", "\n" + " " * len(marker))


def _plain_inline(inline: Inline) -> str:
    match inline:
        case Text() | Code():
            return inline.text
        case LineBreak():
            return "\n"
        case Link():
            shown = plain_inlines(inline.children)
            return shown if shown == inline.url.removeprefix("mailto:") else f"{shown} ({inline.url})"
        case _:
            return plain_inlines(inline.children)
