"""Commands reach what is kept, whoever has it open."""

import json
from pathlib import Path

import pytest

from gateway.cli.operate import operating
from gateway.operations.operation import OperationFailed
from gateway.service.lock import AlreadyRunning, ProcessLock
from tests.helpers.house import settings_for
from tests.helpers.web_house import web_house


async def test_a_running_daemon_does_what_commands_ask(tmp_path: Path) -> None:
    long = json.dumps({"role": "user", "content": "the harbour opens at noon " * 60_000})
    async with web_house(tmp_path), operating(settings_for(tmp_path)) as operate:
        report = await operate("sessions-import", lines=[long], key="web:long")
        found = await operate("memory-search", query="harbour")
        exported = await operate("sessions-export", key="web:long")
        with pytest.raises(OperationFailed, match='there is no session "web:nobody"'):
            await operate("sessions-show", key="web:nobody")

    assert report["messages"] == 1
    assert found["hits"][0]["ref"] == "web:long#1"
    assert json.loads(exported["lines"][1])["content"] == json.loads(long)["content"]


async def test_without_a_daemon_commands_do_it_themselves(tmp_path: Path) -> None:
    async with operating(settings_for(tmp_path)) as operate:
        document = await operate("sessions-list")

    assert document == {"sessions": []}


async def test_a_process_that_is_no_daemon_is_named(tmp_path: Path) -> None:
    with ProcessLock(tmp_path / "lock"), pytest.raises(AlreadyRunning, match="is running already"):
        async with operating(settings_for(tmp_path)):
            pass
