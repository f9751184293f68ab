"""What Mneme, its models and its people make of a message before it is forgotten, or while it is."""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from prompt_toolkit.history import FileHistory

from channels.adapter import Sent
from channels.errors import DeliveryFailed
from channels.messages import InboundMessage, OutboundMessage, Quoted
from gateway.app.stores import forget_for
from gateway.app.typed import TYPED
from gateway.jobs.subagent import FORGOTTEN
from gateway.llm.client import Completion, Prompt
from gateway.llm.scripted import Held, ScriptedLLM
from memory.errors import StoreUnavailable
from memory.forget import Erasure
from memory.messages import ToolCall, UserMessage
from tests.helpers.failing import failing
from tests.helpers.house import House, house
from tests.helpers.leftovers import holding

KEY = "loopback:main"
SECRET = "the vault opens with marzipan-4711"
LONG = f"start-zanzibar the vault {'and one more of many words ' * 200} end-zanzibar"


@pytest.fixture(params=["sqlite", "jsonl"])
def store(request: pytest.FixtureRequest) -> dict[str, str]:
    return {"sessions__store": request.param}


def calling(*calls: tuple[str, str]) -> Completion:
    """A round with these calls: names and arguments."""
    made = [ToolCall(id=str(number), name=name, arguments=text) for number, (name, text) in enumerate(calls)]
    return Completion(text="", tool_calls=tuple(made))


def recalling(**arguments: str) -> Completion:
    return calling(("recall", json.dumps(arguments)))


async def forget(inside: House, seq: int = 1) -> Erasure:
    return await forget_for(inside.gateway.settings, inside.gateway.stores).message(f"{KEY}#{seq}")


async def receive(inside: House, *, chat_id: str, quoted: str) -> None:
    """Let a message come that replies to another one."""
    accept = await inside.loopback._door()
    message = InboundMessage(
        id=f"loopback:{chat_id}/quoting",
        channel="loopback",
        chat_id=chat_id,
        sender_id="owner",
        text="is this right?",
        received_at=datetime.now(UTC),
        quoted=Quoted(sender_name="owner: or not", text=quoted),
    )
    await accept(message)


def fail(inside: House) -> asyncio.Event:
    """Let the platform be down; the event is set when something was tried to be sent."""
    tried = asyncio.Event()

    async def send(_message: OutboundMessage) -> Sent:
        tried.set()
        raise DeliveryFailed("down")

    inside.loopback.send = send  # type: ignore[method-assign, assignment] # a platform fails, not the code of ours
    return tried


# ---------------------------------------------------------------- what says a part of it


@pytest.mark.parametrize(
    ("said", "answer", "later"),
    [
        ("my vault is Xylograph, number 88412-77", "A fine vault!", "It is Xylograph."),
        ("my vault is Xylograph, number 88412-77", "88412-77, noted.", "Its number is 88412-77."),
        ("write to ada@vault.example about the vault", "I'll write.", "To ada@vault.example, you said."),
        ("我住在紫藤巷九十八号，别告诉别人", "好的，紫藤巷九十八号。", "你家在紫藤巷九十八号。"),
    ],
)
async def test_an_answer_that_has_a_part_of_it_goes_at_once_or_later_on(
    tmp_path: Path, store: dict[str, str], said: str, answer: str, later: str
) -> None:
    llm = ScriptedLLM(answer, "It rains.", later)
    async with house(tmp_path, llm, overrides=store) as inside:
        for text in (said, "and the weather?", "where was it again?"):
            await inside.ask(text)
        await inside.calm()
        report = await forget(inside)
        after = [holding(tmp_path, part.encode()) for part in (answer, later, "It rains.")]

    assert report.messages == (f"{KEY}#1", f"{KEY}#2", f"{KEY}#6")
    assert [bool(files) for files in after] == [False, False, True]


async def test_a_name_that_a_person_says_elsewhere_takes_no_answer_along(tmp_path: Path) -> None:
    llm = ScriptedLLM("Poor thing.", "Hello, Tofu!", "Tofu sleeps, in 2024 as ever.")
    async with house(tmp_path, llm) as inside:
        for text in ("our cat Tofu was sick in 2024", "this is Tofu, our cat", "what does the cat do?"):
            await inside.ask(text)
        await inside.calm()
        report = await forget(inside)

    assert report.messages == (f"{KEY}#1",)


# ---------------------------------------------------------------- turns that run meanwhile


