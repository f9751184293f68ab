"""A message as one JSON object, as session files, exports and `--json` show it, and back."""

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from memory.messages import (
    AssistantMessage,
    Message,
    Provenance,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from memory.sessions.text import text_of, whole

_SHARED = {"seq", "role", "content", "timestamp", "tokens", "sender", "turn", "erased", "provenance"}
_KNOWN = {
    "user": _SHARED | {"source_id", "sender_name", "media"},
    "assistant": _SHARED | {"tool_calls", "reasoning"},
    "tool": _SHARED | {"tool_call_id", "name", "is_error"},
}
# What other programs call fields of ours. A file that gives a speaker's name has no other identity for them.
_ALIASES = {
    "user": ("name", ("sender_name", "sender")),
    "assistant": ("reasoning_content", ("reasoning",)),
    "tool": ("", ()),
}
_PROVENANCES = {provenance.value: provenance for provenance in Provenance}
_PROVENANCE_OF_ROLE = {
    "user": Provenance.OWNER,
    "assistant": Provenance.ASSISTANT,
    "tool": Provenance.TOOL,
}
# Seconds of the year 5138: a larger number counts milliseconds.
_MILLISECONDS_FROM = 1e11


LARGEST_COUNT = 1 << 53
"""Beyond it other programs lose digits, and a little further SQLite does."""


def encode(value: Mapping[str, Any]) -> bytes:
    """One line of UTF-8 JSON without its end; what UTF-8 can't carry is made whole first."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return whole(text).encode()


def decode(line: bytes | str) -> dict[str, Any]:
    """The object in a line; ValueError says why there is none."""
    text = line if isinstance(line, str) else line.decode()
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    if not isinstance(value, dict):
        raise ValueError("no JSON object")  # noqa: TRY004 - the text is at fault, not the caller
    # Only an escape can bring half a character into decoded UTF-8.
    return whole(value) if "\\u" in text else value


def message_to_dict(message: Message) -> dict[str, Any]:
    """The JSON object of a message; fields that say nothing are left out, unknown ones stand as they came."""
    known = {
        "seq": message.seq,
        "role": role_of(message),
        "content": message.content,
        **_own_fields(message),
        "timestamp": format_time(message.at),
        **_given(
            sender=message.sender,
            turn=message.turn,
            tokens=message.tokens,
            erased=message.erased,
        ),
    }
    if message.provenance is not Provenance.ASSISTANT or not isinstance(message, AssistantMessage):
        known["provenance"] = message.provenance.value
    return known | {name: value for name, value in message.extra.items() if name not in known}


def message_from_dict(raw: Mapping[str, Any], *, at: datetime | None = None) -> Message:
    """The message of a JSON object, ours or another program's; `at` stands in where the time is missing or bad.

    Without `at` that is now. ValueError where the object is no message of a user, an assistant or a tool.
    """
    role = raw.get("role")
    if not isinstance(role, str) or role not in _KNOWN:
        raise ValueError(f"role {role!r}: expected user, assistant or tool")
    raw = _with_our_names(raw, role)
    shared = _shared_fields(raw, role, at)
    if role == "user":
        return UserMessage(
            **shared,
            source_id=_text(raw, "source_id"),
            sender_name=_text(raw, "sender_name"),
            media=_texts(raw.get("media")),
        )
    if role == "assistant":
        return AssistantMessage(
            **shared, tool_calls=_calls(raw.get("tool_calls")), reasoning=_text(raw, "reasoning")
        )
    return ToolMessage(
        **shared,
        tool_call_id=_text(raw, "tool_call_id"),
        name=_text(raw, "name"),
        is_error=raw.get("is_error") is True,
    )


def role_of(message: Message) -> str:
    """`user`, `assistant` or `tool`."""
    if isinstance(message, UserMessage):
        return "user"
    return "assistant" if isinstance(message, AssistantMessage) else "tool"


def tombstone(message: Message) -> Message:
    """What `forget` leaves: number, time, role and ids, so that calls keep their results; no word, no name.

    A tool's name stays: an endpoint refuses a call without one.
    """
    bare = replace(message, content="", tokens=0, sender="", erased=True, extra={})
    if isinstance(bare, UserMessage):
        return replace(bare, sender_name="", media=())
    if isinstance(bare, AssistantMessage):
        calls = tuple(replace(call, arguments="{}") for call in bare.tool_calls)
        return replace(bare, tool_calls=calls, reasoning="")
    return bare


def format_time(at: datetime) -> str:
    """ISO 8601 in UTC, ending in Z."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def parse_time(value: object) -> datetime | None:
    """A time in UTC from ISO text (without a zone: this machine's) or seconds or milliseconds since 1970; else None."""
    try:
        if isinstance(value, str):
            return datetime.fromisoformat(value).astimezone(UTC)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
            seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
            return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def whole_number(value: object) -> int:
    """The number if it counts something, else 0: `true`, "3", 2.5, -1 and what no store can count to don't."""
    counts = isinstance(value, int) and not isinstance(value, bool) and 0 < value < LARGEST_COUNT
    return value if counts else 0  # type: ignore[return-value] # an int, or it doesn't count


def _own_fields(message: Message) -> dict[str, Any]:
    if isinstance(message, UserMessage):
        return _given(source_id=message.source_id, sender_name=message.sender_name, media=list(message.media))
    if isinstance(message, AssistantMessage):
        calls = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
        return _given(tool_calls=calls, reasoning=message.reasoning)
    return {
        "tool_call_id": message.tool_call_id,
        "name": message.name,
        **_given(is_error=message.is_error),
    }


def _given(**values: object) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}


