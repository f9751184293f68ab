"""The configuration, read again by a running daemon."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from gateway.cli.exit_codes import USAGE
from tests.helpers.command_line import in_a_process
from tests.helpers.daemon import daemon
from tests.helpers.telegram_house import people_toml
from tests.helpers.telegram_server import TelegramServer

ANN, BOB = 1001, 1002
HOUSE = '[gateway]\nlog_level = "error"\n\n[channels.web]\ntoken = "house-token"\n\n'

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramServer]:
    async with TelegramServer().serving() as server:
        yield server


@pytest.fixture
def settings(telegram: TelegramServer) -> dict[str, str]:
    return {
        "channels__telegram__token": telegram.token,
        "channels__telegram__base_url": telegram.base_url,
    }


def configure(state: Path, toml: str) -> None:
    (state / "mneme.toml").write_text(toml)


async def reload(state: Path) -> Any:
    """What `mneme reload --json` prints."""
    done = await asyncio.to_thread(in_a_process, "reload", "--json", "--state", str(state), home=state)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


async def press(telegram: TelegramServer, person: int) -> None:
    """A person presses a button, and says hello."""
    shown = telegram.message(person, "buttons")
    who: dict[str, Any] = {"id": person, "is_bot": False, "first_name": f"P{person}"}
    await telegram.push(callback_query={"id": str(person), "from": who, "message": shown, "data": "/status"})
    await telegram.say(person, f"hello from {person}")


def answered(telegram: TelegramServer, *people: int) -> bool:
    """Whether each of them has an answer to the button and one to the hello."""
    return all(
        len(telegram.chat(person).texts) == 2 and "…" not in telegram.chat(person).texts for person in people
    )


async def test_who_may_talk_follows_the_configuration_for_messages_and_for_buttons(
    tmp_path: Path, telegram: TelegramServer, settings: dict[str, str]
) -> None:
    configure(tmp_path, people_toml([ANN]))
    async with daemon(tmp_path, **settings) as running:
        await running.ready()
        await press(telegram, BOB)
        await press(telegram, ANN)
        await telegram.wait_for(lambda: answered(telegram, ANN), seconds=30)
        first = [call["callback_query_id"] for call in telegram.called("answerCallbackQuery")]
        configure(tmp_path, people_toml([BOB]))
        said = await reload(tmp_path)
        await press(telegram, ANN)
        await press(telegram, BOB)
        await telegram.wait_for(lambda: answered(telegram, BOB), seconds=30)
        await running.stop()
    buttons = [call["callback_query_id"] for call in telegram.called("answerCallbackQuery")]

    assert said == {"applied": [f"people.p{ANN}", f"people.p{BOB}"], "needs_restart": []}
    assert (first, buttons) == ([str(ANN)], [str(ANN), str(BOB)])
    assert [len(telegram.chat(person).texts) for person in (ANN, BOB)] == [2, 2]


async def test_the_log_level_changes_at_once_also_for_who_has_logged_before(
    tmp_path: Path, telegram: TelegramServer, settings: dict[str, str]
) -> None:
    configure(tmp_path, HOUSE + people_toml([ANN]))
    async with daemon(tmp_path, **settings) as running:
        await running.ready()
        await telegram.say(ANN, "one")
        await telegram.wait_for(lambda: len(telegram.chat(ANN).texts) == 1, seconds=30)
        configure(tmp_path, HOUSE.replace("error", "info") + people_toml([ANN]))
        said = await reload(tmp_path)
        await telegram.say(ANN, "two")
        await running.until(lambda: any(line["event"] == "turn_finished" for line in running.log()))
        await running.stop()

    assert said == {"applied": ["gateway.log_level"], "needs_restart": []}
    assert sum(line["event"] == "turn_finished" for line in running.log()) == 1


async def test_only_what_differs_is_named_and_what_waits_for_a_restart_stays_named(tmp_path: Path) -> None:
    configure(tmp_path, HOUSE)
    waits = {"llm.max_output", "channels.telegram.names"}
    async with daemon(tmp_path) as running:
        await running.ready()
        unchanged = await reload(tmp_path)
        changed = HOUSE.replace("house", "new") + '[channels.telegram]\nnames = ["mneme"]\ngroups = "all"\n'
        configure(tmp_path, changed + "[llm]\nmax_output = 512\n")
        first = await reload(tmp_path)
        second = await reload(tmp_path)
        configure(tmp_path, HOUSE)
        back = await reload(tmp_path)
        await running.stop()

    at_once = {"channels.telegram.groups", "channels.web.token"}
    assert unchanged == {"applied": [], "needs_restart": []}
    assert (set(first["applied"]), set(first["needs_restart"])) == (at_once, waits)
    assert (second["applied"], set(second["needs_restart"])) == ([], waits)
    assert (set(back["applied"]), back["needs_restart"]) == (at_once, [])


async def test_a_configuration_with_faults_changes_nothing(
    tmp_path: Path, telegram: TelegramServer, settings: dict[str, str]
) -> None:
    configure(tmp_path, people_toml([ANN]))
    async with daemon(tmp_path, **settings) as running:
        await running.ready()
        configure(tmp_path, people_toml([BOB]) + "[llm]\nmax_output = -1\n")
        done = await asyncio.to_thread(in_a_process, "reload", "--state", str(tmp_path), home=tmp_path)
        await telegram.say(BOB, "hello")
        await telegram.say(ANN, "hello")
        await telegram.wait_for(lambda: bool(telegram.chat(ANN).texts), seconds=30)
        await running.stop()

    assert (done.returncode, "max_output" in done.stderr) == (USAGE, True)
    assert telegram.chat(BOB).texts == []
