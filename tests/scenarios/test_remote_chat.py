"""A terminal that chats through the daemon."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from channels.terminal import Answer
from gateway.cli.command import CommandFailed
from gateway.cli.remote_chat import RemoteChat, connect_to
from gateway.llm.scripted import Held, ScriptedLLM
from tests.helpers.command_line import in_a_process
from tests.helpers.web_house import web_house


class Typist:
    """Types lines, and sees what is shown; `when` maps a line to what happens before it is typed."""

    def __init__(self, *lines: str) -> None:
        self._lines = list(lines)
        self.shown: list[str] = []
        self.streamed: list[str] = []
        self.interrupt: Callable[[], None] = lambda: None
        self.may_leave = asyncio.Event()
        self.may_leave.set()

    async def read(self) -> str | None:
        if self._lines:
            return self._lines.pop(0)
        await self.may_leave.wait()
        return None

    def stream(self, text: str) -> None:
        self.streamed.append(text)

    def answer(self, answer: Answer) -> None:
        self.show(answer.text)

    def show(self, text: str) -> None:
        self.shown.append(text)

    def interrupts(self, on_interrupt: Callable[[], None]) -> None:
        self.interrupt = on_interrupt


def chat(screen: Typist, state: Path, *, key: str = "terminal:main", patience: float = 30.0) -> RemoteChat:
    return RemoteChat(screen, connect=partial(connect_to, state, key), patience=patience)


async def test_each_line_is_answered_before_the_next_and_all_is_the_terminals_session(tmp_path: Path) -> None:
    llm = ScriptedLLM(otherwise=lambda prompt: f"heard: {prompt.newest}", piece=3)
    screen = Typist("one", "", "two")
    async with web_house(tmp_path, llm) as house:
        await chat(screen, tmp_path).run()
        kept = await house.gateway.stores.sessions.read("terminal:main", from_seq=1, to_seq=9)

    assert screen.shown == ["heard: one", "heard: two"]
    assert all("heard: one".startswith(text) or "heard: two".startswith(text) for text in screen.streamed)
    assert [message.content for message in kept] == ["one", "heard: one", "two", "heard: two"]


async def test_the_first_line_says_which_model_answers_there_and_how_to_change_it(tmp_path: Path) -> None:
    async with web_house(tmp_path / ".mneme", ScriptedLLM(otherwise="heard")):
        done = await asyncio.to_thread(in_a_process, "chat", home=tmp_path, said="one\ntwo\n")
    first, *rest = done.stdout.splitlines()

    assert done.returncode == 0
    assert first.startswith("scripted answers, through the daemon that runs here")
    assert "[llm] in mneme.toml" in first
    assert rest == ["heard", "heard"]


async def test_an_interruption_stops_the_answer(tmp_path: Path) -> None:
    llm = ScriptedLLM(Held(answer="never", until=asyncio.Event()))
    screen = Typist("one")
    async with web_house(tmp_path, llm):
        running = asyncio.create_task(chat(screen, tmp_path).run())
        await llm.asked(1)
        screen.interrupt()
        await running

    assert len(screen.shown) == 1
    assert "Stopped" in screen.shown[0]


async def test_a_restart_of_the_daemon_loses_and_repeats_nothing(tmp_path: Path) -> None:
    llm = ScriptedLLM(Held(answer="never", until=asyncio.Event()), otherwise="after the restart")
    screen = Typist("one")
    overrides = {"gateway__drain_seconds": "0"}
    async with web_house(tmp_path, llm, overrides=overrides):
        running = asyncio.create_task(chat(screen, tmp_path).run())
        await llm.asked(1)
    async with web_house(tmp_path, llm) as house:
        await running
        kept = await house.gateway.stores.sessions.read("terminal:main", from_seq=1, to_seq=9)

    assert screen.shown == ["after the restart"]
    assert [message.content for message in kept] == ["one", "after the restart"]


async def test_a_daemon_that_does_not_come_back_is_said(tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match="the daemon is gone"):
        await chat(Typist("one"), tmp_path, patience=0.0).run()
