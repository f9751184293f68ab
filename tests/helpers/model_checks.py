"""Whether a chat completion request is one that the strictest endpoint takes."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memory.tokens import count
from tests.helpers.grammar import wire_faults

Wire = Mapping[str, Any]

_FIELDS = {
    "model": str,
    "messages": list,
    "stream": bool,
    "stream_options": dict,
    "max_tokens": int,
    "max_completion_tokens": int,
    "tools": list,
    "response_format": dict,
}
_MESSAGE_FIELDS = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls", "reasoning_content"},
    "tool": {"role", "content", "tool_call_id"},
}


def request_tokens(request: Wire) -> int:
    """What the request costs: its texts in cl100k_base, four tokens of wrapping a message, tools as JSON."""
    total = 3
    for message in request["messages"]:
        total += 4 + count(message.get("content") or "")
        for call in message.get("tool_calls") or ():
            total += 8 + count(call["function"]["name"]) + count(call["function"]["arguments"])
    if request.get("tools"):
        total += count(json.dumps(request["tools"]))
    return total


def request_faults(request: Wire, *, null_content: bool = True) -> list[str]:
    """Everything that a strict endpoint would refuse; without `null_content`, "" stands for null beside calls."""
    faults = [f"unknown field {name!r}" for name in request if name not in _FIELDS]
    faults += [
        f"{name!r} is no {kind.__name__}"
        for name, kind in _FIELDS.items()
        if name in request and not isinstance(request[name], kind)
    ]
    faults += [f"{name!r} is missing" for name in ("model", "messages") if not request.get(name)]
    if faults:
        return faults
    if "stream_options" in request and not request.get("stream"):
        faults.append("stream_options without stream")
    if (request.get("max_tokens") or request.get("max_completion_tokens") or 1) < 1:
        faults.append("an output limit below one")
    faults += [fault for message in request["messages"] for fault in _message_faults(message)]
    faults += [fault for tool in request.get("tools", ()) for fault in _tool_faults(tool)]
    return faults or wire_faults(
        [
            {**message, "content": None} if message.get("tool_calls") and not null_content else message
            for message in request["messages"]
        ]
    )


def _message_faults(message: Wire) -> Sequence[str]:
    role = message.get("role")
    if role not in _MESSAGE_FIELDS:
        return [f"unknown role {role!r}"]
    faults = [f"{role} message has {name!r}" for name in set(message) - _MESSAGE_FIELDS[role]]
    content = message.get("content")
    if not isinstance(content, str) and not (content is None and message.get("tool_calls")):
        faults.append(f"content of a {role} message is no string")
    for call in message.get("tool_calls") or ():
        if set(call) != {"id", "type", "function"} or call["type"] != "function":
            faults.append("a call is not of the shape id, type, function")
        elif not all(isinstance(call["function"].get(name), str) for name in ("name", "arguments")):
            faults.append("a call has no name or no arguments as text")
    return faults


def _tool_faults(tool: Wire) -> Sequence[str]:
    function = tool.get("function")
    if tool.get("type") != "function" or not isinstance(function, dict) or not function.get("name"):
        return ["a tool is not of the shape type, function"]
    if function.get("parameters", {}).get("type") != "object":
        return ["a tool's parameters are no object schema"]
    return []
