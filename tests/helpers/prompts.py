"""Prompts for tests of models: a session told in a few words."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from gateway.llm.client import Passage, Prompt, ToolSchema
from memory.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def user(text: str, *, seq: int = 0, **fields: Any) -> UserMessage:
    """A person's message, `seq` minutes after noon."""
    return UserMessage(content=text, at=NOON + timedelta(minutes=seq), seq=seq, **fields)


def assistant(text: str, *calls: ToolCall, seq: int = 0, reasoning: str = "") -> AssistantMessage:
    """The assistant's words and calls."""
    at = NOON + timedelta(minutes=seq)
    return AssistantMessage(content=text, at=at, seq=seq, tool_calls=calls, reasoning=reasoning)


def call(call_id: str, *, name: str = "recall", arguments: str = "{}") -> ToolCall:
    """One tool call."""
    return ToolCall(id=call_id, name=name, arguments=arguments)


def result(call_id: str, text: str, *, seq: int = 0, name: str = "recall") -> ToolMessage:
    """What a tool answered."""
    return ToolMessage(
        content=text, at=NOON + timedelta(minutes=seq), seq=seq, tool_call_id=call_id, name=name
    )


def prompt(*messages: Message | str, **fields: Any) -> Prompt:
    """A prompt whose newest message is the last user message; a plain string is a user message."""
    listed = [
        user(message, seq=number) if isinstance(message, str) else message
        for number, message in enumerate(messages, start=1)
    ]
    newest = next((message.content for message in reversed(listed) if isinstance(message, UserMessage)), "")
    given: dict[str, Any] = {"session": "terminal:main", "system": "You are Mneme.", "newest": newest}
    return Prompt(messages=listed, **(given | fields))


def conversation(told: Sequence[str], *, question: str) -> list[Message]:
    """Everything told, each acknowledged, and then a question."""
    messages: list[Message] = []
    for text in told:
        messages.append(user(text, seq=len(messages) + 1))
        messages.append(assistant("Noted.", seq=len(messages) + 1))
    messages.append(user(question, seq=len(messages) + 1))
    return messages


def passage(ref: str, text: str, **fields: Any) -> Passage:
    """Something that search brought back."""
    given: dict[str, Any] = {"at": NOON, "sender": "Ann", "provenance": "owner"}
    return Passage(ref=ref, text=text, **(given | fields))


RECALL = ToolSchema(
    name="recall",
    description="Search what was said.",
    parameters={"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
