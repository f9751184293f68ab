"""The operator's commands beside a running daemon, and without one."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from channels.adapter import Sent
from channels.errors import DeliveryRejected
from channels.loopback import LoopbackAdapter
from channels.messages import OutboundMessage
from tests.helpers.command_line import in_a_process
from tests.helpers.web_house import web_house

pytestmark = pytest.mark.slow  # each command is a process


class Blocked(LoopbackAdapter):
    """A platform that refuses us until it is told otherwise."""

    def __init__(self) -> None:
        super().__init__()
        self.is_blocked = True

    async def send(self, message: OutboundMessage) -> Sent:
        if self.is_blocked:
            raise DeliveryRejected("the bot was blocked")
        return await super().send(message)


async def mneme(state: Path, *arguments: str) -> tuple[int, str, str]:
    """One command, in a process of its own."""
    done = await asyncio.to_thread(in_a_process, *arguments, "--state", str(state), home=state)
    return done.returncode, done.stdout, done.stderr


async def document(state: Path, *arguments: str) -> Any:
    """What a command prints as JSON."""
    code, out, error = await mneme(state, *arguments, "--json")
    assert code == 0, error
    return json.loads(out)


async def test_the_doctor_asks_a_daemon_how_it_is_and_leaves_it_alone(tmp_path: Path) -> None:
    async with web_house(tmp_path) as house, house.talk() as talk:
        await talk.ask("hello", id="1")
        found = await document(tmp_path, "doctor")
    checks = {finding["check"]: finding for finding in found["findings"]}

    assert found["ok"]
    assert "is ready" in checks["daemon"]["message"]
    assert [checks[name]["level"] for name in ("daemon", "store")] == ["ok", "ok"]


async def test_a_dead_letter_is_seen_and_sent_again_through_the_daemon(tmp_path: Path) -> None:
    adapter = Blocked()
    async with web_house(tmp_path, adapters=[adapter]) as house:
        name = await adapter.say("hello")
        await house.gateway.drain()
        status = await document(tmp_path, "status")
        [dead] = (await document(tmp_path, "outbox", "list"))["entries"]
        adapter.is_blocked = False
        code, out, _ = await mneme(tmp_path, "outbox", "retry", dead["id"])
        reply = await adapter.reply_to(name)
        unknown = await mneme(tmp_path, "outbox", "drop", "nothing/0")

    assert status["outbox"] == {"due": 0, "dead": 1}
    assert (status["tokens"], status["cost"]) == ({"prompt": 0, "completion": 0}, 0.0)
    named = "ready version model uptime channels inbox outbox jobs sessions repairs"
    assert status.keys() >= {*named.split()}
    assert (dead["status"], dead["error"]) == ("dead", "the bot was blocked")
    assert (code, out) == (0, f"{dead['id']} is due again\n")
    assert reply.text == "heard: hello"
    assert unknown[0] == 1
    assert len(unknown[2].splitlines()) == 1


async def test_without_a_daemon_there_is_no_status_and_the_rest_is_read_here(tmp_path: Path) -> None:
    async with web_house(tmp_path):
        pass
    code, out, error = await mneme(tmp_path, "status", "--json")
    jobs = await document(tmp_path, "jobs", "list")
    missing = await mneme(tmp_path, "jobs", "cancel", "none")

    assert (code, out) == (1, "")
    assert error.startswith("mneme: no daemon runs on")
    assert jobs == {"jobs": []}
    assert missing[0] == 1
    assert 'there is no job "none"' in missing[2]


async def test_a_name_with_signs_is_one_session_with_a_daemon_and_without(tmp_path: Path) -> None:
    say = ("chat", "-m", "hello", "--session")
    alone = await document(tmp_path, *say, "plan #1")
    async with web_house(tmp_path):
        by_name = await document(tmp_path, *say, "plan #1")
        by_key = await document(tmp_path, *say, alone["session"])
    shown = await document(tmp_path, "sessions", "show", alone["session"])

    assert alone["session"] == by_name["session"] == by_key["session"]
    assert [message["content"] for message in shown["messages"] if message["role"] == "user"] == ["hello"] * 3


async def test_one_message_goes_through_the_daemon(tmp_path: Path) -> None:
    async with web_house(tmp_path) as house:
        code, out, _ = await mneme(tmp_path, "chat", "-m", "hello", "--session", "notes")
        kept = await house.gateway.stores.sessions.read("terminal:notes", from_seq=1, to_seq=9)

    assert (code, out) == (0, "heard: hello\n")
    assert [message.content for message in kept] == ["hello", "heard: hello"]
