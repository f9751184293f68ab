"""A session as a person reads it in a terminal."""

import re
from collections.abc import Iterator, Mapping
from datetime import tzinfo
from typing import Any

from gateway.replies import counted
from memory.sessions.codec import parse_time

# What strangers wrote must not steer the operator's terminal.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
ERASED = "(forgotten: the words were erased, the place is kept)"
_HEADINGS = {"key_facts": "Facts", "decisions": "Decisions", "open_questions": "Open questions"}


def printable(text: str) -> str:
    """The text without what a terminal would obey; lines and tabs stay."""
    return _CONTROL.sub("", text)


def moment(text: object, zone: tzinfo) -> str:
    """A stored time in the reader's time zone, to the minute."""
    at = parse_time(text)
    return f"{at.astimezone(zone):%Y-%m-%d %H:%M}" if at else ""


def conversation_lines(document: Mapping[str, Any], zone: tzinfo) -> Iterator[str]:
    """The lines of a document of `sessions show`."""
    messages = document["messages"]
    head = [document["key"], document["audience"], counted(len(messages), "message")]
    yield printable(" · ".join(part for part in head if part))
    for kind, heading in _HEADINGS.items():
        claims = document["summary"].get(kind) or []
        if claims:
            yield ""
            yield f"{heading}:"
            yield from (printable(f"  - {claim.get('text', '')}") for claim in claims)
    for message in messages:
        yield ""
        yield from _message_lines(message, zone)


def _message_lines(message: Mapping[str, Any], zone: tzinfo) -> Iterator[str]:
    yield printable(f"#{message['seq']}  {moment(message['timestamp'], zone)}  {_speaker(message)}")
    if message.get("erased"):
        yield f"  {ERASED}"
    yield from (f"  {line}" for line in printable(message["content"]).splitlines())
    yield from (printable(f"  [attachment {name}]") for name in message.get("media") or ())
    for call in message.get("tool_calls") or ():
        function = call["function"]
        yield printable(f"  → {function['name']} {function['arguments']}")


def _speaker(message: Mapping[str, Any]) -> str:
    role = str(message["role"])
    if role == "tool":
        return f"tool {message.get('name', '')}{' (failed)' if message.get('is_error') else ''}"
    return str(message.get("sender_name") or message.get("sender") or role)
