"""What counts as text in a session: whole Unicode, and one string whatever shape the content came in."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

T = TypeVar("T")


def whole(value: T) -> T:
    """The value with every lone surrogate in it replaced by U+FFFD, and two halves of one character joined.

    Such text comes from broken tool output. UTF-8 can't carry it, so that a save or a request would fail. Looks
    into tuples, lists, dicts and records; gives the very same object where nothing had to change.
    """
    made_whole: T = _whole(value)
    return made_whole


def text_of(content: object) -> str:
    """One string for what other programs store as content: text, nothing, or a list of parts."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if isinstance(content, list):
        return "\n".join(filter(None, map(_text_of_part, content)))
    return json.dumps(content, ensure_ascii=False)


def _whole(value: Any) -> Any:
    if not value:
        return value
    if isinstance(value, str):
        return _whole_text(value)
    if isinstance(value, (tuple, list)):
        return _if_changed(value, type(value)(map(_whole, value)))
    if isinstance(value, dict):
        return _if_changed(value, {_whole(key): _whole(item) for key, item in value.items()})
    if is_dataclass(value) and not isinstance(value, type):
        before = [(field.name, getattr(value, field.name)) for field in fields(value)]
        after = {name: made for name, item in before if (made := _whole(item)) is not item}
        return replace(value, **after) if after else value
    return value


def _if_changed(before: Any, after: Any) -> Any:
    return before if before == after else after


def _whole_text(text: str) -> str:
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _text_of_part(part: object) -> str:
    if not isinstance(part, Mapping):
        return text_of(part)
    kind = part.get("type")
    if isinstance(part.get("text"), str):
        return str(part["text"])
    if kind in {"image_url", "input_image", "image"}:
        return f"[image: {place}]" if (place := _image_place(part)) else "[image]"
    return text_of(part["content"]) if "content" in part else f"[{kind or 'part'}]"


def _image_place(part: Mapping[str, Any]) -> str:
    meta, image = part.get("_meta"), part.get("image_url")
    if isinstance(meta, Mapping) and isinstance(meta.get("path"), str):
        return str(meta["path"])
    url = image.get("url") if isinstance(image, Mapping) else image
    place = url if isinstance(url, str) else part.get("path")
    # The bytes of a picture are no words.
    return place if isinstance(place, str) and not place.startswith("data:") else ""
