"""The model asks, the tools answer, until the model stops asking."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Protocol

from gateway.llm.client import Completion, Finish, LLMClient, Prompt
from memory.messages import AssistantMessage, ToolCall, ToolMessage

MAX_ROUNDS = 25
"""Enough for long research, few enough that a model going in circles ends within minutes."""

MAX_EQUAL_FAILURES = 3
"""The same call failing a third time will fail a fourth time."""


class Ending(StrEnum):
    """Why the loop ended."""

    ANSWERED = "answered"
    EMPTY = "empty"
    ROUND_LIMIT = "round_limit"
    EQUAL_FAILURES = "equal_failures"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of it: the answer (or what was written before the end), and the thoughts behind it."""

    ending: Ending
    text: str
    reasoning: str
    rounds: int
    cut: bool = False
    """The model ran into its output limit in the middle of the answer."""

    def answer(self) -> AssistantMessage | None:
        """What is stored of it; the words that came before another end are sent and never stored."""
        if self.ending is not Ending.ANSWERED:
            return None
        return AssistantMessage(content=self.text, reasoning=self.reasoning, at=datetime.now(UTC))


class Conversation(Protocol):
    """What the loop needs of whoever runs it: a turn or a subagent."""

    async def prompt(self) -> Prompt:
        """The next request, legal and fitting, with everything stored so far."""

    async def store_round(self, message: AssistantMessage) -> None:
        """Make a round's calls durable; called before any of its tools runs."""

    async def store_result(self, message: ToolMessage) -> None:
        """Make one result durable."""

    async def call_tool(self, call: ToolCall) -> ToolMessage:
        """Run one tool, whose call has an id of ours by now; failures are results too."""

    def wrote(self, text: str) -> None:
        """A piece of the answer arrived."""

    def learned(self, prompt: Prompt, completion: Completion) -> None:
        """A request was answered; its usage can be learned from."""

    @property
    def turn_id(self) -> str:
        """The id that calls derive theirs from."""


async def ask(llm: LLMClient, prompt: Prompt, *, wrote: Callable[[str], None]) -> Completion:
    """One request, its text handed on as it is written."""
    completion = Completion()
    async with aclosing(llm.stream(prompt)) as deltas:
        async for delta in deltas:
            if delta.text:
                wrote(delta.text)
            completion = delta.completion or completion
    return completion


async def run_loop(
    conversation: Conversation,
    llm: LLMClient,
    *,
    pending: Sequence[ToolCall] = (),
    rounds: int = 0,
    max_rounds: int = MAX_ROUNDS,
) -> Outcome:
    """Ask and answer until the model is done.

    `pending` are calls of round `rounds` that are stored without a result: an interrupted turn goes on with
    them. Raises what the model raises; what is stored by then stays stored.
    """
    failures: Counter[tuple[str, str]] = Counter()
    if pending:
        await _answer(conversation, pending, failures=failures)
    while True:
        prompt = await conversation.prompt()
        completion = await ask(llm, prompt, wrote=conversation.wrote)
        conversation.learned(prompt, completion)
        if not completion.tool_calls:
            return _ended(Ending.ANSWERED if completion.text.strip() else Ending.EMPTY, completion, rounds)
        rounds += 1
        calls = _named(completion.tool_calls, turn_id=conversation.turn_id, number=rounds)
        await conversation.store_round(_round(completion, calls))
        await _answer(conversation, calls, failures=failures)
        if max(failures.values(), default=0) >= MAX_EQUAL_FAILURES:
            return _ended(Ending.EQUAL_FAILURES, completion, rounds)
        if rounds >= max_rounds:
            return _ended(Ending.ROUND_LIMIT, completion, rounds)


async def _answer(
    conversation: Conversation,
    calls: Sequence[ToolCall],
    *,
    failures: Counter[tuple[str, str]],
) -> None:
    """Run a round's tools side by side; each result is durable as soon as it is there."""

    async def answer(call: ToolCall) -> ToolMessage:
        result = await conversation.call_tool(call)
        await conversation.store_result(result)
        return result

    try:
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(answer(call)) for call in calls]
    except ExceptionGroup as group:
        # Only a store fails here; what the tools do wrong is a result.
        raise group.exceptions[0] from group
    for call, task in zip(calls, running, strict=True):
        if task.result().is_error:
            failures[call.name, call.arguments] += 1


def _named(calls: Sequence[ToolCall], *, turn_id: str, number: int) -> tuple[ToolCall, ...]:
    """The calls under ids of ours: a model's own repeat, or are empty."""
    return tuple(
        ToolCall(id=f"{turn_id}/{number}/{index}", name=call.name, arguments=call.arguments)
        for index, call in enumerate(calls)
    )


def _round(completion: Completion, calls: tuple[ToolCall, ...]) -> AssistantMessage:
    return AssistantMessage(
        content=completion.text,
        tool_calls=calls,
        reasoning=completion.reasoning,
        at=datetime.now(UTC),
    )


def _ended(ending: Ending, completion: Completion, rounds: int) -> Outcome:
    return Outcome(
        ending=ending,
        text=completion.text.strip() if ending is not Ending.EMPTY else "",
        reasoning=completion.reasoning,
        rounds=rounds,
        cut=completion.finish is Finish.LENGTH,
    )
