"""The daemon as its operator meets it: a process that is stopped, killed, started twice, and given wrong tokens."""

import asyncio
import re
import signal
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from gateway.cli.exit_codes import FAILED, OK
from tests.crash.moments import kill_often
from tests.helpers.daemon import daemon, model_at
from tests.helpers.model_server import ModelServer
from tests.helpers.slack_server import SlackServer
from tests.helpers.telegram_house import people_toml
from tests.helpers.telegram_server import TOKEN, TelegramServer

CHATS = range(1001, 1011)
KILLED = -signal.SIGKILL
PLACEHOLDER = "…"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramServer]:
    async with TelegramServer().serving() as server:
        yield server


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    async with ModelServer(otherwise=answer, key="sk-model-secret") as server:
        yield server


@pytest.fixture
def settings(telegram: TelegramServer, model: ModelServer, tmp_path: Path) -> dict[str, str]:
    """A daemon on this Telegram with this model, which knows the people of `CHATS`."""
    (tmp_path / "mneme.toml").write_text(people_toml(CHATS))
    return {
        "channels__telegram__token": telegram.token,
        "channels__telegram__base_url": telegram.base_url,
        "sessions__busy": "queue",
        **model_at(model.base_url, llm__api_key=model.key),
    }


def question_in(asked: dict[str, Any]) -> str:
    """The newest question of a request."""
    found: list[str] = re.findall(r"question \d+ of \d+", asked["messages"][-1]["content"])
    return found[-1]


def answer(asked: dict[str, Any]) -> str:
    """The same answer to the same question, some of them longer than one message holds."""
    question = question_in(asked)
    long = int(question.split()[1]) % 3 == 2
    return f"answer to {question}" + (":" + " word" * 1000 if long else "")


async def ask_all(telegram: TelegramServer, chats: range, number: int = 0) -> None:
    for chat in chats:
        await telegram.say(chat, f"question {number} of {chat}")


def shown(telegram: TelegramServer, chats: range) -> dict[int, list[str]]:
    return {chat: [text for text in telegram.chat(chat).texts if text != PLACEHOLDER] for chat in chats}


async def held(model: ModelServer) -> Callable[[], None]:
    """The model answers nothing until the function is called."""
    gate = asyncio.Event()

    async def wait(asked: dict[str, Any]) -> str:
        await gate.wait()
        return answer(asked)

    model.otherwise = wait
    return gate.set


async def test_the_log_says_when_it_began_served_and_ended(tmp_path: Path) -> None:
    async with daemon(tmp_path) as running:
        await running.ready()
        code = await running.stop()
    lines = {line["event"]: line for line in running.log()}

    assert code == 0
    assert [name for name in lines if name.startswith(("daemon_", "startup_", "stop_"))] == [
        "daemon_started",
        "startup_finished",
        "stop_requested",
        "daemon_stopped",
    ]
    assert lines["startup_finished"]["model"] == "rote"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_stop_in_the_middle_of_ten_turns_lets_them_finish(
    tmp_path: Path,
    telegram: TelegramServer,
    model: ModelServer,
    settings: dict[str, str],
    number: signal.Signals,
) -> None:
    release = await held(model)
    async with daemon(tmp_path, **settings) as running:
        await running.ready()
        await ask_all(telegram, CHATS)
        await model.asked(10)
        running.signal(number)
        await running.hears("STOPPING=1")
        release()
        code = await running.ended()

    assert code == OK
    assert running.complained == ""
    assert shown(telegram, CHATS) == {chat: [f"answer to question 0 of {chat}"] for chat in CHATS}


async def test_what_a_stop_does_not_let_finish_is_answered_once_after_the_next_start(
    tmp_path: Path, telegram: TelegramServer, model: ModelServer, settings: dict[str, str]
) -> None:
    release = await held(model)
    async with daemon(tmp_path, **settings, gateway__drain_seconds="0.5") as running:
        await running.ready()
        await ask_all(telegram, CHATS)
        await model.asked(10)
        code = await running.stop()
    release()
    async with daemon(tmp_path, **settings) as running:
        await running.ready()
        await telegram.wait_for(lambda: all(shown(telegram, CHATS).values()), seconds=60)
        await running.stop()

    assert code == OK
    assert shown(telegram, CHATS) == {chat: [f"answer to question 0 of {chat}"] for chat in CHATS}


async def test_a_second_signal_stops_now(
    tmp_path: Path, telegram: TelegramServer, model: ModelServer, settings: dict[str, str]
) -> None:
    await held(model)
    async with daemon(tmp_path, **settings, gateway__drain_seconds="600") as running:
        await running.ready()
        await ask_all(telegram, CHATS)
        await model.asked(10)
        running.signal(signal.SIGTERM)
        await running.hears("STOPPING=1")
        code = await running.stop()

    assert code == OK
    assert running.complained == ""


