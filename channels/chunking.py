"""A text too long for one message, split where it reads best, each part valid by itself."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import TypeVar

from wcwidth import iter_graphemes

from channels.markdown import (
    Block,
    Code,
    CodeBlock,
    Heading,
    Inline,
    LineBreak,
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

_LONGEST_GRAPHEME = 64
"""More marks on one letter are a prank, and are cut like any other text."""


def utf16_units(text: str) -> int:
    """The length of a text in UTF-16 code units."""
    return len(text) + sum(char > "\uffff" for char in text)


def split_markdown(source: str, *, measure: Measure, limit: int) -> list[str]:
    """The parts of a Markdown text, each Markdown that measures at most `limit`; a text that fits stays as it is."""
    blocks = parse(source)
    if measure(blocks) <= limit:
        return [source] if blocks else []
    return [to_markdown(part) for part in split_blocks(blocks, measure=measure, limit=limit)]


def split_blocks(blocks: Blocks, *, measure: Measure, limit: int) -> list[Blocks]:
    """The parts of a tree, each measuring at most `limit`.

    Together they show every word of the tree once and in order: a fence, list, quote or style that is cut is
    closed and opened again, a table goes on without its header. Only white space at a cut is given up.
    """
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


def split_text(text: str, *, measure: Callable[[str], int], limit: int) -> list[str]:
    """The parts of a text without markup, each measuring at most `limit`."""
    parts: list[str] = []
    rest = text.strip()
    while rest:
        fits = partial(_head_fits, rest, measure, limit)
        at = max(_best_cut(rest, limit, fits), 1)
        parts.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    return parts


def _head_fits(text: str, measure: Callable[[str], int], limit: int, count: int) -> bool:
    return measure(text[:count]) <= limit


class _Cutter:
    """Cuts a tree so that its head, within whatever stands around it (`wrap`), fits."""

    def __init__(self, measure: Measure, limit: int) -> None:
        self._measure = measure
        self._limit = limit

    def cut_blocks(self, blocks: Blocks, wrap: Wrap) -> tuple[Blocks, Blocks]:
        """As many blocks as fit, and the rest; a block is cut only if less than half would be used without it."""
        count = _largest(len(blocks), lambda number: self._fits(wrap(blocks[:number])))
        done, rest = blocks[:count], blocks[count:]
        if not rest or (done and self._well_filled(wrap(done))):
            return _heading_last(done, rest)
        head, tail = self._cut_block(rest[0], lambda inner: wrap((*done, *inner)))
        if not head:
            return _heading_last(done, rest)
        return (*done, *head), (*tail, *rest[1:])

    def force(self, blocks: Blocks) -> tuple[Blocks, Blocks]:
        """Cut where nothing fits: the first block gives up its styles, and if it has none, its unity."""
        first, rest = blocks[0], blocks[1:]
        plain = literal(plain_text((first,)))
        if plain and plain != (first,):
            return self.cut_blocks((*plain, *rest), wrap=_bare)
        text = plain_text(plain)
        return literal(text[:1]), (*literal(text[1:]), *rest)

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

        text = _flat(block.children)
        at = _best_cut(text, self._limit, lambda count: self._fits(wrap(head(count))))
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
            at = _best_cut(
                block.text,
                self._limit,
                lambda count: self._fits(wrap((replace(block, text=block.text[:count]),))),
            )
        if not block.text[:at].strip():
            return (), (block,)
        tail = block.text[at:].removeprefix("\n")
        return (replace(block, text=block.text[:at]),), (replace(block, text=tail),)

    def _cut_list(self, block: ListBlock, wrap: Wrap) -> tuple[Blocks, Blocks]:
        count = self._largest_of(block.items, lambda items: wrap((replace(block, items=items),)))
        done = block.items[:count]
        head: Blocks = ()
        tail: Blocks = ()
        if not (done and self._well_filled(wrap((replace(block, items=done),)))):
            head, tail = self.cut_blocks(
                block.items[count], lambda inner: wrap((replace(block, items=(*done, inner)),))
            )
        if head:
            done = (*done, head)
        if not done:
            return (), (block,)
        start = None if block.start is None else block.start + len(done)
        items = block.items[len(done) :]
        return (replace(block, items=done),), (*tail, *((ListBlock(items, start),) if items else ()))

    def _largest_of(self, parts: Sequence[T], wrapped: Callable[[tuple[T, ...]], Blocks]) -> int:
        return _largest(len(parts), lambda number: self._fits(wrapped(tuple(parts[:number]))))


def _bare(blocks: Blocks) -> Blocks:
    return blocks


def _heading_last(done: Blocks, rest: Blocks) -> tuple[Blocks, Blocks]:
    """A heading goes with what stands below it."""
    if rest and len(done) > 1 and isinstance(done[-1], Heading):
        return done[:-1], (done[-1], *rest)
    return done, rest


def _largest(total: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to `total` that fits, 0 if none does; what is far too long is never tried."""
    low, high = 0, 1
    while high <= total and fits(high):
        low, high = high, 2 * high
    high = min(high, total + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _best_cut(text: str, limit: int, fits: Callable[[int], bool]) -> int:
    """Where to cut a text so that its head fits: after a line, a sentence, a word, or between graphemes."""
    # No character measures less than 1, so what lies far beyond the limit need not be looked at.
    near = text[: limit + 2 * _LONGEST_GRAPHEME]
    ends = list(accumulate(len(piece) for piece in _graphemes(near)))
    count = _largest(len(ends), lambda number: fits(ends[number - 1]))
    if not count or ends[count - 1] == len(text):
        return ends[count - 1] if count else 0
    candidates = ends[:count]
    late = candidates[count // 2 :]
    for border, among in ((_ends_line, late), (_ends_sentence, late), (_ends_word, candidates)):
        for at in reversed(among):
            if border(text, at):
                return at
    return candidates[-1]


def _graphemes(text: str) -> list[str]:
    found: list[str] = []
    for piece in iter_graphemes(text):
        found.extend((piece,) if len(piece) <= _LONGEST_GRAPHEME else piece)
    return found


def _ends_line(text: str, at: int) -> bool:
    return "\n" in text[at - 1 : at + 1]


def _ends_sentence(text: str, at: int) -> bool:
    return text[at - 1] in "。！？" or (text[at - 1] in ".!?…" and text[at].isspace())


def _ends_word(text: str, at: int) -> bool:
    return text[at - 1].isspace() or text[at].isspace() or text[at - 1] in "，、；："


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
