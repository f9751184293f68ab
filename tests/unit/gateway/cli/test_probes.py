"""What `doctor` finds by asking."""

import os
from pathlib import Path

import pytest

from gateway.app import open_stores
from gateway.cli.channel_probes import probe_channels
from gateway.cli.findings import Finding, check_other_store
from gateway.cli.probes import Probe, probe_model, probe_stores
from gateway.config import Settings
from gateway.service.lock import ProcessLock
from tests.helpers.conversations import filled
from tests.helpers.house import settings_for
from tests.helpers.slack_server import SlackServer
from tests.helpers.telegram_server import TelegramServer


async def found(probe: Probe, settings: Settings) -> list[Finding]:
    return [finding async for finding in probe(settings)]


async def stored(state: Path, *, store: str = "sqlite") -> Settings:
    """A state directory with one session in it."""
    settings = settings_for(state, sessions__store=store)
    async with open_stores(settings) as stores:
        await stores.sessions.adopt(filled(4))
    return settings


def channels_at(state: Path, telegram: TelegramServer, slack: SlackServer, **changes: str) -> Settings:
    """Both platforms as they are configured."""
    given = {
        "channels__telegram__token": telegram.token,
        "channels__telegram__base_url": telegram.base_url,
        "channels__slack__bot_token": slack.bot_token,
        "channels__slack__app_token": slack.app_token,
        "channels__slack__base_url": slack.base_url,
    }
    return settings_for(state, **(given | changes))


async def test_a_directory_without_stores_stays_empty(tmp_path: Path) -> None:
    [finding] = await found(probe_stores, settings_for(tmp_path))

    assert (finding.ok, finding.message) == (True, "nothing is stored yet")
    assert list(tmp_path.iterdir()) == []


async def test_sound_stores_are_counted(tmp_path: Path) -> None:
    [finding] = await found(probe_stores, await stored(tmp_path))

    assert (finding.ok, finding.message) == (True, "whole; every session can be read (1)")


async def test_a_torn_line_of_the_archive_is_named(tmp_path: Path) -> None:
    settings = await stored(tmp_path)
    archive = tmp_path / "memory" / "person-ann" / "history.jsonl"
    archive.parent.mkdir(parents=True)
    archive.write_text('{"cursor": 1, "at": "2026-03')
    torn, whole = await found(probe_stores, settings)

    assert (torn.check, torn.level) == ("archive", "warning")
    assert torn.message.startswith("line 1 of person-ann/history.jsonl is skipped: ")
    assert whole.check == "store"


async def test_stores_that_another_process_has_are_left_alone(tmp_path: Path) -> None:
    settings = await stored(tmp_path)
    with ProcessLock(tmp_path / "lock"):
        [finding] = await found(probe_stores, settings)

    assert finding.ok
    assert f"process {os.getpid()} has the stores open" in finding.message


async def test_a_database_that_is_none_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "mneme.db").write_bytes(b"this is no database at all" * 400)

    [finding] = await found(probe_stores, settings_for(tmp_path))

    assert not finding.ok
    assert finding.fix == "restore a backup"


async def test_a_damaged_session_is_named_with_its_cure_until_it_is_mended(tmp_path: Path) -> None:
    settings = await stored(tmp_path, store="jsonl")
    with (tmp_path / "sessions" / "telegram_42.jsonl").open("a") as file:
        file.write("{torn\n")

    [before] = await found(probe_stores, settings)
    async with open_stores(settings) as stores:
        await stores.sessions.repair("telegram:42")
    [after] = await found(probe_stores, settings)

    assert not before.ok
    assert before.fix == "mneme sessions check telegram:42, then mneme sessions repair telegram:42"
    assert after.ok


async def test_a_model_that_answers_is_named_with_its_window(tmp_path: Path) -> None:
    [finding] = await found(probe_model, settings_for(tmp_path))

    assert finding.ok
    assert finding.message.startswith("rote answered in 0.0 s; window ")


async def test_a_model_that_cannot_be_reached_is_a_fault_with_its_cure(tmp_path: Path) -> None:
    nobody = settings_for(tmp_path, llm__provider="openai", llm__base_url="http://127.0.0.1:9/v1")

    [finding] = await found(probe_model, nobody)

    assert not finding.ok
    assert "127.0.0.1:9" in finding.message
    assert "llm.base_url" in finding.fix


