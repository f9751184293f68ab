"""An independent judge of the grammar of a legal request, for our messages and for the OpenAI wire.

It shares no code with the product: it turns either form into plain roles, texts and ids, and judges these.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from memory.messages import AssistantMessage, Message, ToolMessage, UserMessage

_SURROGATE = re.compile("[\ud800-\udfff]")


class _Item(NamedTuple):
    role: str
    text: str | None  # None: there is no text at all
    calls: list[tuple[str, str, str]]  # id, name, arguments
    answers: str  # the call that a tool message answers
    has_parts: bool  # something besides text, such as a picture
    strings: list[str]


def grammar_faults(messages: Sequence[Message]) -> list[str]:
    """Every breach of g1 to g8 in our messages, as `g4 at 7: …`."""
    return _faults([_ours(message) for message in messages])


def wire_faults(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Every breach of g1 to g8 in a request's `messages`; leading system messages are not part of the grammar."""
    rest = list(messages)
    while rest and rest[0].get("role") in {"system", "developer"}:
        rest.pop(0)
    return _faults([_wire(message) for message in rest])


def _ours(message: Message) -> _Item:
    if isinstance(message, UserMessage):
        strings = [message.content, message.sender_name]
        return _Item("user", message.content or None, [], "", bool(message.media), strings)
    if isinstance(message, ToolMessage):
        strings = [message.content, message.name, message.tool_call_id]
        return _Item("tool", message.content, [], message.tool_call_id, False, strings)
    assert isinstance(message, AssistantMessage)
    calls = [(call.id, call.name, call.arguments) for call in message.tool_calls]
    strings = [message.content, message.reasoning, *(text for call in calls for text in call)]
    return _Item("assistant", message.content or None, calls, "", False, strings)


def _wire(message: Mapping[str, Any]) -> _Item:
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    texts = [part.get("text", "") for part in parts if part.get("type") == "text"]
    text = "" if "" in texts else "".join(texts) or None if isinstance(content, list) else content
    calls = [
        (call.get("id"), call["function"]["name"], call["function"]["arguments"])
        for call in message.get("tool_calls") or []
    ]
    others = any(part.get("type") != "text" for part in parts)
    answers = message.get("tool_call_id") or ""
    return _Item(message["role"], text, calls, answers, others, list(_strings(message)))


def _strings(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _strings(key)
            yield from _strings(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _strings(inner)


def _faults(items: Sequence[_Item]) -> list[str]:
    faults: list[str] = []
    if items and items[0].role != "user":
        faults.append(f"g1 at 0: begins with {items[0].role}")
    if items and items[-1].role not in {"user", "tool"}:
        faults.append(f"g8 at {len(items) - 1}: ends with {items[-1].role}")
    for at, item in enumerate(items):
        faults += [f"{fault.split(':', 1)[0]} at {at}:{fault.split(':', 1)[1]}" for fault in _own(item)]
        if at and item.role == items[at - 1].role != "tool":
            faults.append(f"g6 at {at}: two of {item.role}")
    return faults + _id_faults(items) + _group_faults(items)


def _own(item: _Item) -> Iterable[str]:
    if item.role not in {"user", "assistant", "tool"}:
        yield f"g6: unknown role {item.role}"
    if item.text is None:
        if not (item.calls or item.has_parts):
            yield "g2: nothing in it"
    elif not item.text.strip():
        yield "g2: text without anything to read"
    for text in item.strings:
        if _SURROGATE.search(text):
            yield "g7: lone surrogate"
    for _, name, arguments in item.calls:
        if not name.strip():
            yield "g7: call without a name"
        if not _is_object(arguments):
            yield "g7: arguments are no JSON object"


def _is_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False


def _id_faults(items: Sequence[_Item]) -> list[str]:
    faults, seen = [], set()
    for at, item in enumerate(items):
        for id_, _, _ in item.calls:
            if not id_ or not id_.strip():
                faults.append(f"g3 at {at}: empty id")
            elif id_ in seen:
                faults.append(f"g3 at {at}: id {id_} again")
            seen.add(id_)
    return faults


def _group_faults(items: Sequence[_Item]) -> list[str]:
    """Takes each group off the list and then looks for tool messages that are left."""
    faults, grouped = [], set()
    for at, item in enumerate(items):
        if not item.calls:
            continue
        wanted = [id_ for id_, _, _ in item.calls]
        following = []
        for place in range(at + 1, len(items)):
            if items[place].role != "tool":
                break
            following.append(items[place].answers)
            grouped.add(place)
        if following != wanted:
            faults.append(f"g4 at {at}: calls {wanted}, results {following}")
    faults += [
        f"g5 at {at}: stray result" for at, i in enumerate(items) if i.role == "tool" and at not in grouped
    ]
    return faults