async def test_an_answer_that_repeats_it_and_is_being_written_goes_too(
    tmp_path: Path, store: dict[str, str]
) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM(recalling(query="nothing"), Held(answer=f"You said: {SECRET}", until=gate))
    async with house(tmp_path, llm, overrides=store) as inside:
        asking = asyncio.create_task(inside.ask(SECRET))
        await llm.asked(2)
        forgetting = asyncio.create_task(forget(inside))
        gate.set()
        report = await forgetting
        await asking
        await inside.calm()
        after = holding(tmp_path)

    assert f"{KEY}#4" in report.messages
    assert after == []


async def test_the_same_words_that_are_being_answered_in_another_session_go_when_that_turn_ends(
    tmp_path: Path, store: dict[str, str]
) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM("noted", Held(answer=f"heard {SECRET}", until=gate))
    async with house(tmp_path, llm, overrides=store) as inside:
        await inside.ask(SECRET)
        asking = asyncio.create_task(inside.ask(f"again: {SECRET}", chat_id="b"))
        await llm.asked(2)
        await forget(inside)
        gate.set()
        await asking
        await inside.calm()
        after = holding(tmp_path)
        messages = await inside.gateway.stores.sessions.read("loopback:b", from_seq=1, to_seq=9)

    assert after == []
    assert [message.erased for message in messages] == [True, True]


async def test_what_a_turn_elsewhere_has_recalled_before_goes_with_its_answer(tmp_path: Path) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM(
        "noted", recalling(query="vault marzipan"), Held(answer=f'It is "{SECRET}"', until=gate)
    )
    async with house(tmp_path, llm) as inside:
        await inside.ask(SECRET)
        await inside.gateway.stores.index.caught_up()
        asking = asyncio.create_task(inside.ask("what opens the vault?", chat_id="b"))
        await llm.asked(3)
        forgetting = asyncio.create_task(forget(inside))
        gate.set()
        await forgetting
        await asking
        await inside.calm()
        after = holding(tmp_path)

    assert after == []


async def test_a_subagent_that_knows_it_hands_nothing_over(tmp_path: Path) -> None:
    gate, begun = asyncio.Event(), asyncio.Event()

    async def answer(prompt: Prompt) -> str:
        if not prompt.session.startswith("subagent:"):
            return "ok"
        begun.set()
        await gate.wait()
        return f"found: {SECRET}"

    spawning = calling(("spawn", json.dumps({"task": "open it", "label": "opening"})))
    llm = ScriptedLLM("noted", spawning, otherwise=answer)
    async with house(tmp_path, llm) as inside:
        await inside.ask(SECRET)
        await inside.ask("open the vault")
        await begun.wait()
        await forget(inside)
        gate.set()
        await inside.calm()
        after = holding(tmp_path)
        told = llm.prompts[-1].newest

    assert after == []
    assert FORGOTTEN in told


async def test_with_a_person_goes_what_their_running_turn_still_has_to_say(tmp_path: Path) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM("noted", Held(answer="heard marzipan-4711", until=gate))
    async with house(tmp_path, llm) as inside:
        await inside.ask(SECRET)
        fail(inside)
        await inside.loopback.say("again marzipan-4711 please")
        await llm.asked(2)
        erasing = forget_for(inside.gateway.settings, inside.gateway.stores)
        forgetting = asyncio.create_task(erasing.person("person-owner", senders=["owner"]))
        gate.set()
        report = await forgetting
        after = holding(tmp_path)

    assert report.sessions == (KEY,)
    assert after == []


# ---------------------------------------------------------------- what was made of it


async def test_a_waiting_message_that_replies_to_it_is_neither_answered_nor_kept(tmp_path: Path) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM("noted", Held(answer="thought", until=gate))
    async with house(tmp_path, llm) as inside:
        await inside.ask(SECRET)
        asking = asyncio.create_task(inside.ask("think", chat_id="b"))
        await llm.asked(2)
        await receive(inside, chat_id="b", quoted=SECRET)
        report = await forget(inside)
        after = holding(tmp_path)
        gate.set()
        await asking
        await inside.calm()

    assert report.owed == 1
    assert after == []
    assert len(llm.prompts) == 2


async def test_the_shortened_record_of_a_reply_to_it_goes(tmp_path: Path, store: dict[str, str]) -> None:
    async with house(tmp_path, overrides=store) as inside:
        await inside.ask(LONG)
        await receive(inside, chat_id="main", quoted=LONG)
        await inside.calm()
        await forget(inside)
        after = holding(tmp_path, b"start-zanzibar")
        kept = await inside.gateway.stores.sessions.read(KEY, from_seq=4, to_seq=4)

    assert after == []
    assert kept[0].content == "is this right?"