async def test_a_model_that_cannot_be_chosen_is_a_fault(tmp_path: Path) -> None:
    [finding] = await found(probe_model, settings_for(tmp_path, llm__provider="openai"))

    assert not finding.ok
    assert "llm.base_url" in finding.message


async def test_each_channel_makes_a_round_trip_and_it_is_said_who_may_talk(tmp_path: Path) -> None:
    async with TelegramServer().serving() as telegram, SlackServer() as slack:
        found_there = await found(probe_channels, channels_at(tmp_path, telegram, slack))
        silent = await found(probe_channels, channels_at(tmp_path, telegram, slack, access__pairing="false"))
    none = await found(probe_channels, settings_for(tmp_path))

    assert [(one.check, one.ok) for one in found_there] == [
        ("telegram", True), ("slack", True), ("access", True),
    ]  # fmt: skip
    assert found_there[0].message.startswith("answered @mneme_bot in ")
    assert [method for method, _ in telegram.calls] == ["getMe", "getMe"]
    assert "mneme pair approve" in found_there[2].message
    assert "strangers meet silence" in silent[2].message
    assert none == []


async def test_a_token_that_a_platform_refuses_is_a_fault(tmp_path: Path) -> None:
    async with TelegramServer().serving() as telegram, SlackServer() as slack:
        settings = channels_at(
            tmp_path,
            telegram,
            slack,
            channels__telegram__token="1:old",
            channels__slack__app_token="xapp-old",
        )
        of_telegram, of_slack, _ = await found(probe_channels, settings)

    assert (of_telegram.ok, of_slack.ok) == (False, False)
    assert "@BotFather" in of_telegram.message
    assert "invalid_auth" in of_slack.message
    assert of_slack.fix == "look at its tokens in mneme.toml"


async def test_a_platform_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    nowhere = settings_for(
        tmp_path, channels__telegram__token="1:abc", channels__telegram__base_url="http://127.0.0.1:9"
    )
    finding, _ = await found(probe_channels, nowhere)

    assert not finding.ok
    assert "can't be reached" in finding.message
    assert "network" in finding.fix


async def test_sessions_in_the_other_kind_of_store_are_named(tmp_path: Path) -> None:
    read = await stored(tmp_path, store="jsonl")
    [warning] = check_other_store(settings_for(tmp_path))

    assert warning.level == "warning"
    assert "JSONL" in warning.message
    assert list(check_other_store(read)) == []


@pytest.mark.parametrize("trace", ["memory/person-ann/history.jsonl", "sessions/telegram_42.jsonl"])
async def test_a_database_that_lost_everything_is_no_new_beginning(tmp_path: Path, trace: str) -> None:
    (tmp_path / trace).parent.mkdir(parents=True)
    (tmp_path / trace).touch()
    (tmp_path / "mneme.db").touch()
    [finding] = await found(probe_stores, settings_for(tmp_path))

    assert not finding.ok
    assert f"is empty (0 bytes), but {trace} shows that there were conversations" in finding.message
    assert (tmp_path / "mneme.db").stat().st_size == 0


async def test_an_empty_database_in_a_new_directory_is_a_beginning(tmp_path: Path) -> None:
    (tmp_path / "memory" / "person-ann").mkdir(parents=True)
    (tmp_path / "memory" / "person-ann" / "MEMORY.md").write_text("- written by hand\n")
    (tmp_path / "mneme.db").touch()
    [finding] = await found(probe_stores, settings_for(tmp_path))

    assert finding.ok


@pytest.mark.parametrize("name", [".pending", ".dream_cursor", "index.db", ".git"])
async def test_a_folder_in_the_place_of_a_memory_file_is_named(tmp_path: Path, name: str) -> None:
    settings = await stored(tmp_path)
    (tmp_path / "memory" / "person-ann" / name).mkdir(parents=True)
    first, *_ = await found(probe_stores, settings)

    assert (first.check, first.ok) == ("memory", False)
    assert f"person-ann/{name}: " in first.message


async def test_a_file_in_the_place_of_the_memory_is_named(tmp_path: Path) -> None:
    settings = await stored(tmp_path)
    (tmp_path / "memory").touch()
    first, *_ = await found(probe_stores, settings)

    assert (first.check, first.ok) == ("memory", False)
    assert first.message == f"{tmp_path / 'memory'}: expected a folder"
