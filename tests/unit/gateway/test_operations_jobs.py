"""What an operator does with jobs and reminders, on a real journal."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from gateway.app import open_stores, operation_ports
from gateway.journal.base import Job, Reminder
from gateway.journal.names import short_id
from gateway.operations.operation import Document
from gateway.operations.table import perform
from tests.helpers.house import settings_for

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
JOB = "telegram:42/77/0/0"
REMINDER = "telegram:42/78"


async def after(state: Path, *operations: tuple[str, Document]) -> list[Document]:
    """What these operations say where one job and one reminder wait."""
    settings = settings_for(state)
    origin = {"message": {"received_at": "2026-03-01T12:00:00Z"}}
    async with open_stores(settings) as stores:
        ports = operation_ports(settings, stores)
        job = Job(id=JOB, kind="subagent", session="telegram:42", run_at=NOON, created_at=NOON)
        await stores.journal.enqueue(job)
        await stores.journal.remind(
            Reminder(id=REMINDER, session="telegram:42", text="tea", next_at=NOON, origin=origin)
        )
        return [await perform(ports, name, arguments) for name, arguments in operations]


@pytest.mark.parametrize("mark", ["", "#"])
@pytest.mark.parametrize("whole", [JOB, REMINDER])
async def test_the_short_id_that_a_chat_shows_names_it_here_too(
    tmp_path: Path, whole: str, mark: str
) -> None:
    named = {"id": f"{mark}{short_id(whole)}"}
    shown, cancelled, left = await after(
        tmp_path, ("jobs-show", named), ("jobs-cancel", named), ("jobs-list", {})
    )
    waiting = [one["id"] for one in left["jobs"] if one["status"] == "todo"]

    assert shown["id"] == whole
    assert cancelled == {"id": whole, "status": "cancelled"}
    assert waiting == [one for one in (JOB, REMINDER) if one != whole]


async def test_what_is_over_stands_behind_what_is_yet_to_come(tmp_path: Path) -> None:
    _cancelled, listed = await after(tmp_path, ("jobs-cancel", {"id": JOB}), ("jobs-list", {}))

    assert [one["id"] for one in listed["jobs"]] == [REMINDER, JOB]


async def test_a_reminder_is_as_old_as_the_message_that_asked_for_it(tmp_path: Path) -> None:
    [listed] = await after(tmp_path, ("jobs-list", {}))

    assert {one["created_at"] for one in listed["jobs"]} == {"2026-03-01T12:00:00Z"}
