from dataclasses import replace
from pathlib import Path

from channels.messages import OutboundMessage
from gateway.app import open_stores, operation_ports
from gateway.journal.base import OutboxEntry
from gateway.operations.operation import Document, Running
from gateway.operations.table import perform
from tests.helpers.house import settings_for


async def nothing() -> Document:
    return {}


async def no_job(_: str) -> bool:
    return False


async def test_a_dead_letter_is_sent_again_however_much_is_owed_before_it(tmp_path: Path) -> None:
    sent: list[OutboxEntry] = []
    running = Running(status=nothing, reload=nothing, requeue=sent.append, cancel_job=no_job)
    replies = [
        OutboundMessage(id="t", part=number, channel="telegram", chat_id="42", text="x")
        for number in range(1002)
    ]
    async with open_stores(settings_for(tmp_path)) as stores:
        await stores.journal.respond(answered=[], replies=replies)
        await stores.journal.dead("t/1001", error="blocked")
        ports = replace(operation_ports(settings_for(tmp_path), stores), running=running)
        await perform(ports, "outbox-retry", {"id": "t/1001"})

    assert [entry.id for entry in sent] == ["t/1001"]
