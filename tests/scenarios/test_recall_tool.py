"""The `recall` tool in a whole gateway."""

import json
from pathlib import Path

from gateway.llm.client import Completion, Prompt
from gateway.llm.scripted import ScriptedLLM
from memory.messages import ToolCall, ToolMessage
from tests.helpers.house import House, house

KEY = "loopback:main"


def searching(prompt: Prompt) -> Completion:
    """Look the harbour up, once for every question."""
    if isinstance(prompt.messages[-1], ToolMessage):
        return Completion(text="looked up")
    call = ToolCall(id="x", name="recall", arguments=json.dumps({"query": "when the harbour opens"}))
    return Completion(tool_calls=(call,))


async def results(inside: House) -> list[str]:
    messages = await inside.gateway.stores.sessions.read(KEY, from_seq=1, to_seq=1000)
    return [message.content for message in messages if isinstance(message, ToolMessage)]


async def test_a_search_does_not_find_what_earlier_searches_found(tmp_path: Path) -> None:
    async with house(tmp_path, ScriptedLLM(otherwise=searching)) as inside:
        await inside.ask("the harbour opens at noon")
        for number in range(12):
            await inside.gateway.stores.index.caught_up()
            await inside.ask(f"and now, number {number}?")
        found = await results(inside)

    assert "the harbour opens at noon" in found[-1]
    assert "recall:" not in found[-1]
    assert len(found[-1]) < 2000


async def test_a_long_message_is_found_by_the_sentence_that_was_looked_for(tmp_path: Path) -> None:
    filler = "Nothing of interest happened on that day either. " * 400
    async with house(tmp_path, ScriptedLLM(otherwise=searching)) as inside:
        await inside.ask(f"{filler}The harbour opens at noon. {filler}")
        await inside.gateway.stores.index.caught_up()
        await inside.ask("and now?")
        found = await results(inside)

    assert "The harbour opens at noon." in found[-1]
    assert len(found[-1]) < 6000


async def test_what_is_found_says_who_said_it(tmp_path: Path) -> None:
    """Words of the assistant stood there as nobody's."""

    def answering(prompt: Prompt) -> Completion:
        return (
            searching(prompt) if prompt.newest == "and now?" else Completion(text="the harbour has a master")
        )

    async with house(tmp_path, ScriptedLLM(otherwise=answering)) as inside:
        await inside.ask("who looks after the boats?")
        await inside.gateway.stores.index.caught_up()
        await inside.ask("has the harbour a master?", chat_id="b")
        await inside.ask("and now?")
        found = await results(inside)

    assert "assistant: the harbour has a master" in found[-1]