@pytest.mark.parametrize("stream", [False, True])
async def test_a_second_signal_tells_who_waits_for_an_answer_to_ask_again(
    tmp_path: Path, model: ModelServer, stream: bool
) -> None:
    await held(model)
    ask = {"messages": [{"role": "user", "content": "question 0 of 1"}], "stream": stream}
    connector = aiohttp.UnixConnector(path=str(tmp_path / "control.sock"))
    async with (
        daemon(tmp_path, **model_at(model.base_url, llm__api_key=model.key)) as running,
        aiohttp.ClientSession("http://localhost", connector=connector) as http,
    ):
        await running.ready()
        asking = asyncio.create_task(http.post("/v1/chat/completions", json=ask))
        await model.asked(1)
        running.signal(signal.SIGTERM)
        await running.hears("STOPPING=1")
        running.signal(signal.SIGTERM)
        answered = await asking
        said = await answered.text()
        code = await running.ended()

    assert code == OK
    assert answered.status == (200 if stream else 503)
    assert '"unavailable_error"' in said


@pytest.mark.parametrize("there", ["", "lock", "mneme.db", "control.sock"])
async def test_a_stop_during_start_up_is_clean(
    tmp_path: Path, telegram: TelegramServer, settings: dict[str, str], there: str
) -> None:
    async with daemon(tmp_path, **settings) as running:
        await running.takes_signals()
        await running.until((tmp_path / there).exists)
        code = await running.stop()

    assert code == OK
    assert running.complained == ""


async def test_a_second_daemon_on_the_same_state_refuses_and_names_the_first(tmp_path: Path) -> None:
    async with daemon(tmp_path) as first:
        await first.ready()
        async with daemon(tmp_path) as second:
            code = await second.ended()
        status, _ = await first.get("/ready")

    assert code == FAILED
    assert second.complained.count("\n") == 1
    assert f"process {first.process.pid}" in second.complained
    assert status == 200


async def test_an_address_in_use_is_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        async with daemon(tmp_path, gateway__http=address) as running:
            code = await running.ended()

    assert code == FAILED
    assert running.complained.count("\n") == 1
    assert address in running.complained


async def test_a_wrong_telegram_token_leaves_the_rest_running_and_says_what_to_do(
    tmp_path: Path, telegram: TelegramServer, settings: dict[str, str]
) -> None:
    wrong = {**settings, "channels__telegram__token": "1000:wrong-secret"}
    async with daemon(tmp_path, **wrong) as running:
        await running.ready()
        await running.until(lambda: any(line["event"] == "coroutine_refused" for line in running.log()))
        status, document = await running.get("/ready")
        alive, _ = await running.get("/health")
        await running.stop()
    [line] = [line for line in running.log() if line["event"] == "coroutine_refused"]

    assert (status, alive) == (503, 200)
    assert "token" in document["reasons"]["channel telegram"]
    assert "channels.telegram.token" in str(line)
    assert "wrong-secret" not in (tmp_path / "log" / "mneme.jsonl").read_text()


@pytest.mark.parametrize("store", ["sqlite", "jsonl"])
async def test_messages_on_telegram_and_slack_survive_kills_at_random_moments_and_are_answered_once(
    store: str,
) -> None:
    ledger = await kill_often(store, kills=3, seed=5)

    assert (ledger.kills, ledger.faults) == (3, [])


async def test_an_answer_goes_into_the_placeholder_that_was_shown_before_the_kill(
    tmp_path: Path, telegram: TelegramServer, settings: dict[str, str]
) -> None:
    async with daemon(tmp_path, **settings, crash_at="placeholder.after") as running:
        await telegram.say(1001, "question 0 of 1001")
        code = await running.ended()
    before = [message.message_id for message in telegram.chat(1001).messages]
    async with daemon(tmp_path, **settings) as running:
        await running.ready()
        await telegram.wait_for(lambda: any(shown(telegram, range(1001, 1002)).values()), seconds=60)
        await running.stop()
    after = telegram.chat(1001).messages

    assert code == KILLED
    assert [message.message_id for message in after] == before
    assert [message.text for message in after] == ["answer to question 0 of 1001"]


async def test_no_secret_stands_in_the_log_or_on_the_screen(
    tmp_path: Path, telegram: TelegramServer, model: ModelServer, settings: dict[str, str]
) -> None:
    async with SlackServer() as slack:
        secrets = [TOKEN, model.key, slack.bot_token, slack.app_token, "web-secret-token"]
        more = {
            "channels__slack__bot_token": slack.bot_token,
            "channels__slack__app_token": slack.app_token,
            "channels__slack__base_url": slack.base_url,
            "channels__web__token": "web-secret-token",
            "gateway__log_level": "debug",
        }
        async with daemon(tmp_path, **settings, **more) as running:
            await running.ready()
            await ask_all(telegram, CHATS)
            telegram.fail(method="getUpdates", times=2)
            model.key = "sk-changed"
            await telegram.wait_for(lambda: all(shown(telegram, CHATS).values()), seconds=60)
            await running.stop()
    log = (tmp_path / "log" / "mneme.jsonl").read_text()

    assert "turn_finished" in log
    assert [secret for secret in secrets if secret in log + running.said + running.complained] == []
    assert "question 0" not in log
