"""Whole conversations that outgrow the window: what is asked, what is remembered, and what nobody waits for."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from gateway.errors import ContextOverflow, LLMUnavailable
from gateway.llm.client import Completion, Finish, Prompt
from gateway.llm.scripted import Line, ScriptedLLM
from memory.archive.record import History
from memory.claims.summary import summary_from_dict
from memory.sessions.session import Session
from tests.helpers.grammar import grammar_faults
from tests.helpers.house import House, house
from tests.helpers.summarizing import is_consolidation, quoting

KEY = "loopback:main"
WINDOW = 4096
PLACES = [
    "dentist",
    "garage",
    "cellar",
    "attic",
    "stable",
    "library",
    "bakery",
    "museum",
    "harbour",
    "chapel",
    "orchard",
    "laundry",
    "kitchen",
    "pantry",
    "barn",
    "workshop",
    "greenhouse",
    "boathouse",
    "gallery",
    "archive",
    "vault",
    "nursery",
    "canteen",
    "armoury",
    "brewery",
    "dairy",
    "foundry",
    "granary",
    "kiln",
    "mill",
]
TASK = "Next: send the invoice to Mr Kim."


class Model:
    """Replies with a short word and summarises as it is told; notes every request of a turn."""

    def __init__(
        self, summarise: Callable[[Prompt], Line | Awaitable[Line]] = quoting, *, window: int = WINDOW
    ) -> None:
        self.requests: list[Prompt] = []
        self.consolidations: list[Prompt] = []
        self._summarise = summarise
        self.llm = ScriptedLLM(otherwise=self._answer, window=window)

    def _answer(self, prompt: Prompt) -> Line | Awaitable[Line]:
        if is_consolidation(prompt):
            self.consolidations.append(prompt)
            return self._summarise(prompt)
        self.requests.append(prompt)
        return f"I see, number {len(self.requests)}."


async def talk(inside: House, text: str, *, chat_id: str = "main") -> str:
    """Say something, and let what goes on beside start at once."""
    reply = await inside.ask(text, chat_id=chat_id)
    inside.gateway.background.worker.wake()
    return reply


async def session_of(inside: House, key: str = KEY) -> Session:
    session = await inside.gateway.stores.sessions.look(key)
    assert session is not None
    return session


def told(prompt: Prompt) -> str:
    """Everything that the model reads."""
    return "\n".join([prompt.system, *(message.content for message in prompt.messages)])


@pytest.mark.slow
@pytest.mark.timeout(300)  # three hundred turns, on a machine that does other things as well
async def test_three_hundred_turns_in_a_small_window_forget_nothing(tmp_path: Path) -> None:
    model = Model(
        lambda prompt: quoting(prompt, keep=lambda line: "code" in line.words or "invoice" in line.words)
    )
    facts = {place: f"The code of the {place} is {1000 + 7 * n}." for n, place in enumerate(PLACES)}
    async with house(tmp_path, model.llm) as inside:
        for fact in facts.values():
            await talk(inside, fact)
        await talk(inside, TASK)
        for number in range(239):
            await talk(
                inside, f"Today we spoke about the weather again, and I listened. It was story {number}. " * 3
            )
        await inside.calm()
        recalled = {}
        for place in PLACES:
            await talk(inside, f"What is the code of the {place}?")
            recalled[place] = told(model.requests[-1])
        session = await session_of(inside)

    assert [prompt for prompt in model.requests if grammar_faults(prompt.messages)] == []
    assert max(prompt.estimated_tokens + prompt.max_output for prompt in model.requests) <= WINDOW
    assert [place for place, fact in facts.items() if fact not in recalled[place]] == []
    assert session.last_seq == 600
    assert session.last_consolidated > 400


async def test_an_old_task_stands_in_the_prompt_as_a_dated_open_question_alone(tmp_path: Path) -> None:
    model = Model()
    async with house(tmp_path, model.llm) as inside:
        await talk(inside, "Could you, as the next thing, send the invoice to Mr Kim?")
        for number in range(8):
            await talk(inside, f"Chapter {number} is read.")
        await talk(inside, "/compact")
        await inside.calm()
        await talk(inside, "And now?")
        prompt = model.requests[-1]

    assert "invoice" not in "".join(message.content for message in prompt.messages)
    _, _, questions = prompt.system.partition("Open questions (not an instruction")
    [line] = [line for line in questions.splitlines() if "invoice" in line]
    assert line.startswith("- [loopback:main#1] 20")


async def test_no_reply_waits_for_a_summariser_that_hangs(tmp_path: Path) -> None:
    gate = asyncio.Event()

    async def hang(prompt: Prompt) -> str:
        await gate.wait()
        return quoting(prompt)

    model = Model(hang)
    async with house(tmp_path, model.llm) as inside:
        for number in range(10):
            await talk(inside, f"Line {number} is told.")
        await talk(inside, "/compact")
        while not model.consolidations:
            await model.llm.asked(len(model.llm.prompts) + 1)
        replies = [await talk(inside, f"Still there, {number}?") for number in range(5)]
        other = await talk(inside, "And here?", chat_id="other")
        held = await session_of(inside)
        gate.set()
        await inside.calm()
        session = await session_of(inside)

    assert len({*replies, other}) == 6
    assert held.last_consolidated == 0
    assert session.last_consolidated > 0
    assert session.last_seq == 30


async def test_past_the_trigger_a_job_brings_the_session_down_to_the_target(tmp_path: Path) -> None:
    model = Model(window=2048)
    async with house(tmp_path, model.llm, overrides={"llm__max_output": "256"}) as inside:
        number = 0
        while not model.consolidations:
            number += 1
            await talk(inside, f"Page {number} says: {'the river ran on ' * 15}and so on.")
            await inside.calm()
        before = model.requests[-1].estimated_tokens
        await talk(inside, "Go on.")
        after = model.requests[-1].estimated_tokens

    budget = 2048 - 256
    assert before >= 0.6 * budget
    assert after <= 0.55 * budget
    assert after < before


async def test_compact_says_what_came_of_it(tmp_path: Path) -> None:
    model = Model()
    async with house(tmp_path, model.llm) as inside:
        short = await talk(inside, "/compact")
        for number in range(8):
            await talk(inside, f"Page {number} is read.")
        started = await talk(inside, "/compact")
        await inside.calm()
        again = await talk(inside, "/compact")
        said = [message.text for message in inside.loopback.sent()]

    assert short == again == "This conversation is short enough as it is."
    assert started.startswith("I am summing up")
    assert "Summed up: 8 messages, 4 claims kept. The messages themselves stay findable." in said


async def test_new_begins_without_the_old_summary_and_keeps_it_in_memory(tmp_path: Path) -> None:
    model = Model()
    async with house(tmp_path, model.llm) as inside:
        for number in range(8):
            await talk(inside, f"Page {number} is read.")
        await talk(inside, "/compact")
        await inside.calm()
        await talk(inside, "Hm.")
        before = model.requests[-1].system
        await talk(inside, "/new")
        await inside.calm()
        await talk(inside, "Hello.")
        after = model.requests[-1].system
        session = await session_of(inside)
        entries = await History(tmp_path).entries(session.audience)

    assert "Page 3 is read." in before
    assert "Page 3 is read." not in after
    assert session.last_consolidated == 18
    assert len(summary_from_dict(session.summary).claims) == 8
    assert [(entry.from_seq, entry.to_seq) for entry in entries] == [(1, 8), (9, 18)]


async def test_between_consolidations_the_system_part_is_the_same_to_the_byte(tmp_path: Path) -> None:
    model = Model()
    async with house(tmp_path, model.llm) as inside:
        for number in range(8):
            await talk(inside, f"Page {number} is read.")
        await talk(inside, "/compact")
        await inside.calm()
        for number in range(3):
            await talk(inside, f"More {number}.")

    assert len({prompt.system for prompt in model.requests[-3:]}) == 1
    assert "Page 3 is read." in model.requests[-1].system


async def test_a_summary_is_in_the_prompt_of_its_own_session_alone(tmp_path: Path) -> None:
    model = Model()
    async with house(tmp_path, model.llm) as inside:
        await talk(inside, "Hello.", chat_id="other")
        before = model.requests[-1].system
        for number in range(8):
            await talk(inside, f"Page {number} is read.")
        await talk(inside, "/compact")
        await inside.calm()
        await talk(inside, "Hello again.", chat_id="other")

    assert model.requests[-1].system == before


WAYS_TO_FAIL: dict[str, Line] = {
    "prose": "We talked about pages, and it was nice.",
    "half": '{"key_facts": [{"text": "Page',
    "wrong types": '{"key_facts": "all of it", "decisions": 3, "open_questions": null}',
    "nothing": "",
    "refusal": Completion(text="", finish=Finish.FILTER),
    "cut": Completion(text='{"key_facts": []', finish=Finish.LENGTH),
    "down": LLMUnavailable("down"),
    "too long": ContextOverflow("too long"),
}


@pytest.mark.parametrize("way", WAYS_TO_FAIL)
async def test_however_the_summariser_fails_the_conversation_goes_on_and_is_remembered(
    tmp_path: Path, way: str
) -> None:
    model = Model(lambda _prompt: WAYS_TO_FAIL[way])
    async with house(tmp_path, model.llm) as inside:
        for number in range(8):
            await talk(inside, f"My parcel {number} has the number {4000 + number}.")
        await talk(inside, "/compact")
        await inside.calm()
        reply = await talk(inside, "Are you there?")
        session = await session_of(inside)

    assert reply.startswith("I see")
    assert session.last_consolidated == 8
    assert "My parcel 2 has the number 4002." in model.requests[-1].system
