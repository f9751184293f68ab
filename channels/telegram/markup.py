"""A tree of Markdown as Telegram's HTML, and how long that is in Telegram's count."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape

from channels.chunking import Blocks, split_markdown
from channels.cuts import split_text, utf16_units
from channels.markdown import (
    Block,
    Bold,
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
    parse,
    plain_inlines,
    plain_text,
)
from channels.tables import aligned

LIMIT = 4096
"""Bot API, sendMessage: 1 to 4096 characters after entities parsing; we count UTF-16 units, the strictest reading."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """The HTML that is sent, and the text that people then see."""

    html: str
    visible: str

    @property
    def length(self) -> int:
        """UTF-16 units of the longer one: a server may hold either against the limit."""
        return max(utf16_units(self.html), utf16_units(self.visible))


def render(blocks: Iterable[Block]) -> Rendered:
    """The tree as HTML with only the tags that Telegram knows, nested only as it allows."""
    writer = _Writer()
    writer.blocks(tuple(blocks))
    return writer.finished()


def split(source: str, *, limit: int = LIMIT) -> list[str]:
    """The parts of a Markdown text, each of which is one message."""
    return split_markdown(source, measure=_length, limit=limit)


def plain_parts(source: str, *, limit: int = LIMIT) -> list[str]:
    """What the Markdown says without any markup, as texts that are one message each."""
    return split_text(plain_text(parse(source)), measure=utf16_units, limit=limit)


def _length(blocks: Blocks) -> int:
    return render(blocks).length


@dataclass(slots=True)
class _Writer:
    """Writes HTML and visible text side by side; `open` are the tags that stand open, outermost first."""

    html: list[str] = field(default_factory=list)
    visible: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    indent: str = ""
    quoted: bool = False

    def finished(self) -> Rendered:
        self._switch(())
        return Rendered("".join(self.html), "".join(self.visible))

    def blocks(self, blocks: tuple[Block, ...], gap: str = "\n\n") -> None:
        for number, block in enumerate(blocks):
            if number:
                self._switch(())
                self._show(gap if isinstance(block, CodeBlock | Table) else gap + self.indent)
            self._block(block)

    def _block(self, block: Block) -> None:
        match block:
            case Paragraph():
                self._inlines(block.children, ())
            case Heading():
                self._inlines(block.children, ("b",))
            case CodeBlock():
                self._pre(block.text, language=block.language)
            case Quote():
                self._quote(block)
            case ListBlock():
                self._list(block)
            case Table():
                self._pre(aligned(block))
            case Rule():
                self._leaf("———", ())

    def _quote(self, block: Quote) -> None:
        """A quote within a quote is not allowed and is shown within the outer one."""
        self._switch(())
        outer, self.quoted = self.quoted, True
        if not outer:
            self.html.append("<blockquote>")
        self.blocks(block.blocks)
        self._switch(())
        if not outer:
            self.html.append("</blockquote>")
        self.quoted = outer

    def _list(self, block: ListBlock) -> None:
        outer = self.indent
        for number, item in enumerate(block.items):
            self._switch(())
            self._show(("\n" + outer if number else "") + block.marker(number))
            self.indent = outer + "   "
            self.blocks(item, gap="\n")
        self.indent = outer

    def _pre(self, text: str, *, language: str = "") -> None:
        self._switch(())
        known = f' class="language-{escape(language)}"' if language else ""
        self.html.append(f"<pre><code{known}>" if known else "<pre>")
        self._show(text or " ")
        self.html.append("</code></pre>" if known else "</pre>")

    def _inlines(self, inlines: tuple[Inline, ...], tags: tuple[str, ...]) -> None:
        for inline in inlines:
            self._inline(inline, tags)

    def _inline(self, inline: Inline, tags: tuple[str, ...]) -> None:
        match inline:
            case Text():
                self._leaf(inline.text, tags)
            case Code():
                # Code may stand in no other style, and not in a link: there, the link is worth more.
                linked = any(tag.startswith("a ") for tag in tags)
                self._leaf(inline.text, tags if linked else ("code",))
            case LineBreak():
                self._leaf("\n" + self.indent, tags)
            case Bold():
                self._inlines(inline.children, _with(tags, "b"))
            case Italic():
                self._inlines(inline.children, _with(tags, "i"))
            case Strike():
                self._inlines(inline.children, _with(tags, "s"))
            case Link():
                self._link(inline, tags)

    def _link(self, link: Link, tags: tuple[str, ...]) -> None:
        """A link that Telegram would silently drop is shown with its address."""
        if link.url.lower().startswith(("http://", "https://")):
            self._inlines(link.children, _with(tags, f'a href="{escape(link.url)}"'))
        else:
            self._leaf(plain_inlines((link,)), tags)

    def _leaf(self, text: str, tags: tuple[str, ...]) -> None:
        self._switch(tags)
        self._show(text)

    def _switch(self, tags: tuple[str, ...]) -> None:
        """Close and open what it takes for exactly `tags` to stand open."""
        kept = 0
        while kept < min(len(tags), len(self.open)) and tags[kept] == self.open[kept]:
            kept += 1
        while len(self.open) > kept:
            self.html.append(f"</{self.open.pop().split()[0]}>")
        for tag in tags[kept:]:
            self.html.append(f"<{tag}>")
            self.open.append(tag)

    def _show(self, text: str) -> None:
        self.html.append(escape(text, quote=False))
        self.visible.append(text)


def _with(tags: tuple[str, ...], tag: str) -> tuple[str, ...]:
    return tags if tag in tags else (*tags, tag)
