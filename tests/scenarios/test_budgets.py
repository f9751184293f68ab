"""What may be used in a day, over the whole gateway."""

import asyncio
from pathlib import Path

from gateway.llm.client import Completion, Finish, Prompt, Usage
from gateway.llm.scripted import ScriptedLLM
from memory.messages import ToolCall, UserMessage
from tests.helpers.house import house

USAGE = Usage(prompt_tokens=390, completion_tokens=10)
USED_UP = "What I may use in a day is used up. Your message is safe; /retry asks again tomorrow."


def model() -> ScriptedLLM:
    return ScriptedLLM(otherwise=Completion(text="fine", usage=USAGE))


async def test_who_has_used_the_day_is_told_so_in_every_chat_and_loses_no_word(tmp_path: Path) -> None:
    limits = {"budgets__person_tokens_per_day": "1000"}
    async with house(tmp_path, model(), overrides=limits) as inside:
        said = [await inside.ask(f"question {number}") for number in range(4)]
        elsewhere = await inside.ask("question 4", chat_id="other")
        messages = await inside.gateway.stores.sessions.read("loopback:main", from_seq=1, to_seq=20)
    async with house(tmp_path, model(), overrides=limits) as inside:
        after_a_restart = await inside.ask("question 5", chat_id="third")

    assert said == ["fine", "fine", "fine", USED_UP]
    assert (elsewhere, after_a_restart) == (USED_UP, USED_UP)
    assert [m.content for m in messages if isinstance(m, UserMessage)] == [f"question {n}" for n in range(4)]


async def test_a_chat_has_a_budget_of_its_own(tmp_path: Path) -> None:
    async with house(tmp_path, model(), overrides={"budgets__chat_tokens_per_day": "400"}) as inside:
        said = [await inside.ask("one"), await inside.ask("two"), await inside.ask("one", chat_id="other")]

    assert said == ["fine", USED_UP, "fine"]


async def test_a_subagent_uses_the_day_of_whoever_asked_for_it(tmp_path: Path) -> None:
    spawn = ToolCall(id="c", name="spawn", arguments='{"task": "look"}')

    answered = asyncio.Event()

    async def answer(prompt: Prompt) -> Completion:
        if prompt.session.startswith("subagent:"):
            await answered.wait()
            return Completion(text="found", usage=Usage(prompt_tokens=5_000))
        if prompt.newest == "go" and isinstance(prompt.messages[-1], UserMessage):
            return Completion(tool_calls=(spawn,), finish=Finish.TOOL_CALLS)
        return Completion(text="fine")

    limits = {"budgets__person_tokens_per_day": "5000"}
    async with house(tmp_path, ScriptedLLM(otherwise=answer), overrides=limits) as inside:
        first = await inside.ask("go")
        answered.set()
        await inside.calm()
        second = await inside.ask("and now?")

    assert (first, second) == ("fine", USED_UP)
