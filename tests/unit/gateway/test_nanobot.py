"""What is read from a nanobot workspace."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from gateway.nanobot.history import KEY, Recorded, read_lines, read_markdown, session_lines
from gateway.nanobot.jobs import NotTaken, Planned, read_jobs
from gateway.nanobot.workspace import find_workspace, session_key

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_each_entry_of_the_history_has_its_time_and_raw_blocks_stay_whole() -> None:
    raw = "[2026-02-02 09:00] [RAW] 2 messages\n[2026-02-02 08:59] USER: hi\n[2026-02-02 08:59] ASSISTANT: hello"
    text = f"An old note.\n\n[2026-02-01 10:30] Ann likes tea.\nAnd cake.\n\n{raw}\n"
    entries = list(read_markdown(text.encode() + b"\xff", otherwise=NOON, zone=BERLIN))

    assert [entry.text for entry in entries[:2]] == [
        "An old note.",
        "[2026-02-01 10:30] Ann likes tea.\nAnd cake.",
    ]
    assert entries[2].text == f"{raw}\n\ufffd"
    assert [entry.at for entry in entries] == [
        NOON,
        datetime(2026, 2, 1, 10, 30, tzinfo=BERLIN),
        datetime(2026, 2, 2, 9, 0, tzinfo=BERLIN),
    ]


def test_lines_of_the_newer_history_that_say_nothing_are_passed_over() -> None:
    lines = [
        '{"cursor":1,"timestamp":"2026-02-01 10:30","content":"Ann likes tea."}',
        "{torn",
        '{"cursor":2,"content":" "}',
        "[]",
        '{"cursor":3,"timestamp":"soon","content":"no time"}',
    ]
    entries = list(read_lines("\n".join(lines).encode(), otherwise=NOON, zone=BERLIN))

    assert entries == [
        Recorded(at=datetime(2026, 2, 1, 10, 30, tzinfo=BERLIN), text="Ann likes tea."),
        Recorded(at=NOON, text="no time"),
    ]


def test_the_history_is_a_session_of_record_that_counts_as_consolidated() -> None:
    metadata, line = map(json.loads, session_lines([Recorded(at=NOON, text="Ann likes tea.")]))

    assert (metadata["key"], metadata["last_consolidated"]) == (KEY, 1)
    assert (line["content"], line["provenance"]) == ("Ann likes tea.", "file")


def job(schedule: dict[str, Any], **payload: Any) -> dict[str, Any]:
    spoken = {"kind": "agent_turn", "message": "water the plants", "channel": "telegram", "to": "42"}
    return {"id": "j1", "name": "plants", "schedule": schedule, "payload": spoken | payload}


def read(one: dict[str, Any]) -> Planned | NotTaken:
    [found] = read_jobs({"version": 1, "jobs": [one]}, now=NOON, zone=BERLIN)
    return found


EVERY = {"kind": "every", "everyMs": 7_200_000}


@pytest.mark.parametrize(
    ("schedule", "next_at", "repeats", "zone"),
    [
        (EVERY, datetime(2026, 3, 1, 14, tzinfo=UTC), "every 7200s", "Europe/Berlin"),
        (
            {"kind": "cron", "expr": "0 9 * * *"},
            datetime(2026, 3, 2, 8, tzinfo=UTC),
            "0 9 * * *",
            "Europe/Berlin",
        ),
        (
            {"kind": "cron", "expr": "0 9 * * *", "tz": "Asia/Tokyo"},
            datetime(2026, 3, 2, tzinfo=UTC),
            "0 9 * * *",
            "Asia/Tokyo",
        ),
        (
            {"kind": "at", "atMs": 1_900_000_000_000},
            datetime(2030, 3, 17, 17, 46, 40, tzinfo=UTC),
            None,
            "Europe/Berlin",
        ),
    ],
)
def test_a_job_becomes_a_reminder(
    schedule: dict[str, Any], next_at: datetime, repeats: str | None, zone: str
) -> None:
    assert read(job(schedule)) == Planned(
        id="nanobot/j1",
        text="water the plants",
        channel="telegram",
        chat_id="42",
        is_group=False,
        next_at=next_at,
        repeats=repeats,
        timezone=zone,
    )


def test_a_repeated_job_keeps_step_and_a_newer_one_names_its_session() -> None:
    planned = read(job(EVERY) | {"state": {"nextRunAtMs": (NOON.timestamp() + 60) * 1000}})
    bound = read(job(EVERY, channel=None, to=None, sessionKey="slack:C1"))

    assert isinstance(planned, Planned)
    assert planned.next_at == datetime(2026, 3, 1, 12, 1, tzinfo=UTC)
    assert isinstance(bound, Planned)
    assert (bound.channel, bound.chat_id, bound.is_group) == ("slack", "C1", True)


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (job(EVERY) | {"enabled": False}, "it is switched off"),
        (job(EVERY, kind="system_event"), "it asks for nothing in words"),
        (job(EVERY, message=None), "it asks for nothing in words"),
        (job(EVERY, to=None), "it names no chat for its answer"),
        (job(EVERY, channel="whatsapp"), "its chat is on whatsapp, and only telegram and slack are here"),
        (job({"kind": "at", "atMs": 1}), "its time is over"),
        (job({"kind": "at", "atMs": 1e300}), "its time is over"),
        (job({"kind": "every", "everyMs": 5000}), "it repeats more often than every minute"),
        (job({"kind": "every", "everyMs": "x"}), "its schedule can't be read"),
        (job({"kind": "cron", "expr": "whenever"}), "its schedule can't be read"),
        (
            job({"kind": "cron", "expr": "0 9 * * *", "tz": "Mars/Base"}),
            'there is no time zone "Mars/Base"',
        ),
    ],
)
def test_a_job_that_can_be_no_reminder_says_why(one: dict[str, Any], reason: str) -> None:
    assert read(one) == NotTaken(name="plants", reason=reason)


@pytest.mark.parametrize("document", [None, [], {"jobs": 7}, {}])
def test_a_file_without_jobs_has_none(document: object) -> None:
    assert list(read_jobs(document, now=NOON, zone=BERLIN)) == []


@pytest.mark.parametrize("below", ["", "workspace"])
def test_a_workspace_is_found_by_itself_or_in_nanobots_home(tmp_path: Path, below: str) -> None:
    for name in ("memory/MEMORY.md", "SOUL.md", "memory/HISTORY.md", "TOOLS.md"):
        path = tmp_path / below / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "telegram_42.jsonl").write_text("x")
    found = find_workspace(tmp_path)

    assert [path.name for path in found.pages] == ["MEMORY.md", "SOUL.md"]
    assert [path.name for path in found.histories] == ["HISTORY.md"]
    assert [session_key(path) for path in found.sessions] == ["telegram:42"]
    assert [path.name for path in found.others] == ["TOOLS.md"]
