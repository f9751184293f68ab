"""People in the web chat: what they say is durable, and what is answered reaches them."""

import asyncio
from pathlib import Path

import pytest

from gateway.llm.scripted import Held, ScriptedLLM
from tests.helpers.web_house import web_house


async def test_a_message_is_acknowledged_and_answered(tmp_path: Path) -> None:
    async with web_house(tmp_path) as house, house.talk("desk") as talk:
        reply = await talk.ask("hello", id="1")
        kept = await house.gateway.stores.sessions.read("web:desk", from_seq=1, to_seq=10)

    assert [frame["type"] for frame in talk.frames if frame["type"] != "delta"] == ["ack", "reply"]
    assert reply == {
        "type": "reply",
        "id": "1",
        "ids": ["1"],
        "text": "heard: hello",
        "turn": "web:desk/1",
        "seq": 2,
    }
    assert [message.content for message in kept] == ["hello", "heard: hello"]


async def test_the_pieces_of_an_answer_make_the_answer(tmp_path: Path) -> None:
    llm = ScriptedLLM("one two three four", piece=4)
    async with web_house(tmp_path, llm) as house, house.talk() as talk:
        reply = await talk.ask("count", id="1")

    pieces = [frame for frame in talk.frames if frame["type"] == "delta"]
    assert {frame["id"] for frame in pieces} == {"1"}
    assert reply["text"].startswith("".join(frame["text"] for frame in pieces))


async def test_an_answer_that_falls_due_while_nobody_is_there_waits_for_the_next_socket(
    tmp_path: Path,
) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM(Held(answer="late", until=gate), otherwise="other")
    async with web_house(tmp_path, llm) as house:
        async with house.talk("desk") as talk:
            await talk.say("hello", id="1")
            await talk.next("ack")
        gate.set()
        await house.gateway.drain()
        async with house.talk("elsewhere") as other:
            assert (await other.ask("hi", id="1"))["text"] == "other"
        async with house.talk("desk") as talk:
            reply = await talk.next("reply")
        await house.gateway.drain()
        owed = await house.gateway.stores.journal.entries()

    assert (reply["id"], reply["text"]) == ("1", "late")
    assert owed == []


async def test_an_answer_that_nobody_took_waits_beyond_a_restart(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with web_house(tmp_path, ScriptedLLM(Held(answer="late", until=gate))) as house:
        async with house.talk("desk") as talk:
            await talk.say("hello", id="1")
            await talk.next("ack")
        gate.set()
        await house.gateway.drain()
    async with web_house(tmp_path, ScriptedLLM()) as house, house.talk("desk") as talk:
        reply = await talk.next("reply")

    assert reply["text"] == "late"


async def test_an_id_that_is_sent_again_starts_no_turn_and_gets_its_stored_reply(tmp_path: Path) -> None:
    llm = ScriptedLLM("first", otherwise="second")
    async with web_house(tmp_path, llm) as house:
        async with house.talk() as talk:
            first = await talk.ask("hello", id="1")
        async with house.talk() as talk:
            again = await talk.ask("hello", id="1")
            acks = [frame for frame in talk.frames if frame["type"] == "ack"]

    assert again == first
    assert acks == [{"type": "ack", "id": "1"}]
    assert len(llm.prompts) == 1


async def test_an_id_that_comes_again_with_other_words_is_refused(tmp_path: Path) -> None:
    async with web_house(tmp_path) as house, house.talk() as talk:
        await talk.ask("hello", id="1")
        await talk.say("goodbye", id="1")
        error = await talk.next("error")
        again = await talk.ask("hello", id="1")

    assert error == {"type": "error", "id": "1", "message": 'the id "1" is that of another message'}
    assert again["text"] == "heard: hello"


async def test_an_id_whose_answer_is_gone_is_told_so(tmp_path: Path) -> None:
    async with web_house(tmp_path) as house, house.talk() as talk:
        await talk.ask("/help", id="1")
        await house.gateway.stores.journal.settle()
        await talk.say("/help", id="1")
        error = await talk.next("error")

    assert (error["id"], "no answer is kept" in error["message"]) == ("1", True)


async def test_every_socket_of_a_session_sees_the_answer(tmp_path: Path) -> None:
    async with web_house(tmp_path) as house, house.talk("a") as one, house.talk("a") as two:
        await one.say("hello", id="1")

        assert (await one.next("reply"))["text"] == (await two.next("reply"))["text"] == "heard: hello"


async def test_messages_that_are_answered_together_are_all_named(tmp_path: Path) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM(Held(answer="one", until=gate), otherwise="rest")
    async with web_house(tmp_path, llm) as house, house.talk() as talk:
        for number in ("1", "2", "3"):
            await talk.say(f"text {number}", id=number)
            await talk.next("ack")
        gate.set()
        first, second = await talk.next("reply"), await talk.next("reply")

    assert (first["id"], first["ids"]) == ("1", ["1"])
    assert (second["id"], second["ids"]) == ("3", ["2", "3"])


async def test_a_stop_with_nothing_to_stop_is_answered_without_an_id(tmp_path: Path) -> None:
    async with web_house(tmp_path) as house, house.talk() as talk:
        await talk.socket.send_json({"type": "stop"})
        reply = await talk.next("reply")

    assert (reply["id"], reply["ids"]) == (None, [])


async def test_what_a_full_disk_cannot_keep_is_an_error_alone_and_is_taken_later(tmp_path: Path) -> None:
    long = "x" * 500_000
    async with web_house(tmp_path, ScriptedLLM("short")) as house, house.talk() as talk:
        database = house.gateway.stores.database
        await database.write(lambda connection: connection.execute("PRAGMA max_page_count=1").fetchone())
        await talk.say(long, id="1")
        error = await talk.next("error")
        refused = list(talk.frames)
        await database.write(
            lambda connection: connection.execute("PRAGMA max_page_count=1000000").fetchone()
        )
        reply = await talk.ask(long, id="1")

    assert refused == [error]
    assert error["id"] == "1"
    assert reply["text"] == "short"


async def test_stop_ends_the_running_answer(tmp_path: Path) -> None:
    llm = ScriptedLLM(Held(answer="never", until=asyncio.Event()), otherwise="after")
    async with web_house(tmp_path, llm) as house, house.talk() as talk:
        await talk.say("hello", id="1")
        await llm.asked(1)
        await talk.socket.send_json({"type": "stop"})
        stopped = await talk.next("reply")
        after = await talk.ask("again", id="2")

    assert stopped["id"] == "1"
    assert "Stopped" in stopped["text"]
    assert after["text"] == "after"


@pytest.mark.parametrize(
    ("frame", "said", "about"),
    [
        ("{", "not JSON", None),
        ("[]", "a frame is a JSON object", None),
        ('{"type":"shout"}', 'not "shout"', None),
        ('{"type":"message","text":"x"}', "id is a text", None),
        ('{"type":"message","id":"7","text":" "}', "text is a text that isn't empty", "7"),
    ],
)
async def test_a_frame_that_says_nothing_gets_an_error_and_the_talk_goes_on(
    tmp_path: Path, frame: str, said: str, about: str | None
) -> None:
    async with web_house(tmp_path) as house, house.talk() as talk:
        await talk.socket.send_str(frame)
        error = await talk.next("error")
        reply = await talk.ask("still there?", id="8")

    assert said in error["message"]
    assert error["id"] == about
    assert reply["text"] == "heard: still there?"
