"""How the journal writes messages, times and free data down, and reads them again."""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar

import orjson

from channels.messages import (
    Attachment,
    ChatKind,
    Choice,
    Entrance,
    InboundMessage,
    OutboundMessage,
    Quoted,
    SessionKey,
)

SUPERSEDED = "superseded: a job with the same queueing lock waits already"
"""What a running job's error says that can't wait again, because another one waits to do its work."""

_SURROGATE = re.compile("[\ud800-\udfff]")

T = TypeVar("T")


def encode(value: Any) -> bytes:
    """A message or free data as JSON; lone surrogates become the text that names them."""
    try:
        return orjson.dumps(value, default=dict)
    except TypeError:
        # Only what the encoder refuses is looked through: it is rare and the walk is slow.
        return orjson.dumps(_plain(value))


def decode_inbound(data: bytes) -> InboundMessage:
    """The message that `encode` wrote; fields that this program doesn't know are left out."""
    fields = orjson.loads(data)
    quoted = fields.get("quoted")
    fields |= {
        "received_at": datetime.fromisoformat(fields["received_at"]),
        "ready_at": decode_time(fields.get("ready_at")),
        "chat_kind": ChatKind(fields.get("chat_kind", ChatKind.DIRECT)),
        "entrance": Entrance(fields.get("entrance", Entrance.USER)),
        "session_key": SessionKey(fields.get("session_key", "")),
        "attachments": _all(Attachment, fields.get("attachments", ())),
        "quoted": quoted and _known(Quoted, quoted),
    }
    return _known(InboundMessage, fields)


def decode_outbound(data: bytes) -> OutboundMessage:
    """The part that `encode` wrote; fields that this program doesn't know are left out."""
    fields = orjson.loads(data)
    fields |= {
        "chat_kind": ChatKind(fields.get("chat_kind", ChatKind.DIRECT)),
        "session_key": SessionKey(fields.get("session_key", "")),
        "attachments": _all(Attachment, fields.get("attachments", ())),
        "choices": _all(Choice, fields.get("choices", ())),
        "answers": tuple(fields.get("answers", ())),
    }
    return _known(OutboundMessage, fields)


def decode_data(data: bytes) -> dict[str, Any]:
    """The free data that `encode` wrote."""
    decoded: dict[str, Any] = orjson.loads(data)
    return decoded


def encode_time(at: datetime) -> str:
    """UTC with microseconds: text that sorts as the times do."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def decode_time(text: str | None) -> datetime | None:
    """The time that was written, or None for none."""
    return None if text is None else datetime.fromisoformat(text)


def legal(text: str) -> str:
    """The text without lone surrogates: pairs are joined, the others become the text that names them (P6)."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return joined.encode("utf-8", "backslashreplace").decode()


def legal_texts(record: T) -> T:
    """One of our flat records with every text `legal`."""
    fields = {name: getattr(record, name) for name in type(record).__annotations__}
    return type(record)(
        **{name: legal(value) if type(value) is str else value for name, value in fields.items()}
    )


def edited(message: InboundMessage, *, edit: InboundMessage) -> InboundMessage:
    """The message with the words of its edit, in its own place: id, time and sender stay."""
    return replace(message, text=edit.text, attachments=edit.attachments or message.attachments)


def _plain(value: Any) -> Any:
    match value:
        case datetime():
            return value
        case str():
            return legal(str(value))
        case Mapping():
            return {legal(str(name)): _plain(item) for name, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case _ if dataclasses.is_dataclass(value):
            return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        case _:
            return value


def _all(kind: type[T], items: Sequence[dict[str, Any]]) -> tuple[T, ...]:
    return tuple(_known(kind, item) for item in items)


def _known(kind: type[T], fields: Mapping[str, Any]) -> T:
    # `kind` is one of our dataclasses, whose annotations are its fields.
    return kind(**{name: fields[name] for name in kind.__annotations__ if name in fields})
