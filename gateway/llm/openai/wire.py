"""A prompt as the JSON body of a chat completion request (pure)."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from gateway.llm.client import Prompt, ToolSchema
from gateway.llm.openai.quirks import Quirks
from memory.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage

Wire = dict[str, Any]


def request(prompt: Prompt, *, model: str, quirks: Quirks) -> Wire:
    """The request in the shape that an endpoint with these quirks takes; roles and order stay the prompt's."""
    body: Wire = {"model": model, "messages": wire_messages(prompt, quirks=quirks)}
    if quirks.stream:
        body["stream"] = True
        if quirks.usage_in_stream:
            body["stream_options"] = {"include_usage": True}
    if quirks.limit_field:
        body[quirks.limit_field] = min(prompt.max_output, quirks.limit or prompt.max_output)
    if prompt.tools and quirks.tools:
        body["tools"] = [_tool(tool) for tool in prompt.tools]
    if prompt.schema is not None and quirks.answer_format:
        body["response_format"] = _answer_format(prompt.schema, quirks=quirks)
    return body


def encode(body: Wire) -> bytes:
    """The bytes of a request; what is no Unicode (lone surrogates) is replaced."""
    try:
        return orjson.dumps(body, default=_plain)
    except TypeError:
        return orjson.dumps(_clean(body))


def wire_messages(prompt: Prompt, *, quirks: Quirks) -> list[Wire]:
    """The messages of a request, the system part first; content is a string, or null beside calls."""
    messages = _with_reasoning(prompt.messages) if quirks.reasoning else prompt.messages
    wire = [_message(message, quirks=quirks) for message in messages]
    if not prompt.system:
        return wire
    if quirks.system_role or not wire or wire[0]["role"] != "user":
        return [{"role": "system", "content": prompt.system}, *wire]
    wire[0]["content"] = f"{prompt.system}\n\n{wire[0]['content']}"
    return wire


def short_id(*parts: object) -> str:
    """A derived id of nine letters and digits, which every endpoint takes as the id of a call."""
    return hashlib.blake2b("/".join(map(str, parts)).encode("utf-8", "replace"), digest_size=5).hexdigest()[
        :9
    ]


def _with_reasoning(messages: Sequence[Message]) -> Sequence[Message]:
    """The messages from the first user message on after which no calls lack their reasoning text.

    It can't be made up, and such an endpoint refuses calls without it; the newest user message always stays.
    """
    users = [place for place, message in enumerate(messages) if isinstance(message, UserMessage)]
    lacking = [
        place
        for place, message in enumerate(messages)
        if isinstance(message, AssistantMessage) and message.tool_calls and not message.reasoning
    ]
    if not lacking or not users:
        return messages
    usable = [place for place in users if place > lacking[-1]]
    return messages[usable[0] if usable else users[-1] :]


def _message(message: Message, *, quirks: Quirks) -> Wire:
    if isinstance(message, UserMessage):
        return {"role": "user", "content": message.content}
    if isinstance(message, ToolMessage):
        call_id = _call_id(message.tool_call_id, quirks=quirks)
        return {"role": "tool", "tool_call_id": call_id, "content": message.content}
    if not message.tool_calls:
        return {"role": "assistant", "content": message.content}
    wire: Wire = {
        "role": "assistant",
        "content": message.content or (None if quirks.null_content else ""),
        "tool_calls": [_call(call, quirks=quirks) for call in message.tool_calls],
    }
    if quirks.reasoning:
        wire["reasoning_content"] = message.reasoning
    return wire


def _call(call: ToolCall, *, quirks: Quirks) -> Wire:
    return {
        "id": _call_id(call.id, quirks=quirks),
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }


def _call_id(call_id: str, *, quirks: Quirks) -> str:
    if not quirks.short_ids or (len(call_id) == 9 and call_id.isascii() and call_id.isalnum()):
        return call_id
    return short_id(call_id)


def _tool(tool: ToolSchema) -> Wire:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _answer_format(schema: Mapping[str, Any], *, quirks: Quirks) -> Wire:
    if quirks.answer_format == "json_object":
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {_clean(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    return value