async def test_the_part_of_it_that_a_search_gave_goes(tmp_path: Path) -> None:
    llm = ScriptedLLM("noted", recalling(query="zanzibar vault"), "fine")
    async with house(tmp_path, llm) as inside:
        await inside.ask(LONG)
        await inside.gateway.stores.index.caught_up()
        await inside.ask("what about it?", chat_id="b")
        await inside.calm()
        report = await forget(inside)
        after = holding(tmp_path, b"start-zanzibar")

    assert report.messages == (f"{KEY}#1", "loopback:b#3")
    assert after == []


async def test_every_part_of_an_answer_that_repeats_it_goes_undelivered(tmp_path: Path) -> None:
    async with house(tmp_path, ScriptedLLM(f"I heard: {LONG}")) as inside:
        inside.loopback.split = lambda text: [text[at : at + 900] for at in range(0, len(text), 900)]  # type: ignore[method-assign] # as a platform with short messages
        tried = fail(inside)
        await inside.loopback.say(LONG)
        await tried.wait()
        report = await forget(inside)
        after = holding(tmp_path, b"zanzibar")
        owed = await inside.gateway.stores.journal.entries()

    assert report.owed == 7
    assert owed == []
    assert after == []


@pytest.mark.parametrize(
    "words", ['the code is "quagga-77" and\nthat\'s it', "我的保险箱密码是小刺猬四七一一，别告诉别人"]
)
@pytest.mark.parametrize("broken", [False, True])
async def test_a_calls_arguments_are_read_as_the_tool_reads_them(
    tmp_path: Path, words: str, *, broken: bool
) -> None:
    arguments = json.dumps({"query": words})
    llm = ScriptedLLM("noted", calling(("recall", arguments[:-1] if broken else arguments)), "fine")
    async with house(tmp_path, llm) as inside:
        await inside.ask(words)
        await inside.ask("what?", chat_id="b")
        await inside.calm()
        await forget(inside)
        found = [
            *holding(tmp_path, b"quagga-77"),
            *holding(tmp_path, "小刺猬".encode()),
            *holding(tmp_path, b"u5c0f"),
        ]

    assert found == []


async def test_no_number_of_repetitions_is_too_large(tmp_path: Path, store: dict[str, str]) -> None:
    async with house(tmp_path, ScriptedLLM(otherwise="ok"), overrides=store) as inside:
        await inside.ask(SECRET)
        stores = inside.gateway.stores
        async with stores.sessions.checkout(KEY) as session:
            for number in range(1200):
                session.add(UserMessage(content=f"{SECRET} {number}", at=datetime.now(UTC), sender="owner"))
            await stores.sessions.save(session)
        report = await forget(inside)
        after = holding(tmp_path)

    assert len(report.messages) == 1201
    assert after == []


async def test_a_short_line_at_the_terminal_goes_with_its_message_and_no_other(tmp_path: Path) -> None:
    typed = FileHistory(str(tmp_path / TYPED))
    for line in ("PIN qx7731", "PIN qx7731 or not"):
        typed.store_string(line)
    async with house(tmp_path) as inside:
        await inside.ask("PIN qx7731")
        report = await forget(inside)

    assert report.typed == 1
    assert [*FileHistory(str(tmp_path / TYPED)).load_history_strings()] == ["PIN qx7731 or not"]


@pytest.mark.parametrize(
    ("place", "step", "nth"), [("sessions", "erase", n) for n in (1, 2, 3)] + [("index", "forget", 1)]
)
async def test_an_erasure_that_broke_off_is_done_by_the_same_call_wherever_that_was(
    tmp_path: Path, store: dict[str, str], place: str, step: str, nth: int
) -> None:
    """Echoes are known by the words of what is named, so that goes last; the index follows what is gone."""
    async with house(tmp_path, overrides=store) as inside:
        await inside.ask(SECRET, chat_id="elsewhere")
        await inside.ask(SECRET)  # the newest session, which is looked through first
        await inside.calm()
        stores = inside.gateway.stores
        full = replace(stores, **{place: failing(getattr(stores, place), [step], nth=nth)})
        with pytest.raises(StoreUnavailable):
            await forget_for(inside.gateway.settings, full).message(f"{KEY}#1")
        half = holding(tmp_path)
        await forget(inside)

    assert half
    assert holding(tmp_path) == []