def _with_our_names(raw: Mapping[str, Any], role: str) -> Mapping[str, Any]:
    theirs, ours = _ALIASES[role]
    if not isinstance(raw.get(theirs), str) or not ours or ours[0] in raw:
        return raw
    rest = {name: value for name, value in raw.items() if name != theirs}
    return dict.fromkeys(ours, raw[theirs]) | rest


def _shared_fields(raw: Mapping[str, Any], role: str, at: datetime | None) -> dict[str, Any]:
    return {
        "content": text_of(raw.get("content")),
        "at": parse_time(raw.get("timestamp")) or at or datetime.now(UTC),
        "seq": whole_number(raw.get("seq")),
        "tokens": whole_number(raw.get("tokens")),
        "sender": _text(raw, "sender"),
        "turn": _text(raw, "turn"),
        "erased": raw.get("erased") is True,
        "extra": _unknown(raw, _KNOWN[role]),
        "provenance": _provenance(raw.get("provenance"), role),
    }


def _unknown(raw: Mapping[str, Any], known: set[str]) -> dict[str, Any]:
    # Most rows have none: one comparison in C.
    return {} if raw.keys() <= known else {name: value for name, value in raw.items() if name not in known}


def _provenance(value: object, role: str) -> Provenance:
    if value is None:
        return _PROVENANCE_OF_ROLE[role]
    # An origin that we don't know is trusted least.
    return _PROVENANCES.get(str(value), Provenance.STRANGER)


def _text(raw: Mapping[str, Any], name: str) -> str:
    value = raw.get(name)
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _calls(value: object) -> tuple[ToolCall, ...]:
    return tuple(map(_call, filter(_is_mapping, value))) if isinstance(value, list) else ()


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping)


def _call(raw: Mapping[str, Any]) -> ToolCall:
    function = raw.get("function")
    function = function if isinstance(function, Mapping) else raw
    arguments = function.get("arguments")
    return ToolCall(
        id=_text(raw, "id"),
        name=_text(function, "name"),
        arguments=arguments
        if isinstance(arguments, str)
        else json.dumps(arguments or {}, ensure_ascii=False),
    )
