"""What a scripted model server answers: well, or with one of the faults that real endpoints have."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.helpers.prompts import call

Wire = dict[str, Any]


def tool_call(call_id: str | None, name: str = "recall", arguments: str = "{}") -> Wire:
    """One call as it stands on the wire; None leaves the id out."""
    made = call(call_id or "", name=name, arguments=arguments)
    wire: Wire = {"type": "function", "function": {"name": made.name, "arguments": made.arguments}}
    return wire if call_id is None else {"id": made.id} | wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer. By default whole and correct; every field below `usage` is a way to misbehave.

    `piece` is the size of a streamed piece of text or arguments. `cut_after` closes the socket after so many
    events. `hold` is waited for before event number `hold_at` (0: before the headers). `documents` replaces
    what would be streamed, `body` the whole body.
    """

    text: str | None = ""
    calls: Sequence[Wire] = ()
    reasoning: str = ""
    finish: str | None = "stop"
    usage: bool = True
    piece: int = 12
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    documents: Sequence[Wire] | None = None
    content_type: str = ""
    whole: bool = False
    done: bool = True
    indexed: bool = True
    cut_after: int | None = None
    hold: asyncio.Event | None = None
    hold_at: int = 0


def refusal(
    status: int, message: str = "no", *, headers: Mapping[str, str] | None = None, **error: Any
) -> Answer:
    """An error status with the usual body."""
    body = json.dumps({"error": {"message": message, "type": "error", **error}}).encode()
    return Answer(status=status, body=body, headers=headers or {}, content_type="application/json")


def document(answer: Answer, *, model: str, usage: Wire) -> Wire:
    """The answer in one piece."""
    message: Wire = {"role": "assistant", "content": answer.text if answer.text or not answer.calls else None}
    if answer.calls:
        message["tool_calls"] = list(answer.calls)
    if answer.reasoning:
        message["reasoning_content"] = answer.reasoning
    choice = {"index": 0, "message": message, "finish_reason": _finish(answer)}
    return {"id": "x", "object": "chat.completion", "model": model, "choices": [choice], "usage": usage}


def chunks(answer: Answer, *, model: str, usage: Wire | None) -> list[Wire]:
    """The answer in the documents of a stream."""
    deltas: list[Wire] = [{"role": "assistant", "content": None if answer.text is None else ""}]
    if answer.reasoning:
        deltas.append({"reasoning_content": answer.reasoning})
    deltas.extend({"content": piece} for piece in _pieces(answer.text or "", size=answer.piece))
    for index, wire in enumerate(answer.calls):
        deltas.extend({"tool_calls": [part]} for part in _parts(wire, index=index, answer=answer))
    choices: list[Wire] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    if answer.finish is not None:
        choices.append({"index": 0, "delta": {}, "finish_reason": _finish(answer)})
    frame = {"id": "x", "object": "chat.completion.chunk", "model": model}
    made: list[Wire] = [{**frame, "choices": [choice]} for choice in choices]
    if usage is not None:
        made.append({**frame, "choices": [], "usage": usage})
    return made


def _finish(answer: Answer) -> str | None:
    return "tool_calls" if answer.calls and answer.finish == "stop" else answer.finish


def _parts(wire: Wire, *, index: int, answer: Answer) -> list[Wire]:
    numbered = {"index": index} if answer.indexed else {}
    function = wire["function"]
    first = {**numbered, **wire, "function": {"name": function["name"], "arguments": ""}}
    rest = [
        {**numbered, "function": {"arguments": piece}}
        for piece in _pieces(function["arguments"], size=answer.piece)
    ]
    return [first, *rest]


def _pieces(text: str, *, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]
