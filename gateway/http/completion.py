"""The wire of `POST /v1/chat/completions`: what of a request counts, and what an answer looks like."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from channels.messages import OutboundMessage
from gateway.http.problems import bad_request

Document = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a client asks: the newest user message and how to answer it. `model` is what they call us."""

    text: str
    model: str
    user: str
    stream: bool
    wants_usage: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as we count them: what was asked and what was answered, not the memory beside it."""

    prompt_tokens: int
    completion_tokens: int

    def document(self) -> Document:
        """As it stands in an answer."""
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": self.prompt_tokens + self.completion_tokens,
        }


def parse_asked(body: Mapping[str, Any]) -> Asked:
    """The request as we read it; 400 names the field that is wrong. Everything else in it is the model's business."""
    options = body.get("stream_options") or {}
    if not isinstance(options, dict):
        raise bad_request("stream_options must be an object")
    if body.get("n", 1) not in (1, None):
        raise bad_request("n must be 1: there is one answer")
    return Asked(
        text=_newest_user_text(body.get("messages")),
        model=_text(body, "model"),
        user=_text(body, "user"),
        stream=_flag(body, "stream"),
        wants_usage=_flag(options, "include_usage"),
    )


def _text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    if value is not None and not isinstance(value, str):
        raise bad_request(f"{name} must be a string")
    return value or ""


def _flag(body: Mapping[str, Any], name: str) -> bool:
    value = body.get(name)
    if value is not None and not isinstance(value, bool):
        raise bad_request(f"{name} must be true or false")
    return bool(value)


def _newest_user_text(messages: object) -> str:
    if not isinstance(messages, list) or not messages:
        raise bad_request("messages must be a list that isn't empty")
    for number, message in enumerate(messages):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise bad_request(f"messages[{number}] must be an object with a role")
    for number, message in reversed(list(enumerate(messages))):
        if message["role"] == "user":
            text = _words(message.get("content"), place=f"messages[{number}].content")
            if not text.strip():
                raise bad_request(f"messages[{number}].content holds no text")
            return text
    raise bad_request('messages holds no message with role "user"')


def _words(content: object, *, place: str) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise bad_request(f"{place} must be a string or a list of parts")
    texts = []
    for number, part in enumerate(content):
        kind = part.get("type") if isinstance(part, dict) else None
        if kind != "text" or not isinstance(part.get("text"), str):
            raise bad_request(f'{place}[{number}] must be a part of type "text"')
        texts.append(part["text"])
    return "\n".join(texts)


def completion_id(message_id: str) -> str:
    """The same for every retry of a message."""
    return f"chatcmpl-{hashlib.sha256(message_id.encode()).hexdigest()[:32]}"


def answer_document(
    reply: OutboundMessage,
    *,
    id: str,  # noqa: A002 - the wire's own word
    model: str,
    created: int,
    usage: Usage,
) -> Document:
    """A whole answer."""
    return {
        "id": id,
        "object": "chat.completion",
        "created": created,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": reply.text, "refusal": None},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": usage.document(),
        "mneme": {"turn": reply.id, "seq": reply.seq},
    }


class Chunks:
    """The events of one streamed answer, in their order."""

    def __init__(self, *, id: str, model: str, created: int) -> None:  # noqa: A002 - the wire's own word
        self._head = {"id": id, "object": "chat.completion.chunk", "created": created, "model": model}
        self._shown = ""
        self._begun = False

    def begin(self) -> bytes:
        """Whose words follow."""
        return self._chunk({"role": "assistant", "content": ""})

    def text(self, text: str) -> bytes:
        """What is new of the answer; b"" when nothing is. What was sent can't be taken back: another text is set below it."""
        piece = text[len(self._shown) :] if text.startswith(self._shown) else f"\n\n{text}"
        self._shown = text
        return self._chunk({"content": piece}) if piece else b""

    def end(self, usage: Usage | None) -> bytes:
        """The answer is whole; with what it cost, if that is wanted."""
        last = self._chunk({}, finish="stop")
        if usage is not None:
            last += _event({**self._head, "choices": [], "usage": usage.document()})
        return last + b"data: [DONE]\n\n"

    def _chunk(self, delta: Document, *, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return _event({**self._head, "choices": [choice]})


def error_event(message: str, *, kind: str) -> bytes:
    """Why a stream ends without an answer."""
    return _event({"error": {"message": message, "type": kind}})


def _event(document: Document) -> bytes:
    return b"data: " + orjson.dumps(document) + b"\n\n"
