"""Several models as one, and the model that plays a script."""

import asyncio
from contextlib import aclosing

import pytest

from gateway.errors import ContextOverflow, LLMRejected, LLMUnavailable
from gateway.llm.client import Completion
from gateway.llm.fallback import FallbackLLM
from gateway.llm.scripted import Held, ScriptedLLM
from gateway.service.clock import ManualClock
from tests.helpers.prompts import prompt

HELLO = prompt("hello")
DOWN = LLMUnavailable("down")


async def test_the_next_answers_when_the_first_cannot() -> None:
    first, second = ScriptedLLM(DOWN), ScriptedLLM("from the second")

    assert (await FallbackLLM([first, second]).complete(HELLO)).text == "from the second"


async def test_one_that_failed_rests_and_is_asked_again_later() -> None:
    clock = ManualClock()
    first, second = ScriptedLLM(DOWN, "back", name="first"), ScriptedLLM(otherwise="second", name="second")
    client = FallbackLLM([first, second], clock=clock, rest=30)

    await client.complete(HELLO)
    while_resting = (await client.complete(HELLO)).text
    name_while_resting = client.name
    await clock.advance(30)

    assert (while_resting, name_while_resting) == ("second", "second")
    assert len(first.prompts) == 1
    assert (await client.complete(HELLO)).text == "back"
    assert client.name == "first"


async def test_one_that_names_its_time_rests_that_long() -> None:
    clock = ManualClock()
    first = ScriptedLLM(LLMUnavailable("busy", retry_after=300), otherwise="first")
    client = FallbackLLM([first, ScriptedLLM(otherwise="second")], clock=clock)

    await client.complete(HELLO)
    await clock.advance(299)

    assert (await client.complete(HELLO)).text == "second"


async def test_the_window_is_that_of_the_one_who_would_answer() -> None:
    client = FallbackLLM(
        [ScriptedLLM(DOWN, window=32000), ScriptedLLM("x", window=4000)], clock=ManualClock()
    )

    before = await client.window()
    await client.complete(HELLO)

    assert (before, await client.window()) == (32000, 4000)


async def test_a_refusal_moves_on_but_is_not_remembered() -> None:
    first = ScriptedLLM(LLMRejected("no such model"), "first")
    client = FallbackLLM([first, ScriptedLLM("second")], clock=ManualClock())

    assert (await client.complete(HELLO)).text == "second"
    assert (await client.complete(HELLO)).text == "first"


async def test_overflow_goes_to_the_turn() -> None:
    second = ScriptedLLM("x")

    with pytest.raises(ContextOverflow):
        await FallbackLLM([ScriptedLLM(ContextOverflow("too long")), second]).complete(HELLO)

    assert second.prompts == []


async def test_what_was_handed_on_is_not_said_twice() -> None:
    class Breaking(ScriptedLLM):
        async def stream(self, prompt):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202 - the parent says it
            async with aclosing(super().stream(prompt)) as deltas:
                async for delta in deltas:
                    yield delta
                    raise LLMUnavailable("broke off")

    second = ScriptedLLM("x")

    with pytest.raises(LLMUnavailable, match="broke off"):
        await FallbackLLM([Breaking("half an answer"), second]).complete(HELLO)
    assert second.prompts == []


async def test_when_all_fail_the_passing_failure_is_told() -> None:
    client = FallbackLLM([ScriptedLLM(LLMRejected("no key")), ScriptedLLM(DOWN)])

    with pytest.raises(LLMUnavailable, match="down"):
        await client.complete(HELLO)


async def test_when_all_rest_they_are_asked_all_the_same() -> None:
    client = FallbackLLM([ScriptedLLM(DOWN, "there"), ScriptedLLM(DOWN)], clock=ManualClock())

    with pytest.raises(LLMUnavailable):
        await client.complete(HELLO)

    assert (await client.complete(HELLO)).text == "there"


async def test_closing_and_warming_reach_those_behind() -> None:
    clients = [ScriptedLLM(), ScriptedLLM()]
    together = FallbackLLM(clients)

    await together.warm()
    await together.close()

    assert all(client.closed for client in clients)


def test_nobody_is_no_fallback() -> None:
    with pytest.raises(ValueError, match="at least one"):
        FallbackLLM([])


# The script


async def test_a_script_is_played_in_order_and_then_for_ever() -> None:
    client = ScriptedLLM("one", Completion(text="two"), lambda asked: asked.newest.upper(), otherwise="more")
    client.add("four")

    said = [(await client.complete(HELLO)).text for _ in range(6)]

    assert said == ["one", "two", "HELLO", "four", "more", "more"]
    assert client.prompts == [HELLO] * 6


async def test_a_script_can_fail_and_end() -> None:
    client = ScriptedLLM(DOWN)

    with pytest.raises(LLMUnavailable):
        await client.complete(HELLO)
    with pytest.raises(LLMRejected, match="script of 'scripted' is over"):
        await client.complete(HELLO)


async def test_an_answer_can_be_held_until_it_is_wanted() -> None:
    go_on = asyncio.Event()
    client = ScriptedLLM(Held(answer="late", until=go_on))

    asking = asyncio.create_task(client.complete(HELLO))
    asked = await client.asked(1)
    waiting = not asking.done()
    go_on.set()

    assert asked is HELLO
    assert waiting
    assert (await asking).text == "late"


async def test_a_callable_may_take_its_time() -> None:
    async def think(_prompt: object) -> str:
        await asyncio.sleep(0)
        return "thought"

    assert (await ScriptedLLM(think).complete(HELLO)).text == "thought"


async def test_an_answer_comes_in_pieces() -> None:
    async with aclosing(ScriptedLLM("abcde", piece=2).stream(HELLO)) as stream:
        deltas = [delta async for delta in stream]

    assert [delta.text for delta in deltas] == ["ab", "cd", "e", ""]
