"""A backup is taken of a running daemon, and another one starts from it."""

import asyncio
from pathlib import Path

import pytest

from gateway.backup.restoring import restore_backup
from gateway.backup.writing import write_backup
from gateway.llm.scripted import Held, ScriptedLLM
from tests.helpers.house import house
from tests.helpers.operating import desk


@pytest.mark.parametrize("store", ["sqlite", "jsonl"])
async def test_what_was_said_and_what_waited_is_there_after_a_restore(tmp_path: Path, store: str) -> None:
    old, new, archive = tmp_path / "old", tmp_path / "new", tmp_path / "a.tar.gz"
    overrides, gate = {"sessions__store": store}, asyncio.Event()
    llm = ScriptedLLM("noted", Held(answer="at noon", until=gate))
    async with house(old, llm, overrides=overrides) as inside:
        await inside.ask("the harbour opens at noon")
        await inside.loopback.say("when does it open?")
        await llm.asked(2)
        await asyncio.to_thread(write_backup, old, archive)
        gate.set()
    restore_backup(archive, new)
    llm = ScriptedLLM(otherwise="at noon, as you said")
    async with house(new, llm, overrides=overrides) as inside:
        await inside.calm()
        answers = [message.text for message in inside.loopback.sent()]
    async with desk(new, store=store) as at:
        session = await at("sessions-show", key="loopback:main")
        found = await at("memory-search", query="harbour")

    assert answers == ["at noon, as you said"]
    assert [message["content"] for message in session["messages"]] == [
        "the harbour opens at noon",
        "noted",
        "when does it open?",
        "at noon, as you said",
    ]
    assert found["hits"][0]["ref"] == "loopback:main#1"


async def test_a_backup_among_many_turns_is_a_state_that_goes_on(tmp_path: Path) -> None:
    """Sessions in files are cut at the moment of the journal: a session far ahead of it would answer twice."""
    overrides = {"sessions__store": "jsonl", "sessions__busy": "queue"}
    async with house(tmp_path / "old", overrides=overrides) as inside:
        for number in range(40):
            await inside.loopback.say(f"message {number}", chat_id=f"chat {number % 4}")
        await inside.loopback.reply_to("loopback:chat 0/17", chat_id="chat 0")
        await asyncio.to_thread(write_backup, tmp_path / "old", tmp_path / "a.tar.gz")
        await inside.calm()
    restore_backup(tmp_path / "a.tar.gz", tmp_path / "new")
    async with house(tmp_path / "new", overrides=overrides) as inside:
        await inside.calm()
        waiting = await inside.gateway.stores.journal.unanswered()
    async with desk(tmp_path / "new", store="jsonl") as at:
        said = {
            chat: [
                message["content"]
                for message in (await at("sessions-show", key=f"loopback:chat {chat}"))["messages"]
            ]
            for chat in range(4)
        }
        problems = (await at("sessions-check-all"))["sessions"]

    assert waiting == 0
    assert problems == []
    for chat, words in said.items():
        numbers = range(chat, 40, 4)
        assert words == [text for n in numbers for text in (f"message {n}", f"heard: message {n}")]
