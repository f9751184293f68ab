"""What `doctor` finds by asking."""

import os
from pathlib import Path

from gateway.app import open_stores
from gateway.cli.findings import Finding
from gateway.cli.probes import Probe, probe_channels, probe_model, probe_stores
from gateway.config import Settings, load
from gateway.service.lock import ProcessLock
from tests.helpers.conversations import filled
from tests.helpers.house import settings_for


async def found(probe: Probe, settings: Settings) -> list[Finding]:
    return [finding async for finding in probe(settings)]


async def stored(state: Path, *, store: str = "sqlite") -> Settings:
    """A state directory with one session in it."""
    settings = settings_for(state, sessions__store=store)
    async with open_stores(settings) as stores:
        await stores.sessions.adopt(filled(4))
    return settings


async def test_a_directory_without_stores_stays_empty(tmp_path: Path) -> None:
    [finding] = await found(probe_stores, settings_for(tmp_path))

    assert (finding.ok, finding.message) == (True, "nothing is stored yet")
    assert list(tmp_path.iterdir()) == []


async def test_sound_stores_are_counted(tmp_path: Path) -> None:
    [finding] = await found(probe_stores, await stored(tmp_path))

    assert (finding.ok, finding.message) == (True, "whole; 1 sessions, each of them readable")


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


async def test_channels_are_noted_with_who_may_talk(tmp_path: Path) -> None:
    environ = {"MNEME_CHANNELS__TELEGRAM__TOKEN": "env:BOT", "BOT": "1:abc"}

    channel, access = await found(probe_channels, load(state=tmp_path, environ=environ))
    environ |= {"MNEME_ACCESS__PAIRING": "false"}
    _, silent = await found(probe_channels, load(state=tmp_path, environ=environ))
    none = await found(probe_channels, load(state=tmp_path, environ={}))

    assert channel.check == "telegram"
    assert "mneme pair approve" in access.message
    assert "strangers meet silence" in silent.message
    assert none == []
