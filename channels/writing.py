"""A tree of Markdown written back as Markdown, so that a part of a text stands by itself."""

import re
from collections.abc import Iterable

from channels.markdown import (
    Block,
    Bold,
    Cell,
    Code,
    CodeBlock,
    Heading,
    Inline,
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

_ACTIVE = re.compile(r"([\\`*_\[\]<&~|#])")
"""What could mean something wherever it stands; anything else is active only where a line begins."""
_LINE_START = re.compile(r"^([ \t]*)(?:([-+>=])|(\d{1,9})([.)]))", re.MULTILINE)
_BACKTICKS = re.compile(r"`+")


def to_markdown(blocks: Iterable[Block]) -> str:
    """Markdown that parses to the given tree; a block that can't be written so is written without styles."""
    wanted = tuple(blocks)
    written = _write(wanted)
    if parse(written) == wanted:
        return written
    return _write(tuple(_writable(block) for block in wanted))


def _writable(block: Block) -> Block:
    if parse(_write((block,))) == (block,):
        return block
    return next(iter(literal(plain_text((block,)))), block)


def _write(blocks: Iterable[Block]) -> str:
    written: list[str] = []
    bullet = "-"
    previous: Block | None = None
    for block in blocks:
        # Two neighbouring lists with the same marker would be read as one.
        neighbours = isinstance(block, ListBlock) and isinstance(previous, ListBlock)
        bullet = ("*" if bullet == "-" else "-") if neighbours else "-"
        written.append(_write_block(block, bullet))
        previous = block
    return "\n\n".join(written)


def _write_block(block: Block, bullet: str) -> str:  # noqa: PLR0911 - one return a kind
    match block:
        case Paragraph():
            return _at_line_starts(_write_inlines(block.children))
        case Heading():
            return f"{'#' * block.level} {_write_inlines(block.children)}"
        case CodeBlock():
            fence = "`" * max(3, _longest_run(block.text) + 1)
            return f"{fence}{block.language.replace('`', '')}\n{block.text}\n{fence}"
        case Quote():
            return "> " + _write(block.blocks).replace("\n", "\n> ")
        case ListBlock():
            return "\n".join(_write_item(block, number, bullet) for number in range(len(block.items)))
        case Table():
            header, *rows = map(_write_row, (block.header, *block.rows))
            return "\n".join((header, "|" + " --- |" * len(block.header), *rows))
        case Rule():
            return "***"


def _write_item(block: ListBlock, number: int, bullet: str) -> str:
    dot = "." if bullet == "-" else ")"
    marker = f"{bullet} " if block.start is None else f"{block.start + number}{dot} "
    return marker + _write(block.items[number]).replace("\n", "\n" + " " * len(marker))


def _write_row(row: tuple[Cell, ...]) -> str:
    return "|" + "".join(f" {_write_cell(cell)} |" for cell in row)


def _write_cell(cell: Cell) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", _write_inlines(cell))


def _write_inlines(inlines: Iterable[Inline]) -> str:
    return "".join(_write_inline(inline) for inline in inlines)


def _write_inline(inline: Inline) -> str:  # noqa: PLR0911 - one return a kind
    match inline:
        case Text():
            return _ACTIVE.sub(r"\\\1", inline.text)
        case Code():
            return _write_code(inline.text)
        case LineBreak():
            return "\n"
        case Bold():
            return f"**{_write_inlines(inline.children)}**"
        case Italic():
            return f"*{_write_inlines(inline.children)}*"
        case Strike():
            return f"~~{_write_inlines(inline.children)}~~"
        case Link():
            url = re.sub(r"([<>\\])", r"\\\1", inline.url)
            return f"[{_write_inlines(inline.children)}](<{url}>)"


def _write_code(text: str) -> str:
    ticks = "`" * (_longest_run(text) + 1)
    padded = f" {text} " if text.strip() and (text[0] in "` " or text[-1] in "` ") else text
    return f"{ticks}{padded}{ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def _at_line_starts(text: str) -> str:
    return _LINE_START.sub(lambda found: f"{found[1]}{found[3] or ''}\\{found[2] or found[4]}", text)
