"""What work in the background costs a reply (P5): a summary that takes a minute, twenty subagents with a slow model."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path
from uuid import uuid4

from gateway.llm.client import Completion, Finish, Prompt
from gateway.llm.scripted import ScriptedLLM
from gateway.service import logs
from memory.messages import ToolCall, UserMessage
from tests.bench.figure import Figure
from tests.helpers.house import House, house

SUBAGENTS = 20
BEGIN = "begin"
GOAL = 1.2


async def beside_figures() -> list[Figure]:
    """Reply times in two conversations of the same words and length, of which one has something beside it."""
    return [
        await _figure("a summary of 60 s", _summary),
        await _figure(f"{SUBAGENTS} subagents", _subagents),
    ]


async def _figure(what: str, begin: Callable[[House, "_Model"], Awaitable[None]]) -> Figure:
    """The two take turns by blocks, each in a gateway of its own, so that they share the machine's moods."""
    before: list[float] = []
    beside: list[float] = []
    limits = {"subagents__max_running": str(SUBAGENTS), "subagents__max_per_session": str(SUBAGENTS)}
    with tempfile.TemporaryDirectory(prefix="mneme-bench-") as folder:
        logs.configure(file=Path(folder) / "log" / "mneme.jsonl")
        async with AsyncExitStack() as stack:
            model = _Model()
            quiet, busy = [
                await stack.enter_async_context(house(Path(folder) / name, llm, overrides=limits))
                for name, llm in (("quiet", _Model()), ("busy", model))
            ]
            for inside in (quiet, busy):
                await _times(inside, range(50))
            await begin(busy, model)
            for start in range(50, 350, 25):
                before += await _times(quiet, range(start, start + 25))
                beside += await _times(busy, range(start, start + 25))
            model.hold.set()
    ratio = _p95(beside) / _p95(before)
    return Figure(
        name=f"reply p95 beside {what}, to without",
        value=f"{ratio:.2f} ({_p95(before) * 1000:.1f} → {_p95(beside) * 1000:.1f} ms)",
        goal=f"≤ {GOAL}",
        met=ratio <= GOAL,
    )


class _Model(ScriptedLLM):
    """Answers people at once, a summary when it is let, and each request of a subagent after 5 s with another call."""

    def __init__(self) -> None:
        super().__init__(otherwise=self._answer, window=32_768)
        self.hold = asyncio.Event()
        self.summarizing = asyncio.Event()
        self.working = asyncio.Semaphore(0)
        self._asked_for = count()

    async def _answer(self, prompt: Prompt) -> Completion:
        if prompt.schema is not None:
            self.summarizing.set()
            await self.hold.wait()
        elif prompt.session.startswith("subagent:"):
            self.working.release()
            await asyncio.sleep(5)
            again = _call("recall", f'{{"query": "question {next(self._asked_for)}"}}')
            return Completion(tool_calls=(again,), finish=Finish.TOOL_CALLS)
        elif prompt.newest == BEGIN and isinstance(prompt.messages[-1], UserMessage):
            tasks = (_call("spawn", f'{{"task": "look around, {number}"}}') for number in range(SUBAGENTS))
            return Completion(tool_calls=tuple(tasks), finish=Finish.TOOL_CALLS)
        return Completion(text="ok")


def _call(name: str, arguments: str) -> ToolCall:
    return ToolCall(id=uuid4().hex, name=name, arguments=arguments)


async def _summary(inside: House, model: _Model) -> None:
    await inside.ask("/compact")
    await model.summarizing.wait()


async def _subagents(inside: House, model: _Model) -> None:
    await inside.ask(BEGIN, chat_id="another")
    for _ in range(SUBAGENTS):
        await model.working.acquire()


async def _times(inside: House, numbers: Iterable[int]) -> list[float]:
    """Seconds until each of these questions was answered."""
    times = []
    for number in numbers:
        before = time.perf_counter()
        await inside.ask(f"question {number}")
        times.append(time.perf_counter() - before)
    return times


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]
