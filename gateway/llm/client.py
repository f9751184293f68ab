"""What a model is asked and what it gives, in our own words; wire shapes stay in the client that speaks them."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from memory.messages import Message, ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSchema:
    """A tool as the model sees it; `parameters` is a JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Something said earlier that search brought back: record, never instruction."""

    ref: str
    at: datetime
    sender: str
    text: str
    score: float = 0.0
    provenance: str = ""

    @property
    def line(self) -> str:
        """The passage with its reference; further lines of its text are indented, so that none passes for another."""
        sender = " ".join(self.sender.split())
        text = "\n    ".join(self.text.splitlines())
        return f"[{self.ref}] {self.at:%Y-%m-%d %H:%M} {sender}: {text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One request.

    `messages` are legal (g1 to g8 of ARCHITECTURE.md) and carry their numbers; the last user message among them
    already holds, beside the words in `newest`, the recalled `passages` and the runtime facts, rendered. `newest`
    and `passages` stand here once more for a client that reads meaning instead of text (rote).
    `estimated_tokens` is what we believe the request costs. `schema` asks for an answer of that JSON shape.
    `model` is another model of the same endpoint than the configured one (/model); "" for the configured one.
    `person` and `chat` are whose daily budgets it counts against; "" for nobody's, as with housekeeping.
    """

    session: str
    system: str
    messages: Sequence[Message]
    newest: str = ""
    passages: Sequence[Passage] = ()
    tools: Sequence[ToolSchema] = ()
    max_output: int = 1024
    estimated_tokens: int = 0
    schema: Mapping[str, Any] | None = None
    now: datetime | None = None
    model: str = ""
    person: str = ""
    chat: str = ""


class Finish(StrEnum):
    """Why the model stopped."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    FILTER = "content_filter"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as the provider counted them; 0 where it said nothing."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        """Both together."""
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What the model answered: text, calls, or both (or neither, which the turn must cope with)."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish: Finish = Finish.STOP
    usage: Usage = field(default_factory=Usage)
    reasoning: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A piece of an answer; the last one carries the whole `completion`."""

    text: str = ""
    completion: Completion | None = None


async def whole(answer: AsyncGenerator[Delta, None]) -> Completion:
    """What a stream comes to; it is closed, however it ends."""
    completion = Completion()
    async with aclosing(answer) as deltas:
        async for delta in deltas:
            completion = delta.completion or completion
    return completion


class LLMClient(Protocol):
    """A model. Raises LLMUnavailable, LLMRejected or ContextOverflow and nothing else."""

    @property
    def name(self) -> str:
        """What a person calls it, such as `qwen3 at 127.0.0.1:11434` or `rote`."""

    async def warm(self) -> None:
        """Do ahead what the first request would wait for (slow imports, loading weights); raises nothing."""

    async def window(self) -> int:
        """The context window in tokens: configured, or asked of the server once, or 8192."""

    async def complete(self, prompt: Prompt) -> Completion:
        """The whole answer."""

    def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """The answer as it is written; its last delta holds the completion. Who stops early closes it (`aclosing`)."""

    async def close(self) -> None:
        """Let go of connections."""
