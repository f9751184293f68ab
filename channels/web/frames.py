"""The frames of the web chat: JSON objects in, JSON objects out, and nothing of sockets."""

from dataclasses import dataclass
from typing import Any

import orjson

from channels.messages import OutboundMessage
from channels.web.names import client_id

Frame = dict[str, Any]

LONGEST_ID = 200
"""In characters: an id is a key in the journal and stands in every log line of its turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A person said something, under the id that their client gave it."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Stop:
    """A person wants the running answer to end."""


class BadFrame(ValueError):
    """A frame that says nothing to us; `id` is the one it named, if it did."""

    def __init__(self, message: str, *, id: str | None = None) -> None:  # noqa: A002 - the frame's own word
        super().__init__(message)
        self.id = id


def parse_frame(data: str) -> Said | Stop:
    """What a client sent; BadFrame names what is wrong with it."""
    try:
        frame = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise BadFrame(f"not JSON: {error}") from error
    if not isinstance(frame, dict):
        raise BadFrame("a frame is a JSON object")
    match frame.get("type"):
        case "message":
            return _said(frame)
        case "stop":
            return Stop()
        case other:
            shown = f'"{other[:60]}"' if isinstance(other, str) else type(other).__name__
            raise BadFrame(f'type is "message" or "stop", not {shown}')


def _said(frame: Frame) -> Said:
    name, text = frame.get("id"), frame.get("text")
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_ID:
        raise BadFrame(f"id is a text of 1 to {LONGEST_ID} characters")
    if not isinstance(text, str) or not text.strip():
        raise BadFrame("text is a text that isn't empty", id=name)
    return Said(id=name, text=text)


def ack_frame(name: str) -> Frame:
    """The message is durable."""
    return {"type": "ack", "id": name}


def error_frame(name: str | None, message: str) -> Frame:
    """The message, or the frame, was not taken in."""
    return {"type": "error", "id": name, "message": message}


def delta_frame(message: OutboundMessage, *, start: int) -> Frame:
    """What was written of the answer from character `start` on; `at` 0 after more means that it begins anew."""
    return {"type": "delta", "id": _newest(message), "text": message.text[start:], "at": start}


def reply_frame(message: OutboundMessage) -> Frame:
    """A finished answer: `id` is the newest message that it answers, `ids` are all of them; null and none for a stop's."""
    return {
        "type": "reply",
        "id": _newest(message),
        "ids": _answered(message),
        "text": message.text,
        "turn": message.id,
        "seq": message.seq,
    }


def encode(frame: Frame) -> str:
    """The frame as it is sent."""
    return orjson.dumps(frame).decode()


def _answered(message: OutboundMessage) -> list[str]:
    ids = message.answers or (message.id,)
    names = (client_id(one, channel=message.channel, chat_id=message.chat_id) for one in ids)
    return [name for name in names if name is not None]


def _newest(message: OutboundMessage) -> str | None:
    return next(reversed(_answered(message)), None)
