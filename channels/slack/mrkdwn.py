"""A tree of Markdown as Slack's mrkdwn, in which nothing that a model wrote pings anybody."""

import re
from collections.abc import Iterable

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
    plain_inlines,
)
from channels.slack.entities import escape
from channels.tables import aligned

_SPACE = "\u200b"
"""A zero-width space: marks count only at the border of a word, and Chinese has no spaces."""

_STYLES = {Bold: "*", Italic: "_", Strike: "~"}
_OPENABLE = ("https://", "http://", "mailto:", "tel:")
_INDENT = "    "


def mrkdwn(blocks: Iterable[Block]) -> str:
    """The text for `chat.postMessage`; `&`, `<` and `>` that stand in the tree are shown as they are."""
    return "\n\n".join(_block(block) for block in blocks)


def _block(block: Block) -> str:  # noqa: PLR0911 - one return a kind
    match block:
        case Paragraph():
            return _inlines(block.children)
        case Heading():
            return _inlines((Bold(block.children),))
        case CodeBlock():
            return _fenced(block.text)
        case Quote():
            return "\n".join(f"> {line}".rstrip() for line in mrkdwn(block.blocks).split("\n"))
        case ListBlock():
            return "\n".join(_item(block, number) for number in range(len(block.items)))
        case Table():
            return _fenced(aligned(block))
        case Rule():
            return "———"


def _item(block: ListBlock, number: int) -> str:
    content = "\n".join(_block(inner) for inner in block.items[number])
    return block.marker(number) + content.replace("\n", "\n" + _INDENT)


def _fenced(text: str) -> str:
    # Slack knows no longer fence, so one inside the code is broken up.
    return f"```\n{escape(text.replace('```', f'``{_SPACE}`'))}\n```"


def _inlines(inlines: Iterable[Inline], styles: frozenset[str] = frozenset()) -> str:
    text = ""
    for inline in inlines:
        piece = _inline(inline, styles)
        marked = isinstance(inline, Bold | Italic | Strike | Code)
        text += (_SPACE if text and piece and _touch(text[-1], piece[0], marked) else "") + piece
    return text


def _touch(before: str, after: str, marked: bool) -> bool:
    """Whether a mark and a letter meet, where Slack would show the mark instead of the style."""
    return before.isalnum() if marked else (before in "*_~`" and after.isalnum())


def _inline(inline: Inline, styles: frozenset[str]) -> str:
    match inline:
        case Text():
            return escape(inline.text)
        case Code():
            return escape(inline.text) if "`" in inline.text else f"`{escape(inline.text)}`"
        case LineBreak():
            return "\n"
        case Link():
            return _link(inline, styles)
        case _:
            return _styled(inline, styles)


def _styled(inline: Bold | Italic | Strike, styles: frozenset[str]) -> str:
    """Marks end with their line, stand tight around words, and don't nest in themselves."""
    mark = _STYLES[type(inline)]
    inner = _inlines(inline.children, styles | {mark})
    if mark in styles:
        return inner
    return re.sub(r"^([^\S\n]*)(\S(?:.*\S)?)([^\S\n]*)$", rf"\1{mark}\2{mark}\3", inner, flags=re.MULTILINE)


def _link(link: Link, styles: frozenset[str]) -> str:
    """`<url|label>`; an address that no person opens is shown, so that none can be a control sequence."""
    label = _inlines(link.children, styles)
    if not link.url.startswith(_OPENABLE):
        return f"{label} ({escape(link.url)})"
    url = escape(link.url).replace("|", "%7C").replace(" ", "%20")
    if plain_inlines(link.children) == link.url:
        return f"<{url}>"
    return f"<{url}|{label.replace(chr(10), ' ').replace('|', '¦')}>"
