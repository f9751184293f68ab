"""What is said in a session: by a person, by the assistant, by a tool."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Provenance(StrEnum):
    """Whose words they are; it survives every rewriting (P14)."""

    OWNER = "owner"
    MEMBER = "member"
    STRANGER = "stranger"
    TOOL = "tool"
    WEB = "web"
    FILE = "file"
    SUBAGENT = "subagent"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """What the model asks a tool to do; `arguments` is JSON text exactly as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What every stored message has.

    `seq` counts 1, 2, 3 … per session and is 0 until the store has it. `at` is aware and in UTC. `tokens` is
    counted once, when the message is made. `turn` is the id of the turn that stored it. `erased` marks the
    tombstone that `forget` leaves. `extra` holds unknown fields of the stored record, kept as they are.
    """

    content: str
    at: datetime
    seq: int = 0
    tokens: int = 0
    sender: str = ""
    turn: str = ""
    erased: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMessage(Record):
    """Words that came in: a person's, or a record (a subagent's result) that is labelled as one.

    `source_id` is the id of the inbound message; `sender_name` is how the platform shows the person.
    `media` names kept attachments by content hash.
    """

    provenance: Provenance = Provenance.OWNER
    source_id: str = ""
    sender_name: str = ""
    media: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantMessage(Record):
    """The assistant's words, or its calls, or both; `reasoning` goes back only where a provider needs it."""

    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    provenance: Provenance = Provenance.ASSISTANT


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolMessage(Record):
    """What a tool answered to the call `tool_call_id`, whole."""

    tool_call_id: str
    name: str
    is_error: bool = False
    provenance: Provenance = Provenance.TOOL


Message = UserMessage | AssistantMessage | ToolMessage

_MOST_DIGITS = 18
"""Stores count with 64 bits, and look a little further than the number that is asked for."""


def reference(session: str, seq: int) -> str:
    """The name of a message everywhere: `session#seq`, split again at the last `#`."""
    return f"{session}#{seq}"


def split_reference(ref: str) -> tuple[str, int]:
    """The session and the number of a reference; ValueError names what is wrong with it."""
    session, mark, number = ref.rpartition("#")
    is_number = number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS
    if not mark or not session or not is_number:
        raise ValueError(f"{ref!r} is no reference: expected SESSION#NUMBER, such as telegram:42#17")
    return session, int(number)
