"""A text too long for one message, split where it reads best, each part valid by itself."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from channels.cuts import best_cut, graphemes, largest
from channels.markdown import (
    Block,
    Code,
    CodeBlock,
    Heading,
    Inline,
    LineBreak,
    Link,
    ListBlock,
    Paragraph,
    Quote,
    Rule,
    Table,
    Text,
    literal,
    parse,
    plain_text,
)
from channels.writing import to_markdown

Blocks = tuple[Block, ...]
Inlines = tuple[Inline, ...]
Measure = Callable[[Blocks], int]
"""How long a rendered tree is, in the platform's units; a longer tree never measures less."""

Wrap = Callable[[Blocks], Blocks]
"""Puts blocks where they stand: behind what is already in the part, inside their list or quote."""

T = TypeVar("T")

SMALLEST_LIMIT = 64
"""Any grapheme fits, however it is written; a shorter part would be no message."""


def split_markdown(source: str, *, measure: Measure, limit: int) -> list[str]:
    """The parts of a Markdown text, each Markdown that measures at most `limit`; a text that fits stays as it is."""
    blocks = parse(source)
    parts = split_blocks(blocks, measure=measure, limit=limit)
    return [source] if parts == [blocks] else [to_markdown(part) for part in parts]


def split_blocks(blocks: Blocks, *, measure: Measure, limit: int) -> list[Blocks]:
    """The parts of a tree, each measuring at most `limit`.

    Together they show every word of the tree once and in order: a fence, list, quote or style that is cut is
    closed and opened again, a table goes on without its header, a link goes whole into one part. Only white space
    at a cut is given up. Raises ValueError for a limit below SMALLEST_LIMIT.
    """
    if limit < SMALLEST_LIMIT:
        raise ValueError(f"a part of {limit} is too short; at least {SMALLEST_LIMIT}")
    cutter = _Cutter(measure, limit)
    parts: list[Blocks] = []
    rest = blocks
    while rest:
        head, rest = cutter.cut_blocks(rest, wrap=_bare)
        if not head:
            head, rest = cutter.force(rest)
        if head:
            parts.append(head)
    return parts


class _Cutter:
    """Cuts a tree so that its head, within whatever stands around it (`wrap`), fits."""

    def __init__(self, measure: Measure, limit: int) -> None:
        self._measure = measure
        self._limit = limit

    def cut_blocks(self, blocks: Blocks, wrap: Wrap) -> tuple[Blocks, Blocks]:
        """As many blocks as fit, and the rest; a block is cut only if less than half would be used without it."""
        count = self._largest_of(blocks, wrap)
        done, rest = blocks[:count], blocks[count:]
        if not rest or (done and self._well_filled(wrap(done))):
            return _heading_last(done, rest)
        head, tail = self._cut_block(rest[0], lambda inner: wrap((*done, *inner)))
        if not head:
            return _heading_last(done, rest)
        return (*done, *head), (*tail, *rest[1:])

    def force(self, blocks: Blocks) -> tuple[Blocks, Blocks]:
        """Cut where nothing fits: the first block gives up its styles, and a link there is text with its address."""
        return self.cut_blocks((*literal(plain_text(blocks[:1]).strip()), *blocks[1:]), wrap=_bare)

    def _fits(self, blocks: Blocks) -> bool:
        return self._measure(blocks) <= self._limit

    def _well_filled(self, blocks: Blocks) -> bool:
        return 2 * self._measure(blocks) >= self._limit

    def _cut_block(self, block: Block, wrap: Wrap) -> tuple[Blocks, Blocks]:
        match block:
            case Paragraph() | Heading():
                return self._cut_running_text(block, wrap)
            case CodeBlock():
                return self._cut_code(block, wrap)
            case Quote():
                head, tail = self.cut_blocks(block.blocks, lambda inner: wrap((Quote(inner),)))
                return ((Quote(head),), (Quote(tail),)) if head else ((), (block,))
            case ListBlock():
                return self._cut_list(block, wrap)
            case Table():
                count = self._largest_of(block.rows, lambda rows: wrap((replace(block, rows=rows),)))
                header = tuple(() for _ in block.header)
                rest = Table(header, block.rows[count:])
                return ((replace(block, rows=block.rows[:count]),), (rest,)) if count else ((), (block,))
            case Rule():
                return (), (block,)

    def _cut_running_text(self, block: Paragraph | Heading, wrap: Wrap) -> tuple[Blocks, Blocks]:
        def head(at: int) -> Blocks:
            return (replace(block, children=_cut_inlines(block.children, at)[0]),)

        pieces = _pieces(block.children)
        at = best_cut(pieces, self._limit, lambda count: self._fits(wrap(head(count))))
        text = _flat(block.children)
        if not text[:at].strip():
            return (), (block,)
        end = len(text) - len(text[at:].lstrip())
        tail = replace(block, children=_cut_inlines(block.children, end)[1])
        return head(len(text[:at].rstrip())), (tail,)

    def _cut_code(self, block: CodeBlock, wrap: Wrap) -> tuple[Blocks, Blocks]:
        lines = block.text.split("\n")
        count = self._largest_of(lines, lambda some: wrap((replace(block, text="\n".join(some)),)))
        at = len("\n".join(lines[:count]))
        if not at:
            at = best_cut(
                graphemes(block.text),
                self._limit,
                lambda count: self._fits(wrap((replace(block, text=block.text[:count]),))),
            )
        if not block.text[:at].strip():
            return (), (block,)
        tail = block.text[at:].removeprefix("\n")
        return (replace(block, text=block.text[:at]),), (replace(block, text=tail),)

    def _cut_list(self, block: ListBlock, wrap: Wrap) -> tuple[Blocks, Blocks]:
        def items(count: int, *last: Blocks) -> Blocks:
            return (replace(block, items=(*block.items[:count], *last)),)

        count = self._largest_of(block.items, lambda some: wrap((replace(block, items=some),)))
        if count and self._well_filled(wrap(items(count))):
            return items(count), _items_from(block, count)
        head, tail = self.cut_blocks(block.items[count], lambda inner: wrap(items(count, inner)))
        if head:
            return items(count, head), (*tail, *_items_from(block, count + 1))
        return (items(count), _items_from(block, count)) if count else ((), (block,))

    def _largest_of(self, parts: Sequence[T], wrapped: Callable[[tuple[T, ...]], Blocks]) -> int:
        return largest(len(parts), lambda number: self._fits(wrapped(tuple(parts[:number]))))


