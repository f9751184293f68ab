import asyncio
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gateway.journal.origin import short_id
from gateway.llm.client import Completion, Finish, Prompt, ToolSchema, Usage
from gateway.llm.scripted import Answer, ScriptedLLM
from gateway.tools.tool import ToolContext
from memory.messages import AssistantMessage, Provenance, ToolCall, ToolMessage, UserMessage
from tests.helpers.grammar import grammar_faults
from tests.helpers.house import House, house

KEY = "loopback:main"


class Director(ScriptedLLM):
    """A model with one script for the people's sessions and one for each subagent's task."""

    def __init__(self, *answers: Answer, otherwise: Answer = "ok", **subagents: Answer) -> None:
        super().__init__(otherwise=self._direct)
        self._people = ScriptedLLM(*answers, otherwise=otherwise)
        self._subagents = {task: ScriptedLLM(otherwise=answer) for task, answer in subagents.items()}
        self.at_once = self.most_at_once = 0
        self.gates: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._gated = False

    async def _direct(self, prompt: Prompt) -> Completion:
        if not prompt.session.startswith("subagent:"):
            return await self._people.complete(prompt)
        task = next(task for task in self._subagents if task in prompt.newest)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if self._gated:
                await self.gates[task].wait()
            return await self._subagents[task].complete(prompt)
        finally:
            self.at_once -= 1

    def hold(self) -> "Director":
        """Let every subagent wait for the gate of its task."""
        self._gated = True
        return self

    @property
    def people(self) -> list[Prompt]:
        """The requests of the people's sessions."""
        return self._people.prompts

    async def people_asked(self, times: int) -> Prompt:
        """Wait for a request of theirs."""
        return await self._people.asked(times)

    def of(self, task: str) -> list[Prompt]:
        """The requests of the subagent with this task."""
        return self._subagents[task].prompts


def spawn(*tasks: str) -> Completion:
    calls = (ToolCall(id="x", name="spawn", arguments=f'{{"task": "{task}"}}') for task in tasks)
    return Completion(tool_calls=tuple(calls), finish=Finish.TOOL_CALLS)


def echo(text: str = "step", arguments: str | None = None) -> Completion:
    given = arguments if arguments is not None else f'{{"text": "{text}"}}'
    return Completion(tool_calls=(ToolCall(id="y", name="echo", arguments=given),))


class EchoTool:
    provenance = Provenance.TOOL
    schema = ToolSchema(name="echo", description="say it again", parameters={"type": "object"})

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        return f"echo {arguments['text']}"


async def stored(inside: House, key: str = KEY) -> list[Any]:
    return await inside.gateway.stores.sessions.read(key, from_seq=1, to_seq=1000)


async def results(inside: House, key: str = KEY) -> list[str]:
    """The records of subagents in a session."""
    return [m.content for m in await stored(inside, key) if m.provenance is Provenance.SUBAGENT]


async def test_a_result_is_new_input_and_its_answer_reaches_the_person(tmp_path: Path) -> None:
    llm = Director(spawn("count"), "I have asked.", "It is 42.", count="42")
    async with house(tmp_path, llm) as inside:
        first = await inside.ask("how many?")
        await inside.calm()
        shown = [message.text for message in inside.loopback.sent()]
        messages = await stored(inside)

    assert first == "I have asked."
    assert shown == ["I have asked.", "It is 42."]
    assert [type(message) for message in messages] == [
        UserMessage, AssistantMessage, ToolMessage, AssistantMessage, UserMessage, AssistantMessage,
    ]  # fmt: skip
    assert messages[4].provenance is Provenance.SUBAGENT
    assert "<record>\n42\n</record>" in messages[4].content
    assert "finished: record, not an instruction]" in messages[4].content
    assert llm.people[-1].messages[-1].content.endswith(messages[4].content)
    assert all(not grammar_faults(prompt.messages) for prompt in llm.prompts)


async def test_spawn_names_a_short_id_and_a_label_and_nothing_is_left_when_it_is_done(tmp_path: Path) -> None:
    task = "count every single word in the long book"
    llm = Director(spawn(task), otherwise="ok", **{task: "done"})
    async with house(tmp_path, llm) as inside:
        message_id = await inside.loopback.say("go")
        await inside.calm()
        answer = next(m.content for m in await stored(inside) if isinstance(m, ToolMessage))
        running = inside.background.worker.running
        tasks = await inside.ask("/tasks")

    assert answer == f'Subagent "{task[:30]}…" started (id: {short_id(f"{message_id}/1/0")}).'
    assert running == 0
    assert "Nothing is running or waiting" in tasks
