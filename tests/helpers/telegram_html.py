"""Telegram's HTML read as strictly as the Bot API documents it."""

import re
from html.parser import HTMLParser

_TAGS = {
    "b",
    "strong",
    "i",
    "em",
    "u",
    "ins",
    "s",
    "strike",
    "del",
    "a",
    "code",
    "pre",
    "blockquote",
    "tg-spoiler",
}
_STYLES = _TAGS - {"a", "code", "pre", "blockquote"}
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|#\d+|#x[0-9a-fA-F]+);")


class BadEntities(Exception):
    """What Telegram answers to markup that it can't read."""


def visible_text(html: str) -> str:
    """The text that people see; BadEntities for what the Bot API would refuse."""
    if re.search(r"<(?!/?[a-z])", html) or "&" in _ENTITY.sub("", html):
        raise BadEntities("unsupported start tag or entity")
    reader = _Reader()
    reader.feed(html)
    reader.close()
    if reader.open:
        raise BadEntities(f"Can't find end tag corresponding to start tag {reader.open[-1]}")
    return "".join(reader.shown)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.shown: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._check_attributes(tag, dict(attrs))
        code = {"code", "pre"} & set(self.open)
        if code and not (tag == "code" and self.open[-1] == "pre"):
            raise BadEntities(f"{tag} within code")
        if tag in {"code", "pre"} and (_STYLES | {"a"}) & set(self.open):
            raise BadEntities(f"{tag} within {self.open}")
        if tag in self.open:
            raise BadEntities(f"{tag} within itself")
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            raise BadEntities(f"Unexpected end tag {tag}")

    def handle_data(self, data: str) -> None:
        self.shown.append(data)

    def handle_comment(self, data: str) -> None:
        raise BadEntities(f"a comment: {data}")

    def _check_attributes(self, tag: str, attrs: dict[str, str | None]) -> None:
        if tag not in _TAGS:
            raise BadEntities(f"Unsupported start tag {tag}")
        allowed = {
            "a": {"href"},
            "blockquote": {"expandable"},
            "code": {"class"} if self.open[-1:] == ["pre"] else set(),
        }
        if set(attrs) - allowed.get(tag, set()):
            raise BadEntities(f"Unsupported attribute of {tag}")
        if tag == "a" and not attrs.get("href"):
            raise BadEntities("a link without an address")