def _items_from(block: ListBlock, first: int) -> Blocks:
    """What is left of a list, counting on."""
    start = None if block.start is None else block.start + first
    return (ListBlock(block.items[first:], start),) if block.items[first:] else ()


def _bare(blocks: Blocks) -> Blocks:
    return blocks


def _heading_last(done: Blocks, rest: Blocks) -> tuple[Blocks, Blocks]:
    """A heading goes with what stands below it."""
    if rest and len(done) > 1 and isinstance(done[-1], Heading):
        return done[:-1], (done[-1], *rest)
    return done, rest


def _pieces(inlines: Inlines) -> Iterator[str]:
    """The letters of inlines, in pieces that stay whole: graphemes and links."""
    for inline in inlines:
        match inline:
            case Text() | Code():
                yield from graphemes(inline.text)
            case Link():
                yield _flat(inline.children)
            case LineBreak():
                yield "\n"
            case _:
                yield from _pieces(inline.children)


def _flat(inlines: Inlines) -> str:
    """The letters of inlines, in the order and number in which `_cut_inlines` counts them."""
    return "".join(_flat_inline(inline) for inline in inlines)


def _flat_inline(inline: Inline) -> str:
    match inline:
        case Text() | Code():
            return inline.text
        case LineBreak():
            return "\n"
        case _:
            return _flat(inline.children)


def _cut_inlines(inlines: Inlines, at: int) -> tuple[Inlines, Inlines]:
    """The first `at` letters, and the rest."""
    for index, inline in enumerate(inlines):
        size = len(_flat_inline(inline))
        if size > at:
            first, second = _cut_inline(inline, at) if at else ((), (inline,))
            return (*inlines[:index], *first), (*second, *inlines[index + 1 :])
        at -= size
    return inlines, ()


def _cut_inline(inline: Inline, at: int) -> tuple[Inlines, Inlines]:
    match inline:
        case Text() | Code():
            return (replace(inline, text=inline.text[:at]),), (replace(inline, text=inline.text[at:]),)
        case LineBreak():
            return (), (inline,)
        case _:
            head, tail = _cut_inlines(inline.children, at)
            return (replace(inline, children=head),), (replace(inline, children=tail),)
