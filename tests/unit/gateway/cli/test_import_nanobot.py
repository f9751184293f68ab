"""Somebody moves in from nanobot."""

import asyncio
import json
from pathlib import Path
from typing import Any

from tests.helpers.command_line import Mneme
from tests.helpers.operating import desk

SESSION = [
    {"_type": "metadata", "created_at": "2026-01-01T10:00:00", "metadata": {}, "last_consolidated": 0},
    {"role": "user", "content": "the harbour opens at noon", "timestamp": "2026-01-01T10:00:00"},
    {"role": "assistant", "content": "noted", "timestamp": "2026-01-01T10:00:01"},
]
JOBS = {
    "version": 1,
    "jobs": [
        {
            "id": "a",
            "name": "plants",
            "schedule": {"kind": "every", "everyMs": 86_400_000},
            "payload": {
                "kind": "agent_turn",
                "message": "water the plants",
                "channel": "telegram",
                "to": "42",
            },
        },
        {
            "id": "b",
            "name": "past",
            "schedule": {"kind": "at", "atMs": 1},
            "payload": {"kind": "agent_turn", "message": "too late", "channel": "telegram", "to": "42"},
        },
    ],
}


def workspace(place: Path) -> None:
    for folder in ("sessions", "memory", "cron"):
        (place / folder).mkdir(parents=True)
    (place / "sessions" / "telegram_42.jsonl").write_text("\n".join(map(json.dumps, SESSION)))
    (place / "memory" / "MEMORY.md").write_text("- Ann likes tea\n")
    (place / "memory" / "HISTORY.md").write_text("[2026-01-01 10:00] The harbour master is called Joe.\n")
    (place / "SOUL.md").write_text("I am kind.\n")
    (place / "AGENTS.md").write_text("Be brief.\n")
    (place / "cron" / "jobs.json").write_text(json.dumps(JOBS))


def taken(document: dict[str, Any]) -> dict[str, bool]:
    return {f"{item['kind']} {item['name']}": item["taken"] for item in document["items"]}


async def kept(state: Path) -> dict[str, Any]:
    """What the new house knows."""
    async with desk(state) as at:
        sessions = (await at("sessions-list"))["sessions"]
        found = (await at("memory-search", query="harbour master Joe"))["hits"]
        jobs = (await at("jobs-list"))["jobs"]
    return {
        "sessions": {row["key"]: row["audience"] for row in sessions},
        "found": found[0]["ref"] if found else "",
        "jobs": [(job["label"], job["session"]) for job in jobs],
    }


def test_everything_that_has_a_place_is_taken_once_and_the_rest_is_named(
    mneme: Mneme, tmp_path: Path
) -> None:
    workspace(tmp_path / "nano")
    owner = tmp_path / "state" / "memory" / "person-owner"
    owner.mkdir(parents=True)
    (owner / "SOUL.md").write_text("I am exact.\n")
    tried = mneme("import-nanobot", "nano", "--dry-run", "--state", "state", "--json")
    untouched = asyncio.run(kept(tmp_path / "state"))
    first = mneme("import-nanobot", "nano", "--state", "state", "--json")
    again = mneme("import-nanobot", "nano", "--state", "state", "--json")
    now = asyncio.run(kept(tmp_path / "state"))

    expected = {
        "session telegram_42.jsonl": True,
        "history HISTORY.md": True,
        "memory MEMORY.md": True,
        "memory SOUL.md": True,
        "memory AGENTS.md": True,
        "job water the plants": True,
        "job past": False,
    }
    assert untouched == {"sessions": {}, "found": "", "jobs": []}
    assert taken(json.loads(tried.stdout)) == taken(json.loads(first.stdout)) == expected
    assert set(taken(json.loads(again.stdout)).values()) == {False}
    assert now == {
        "sessions": {"telegram:42": "person-owner", "imported:nanobot-history": "person-owner"},
        "found": "imported:nanobot-history#1",
        "jobs": [("water the plants", "telegram:42")],
    }
    assert (owner / "MEMORY.md").read_text() == "- Ann likes tea\n"
    assert (owner / "SOUL.md").read_text() == "I am exact.\n\n## From nanobot\n\nI am kind.\n"
    assert (tmp_path / "state" / "memory" / "shared" / "AGENTS.nanobot.md").read_text() == "Be brief.\n"


def test_a_directory_that_is_no_workspace_is_one_line(mneme: Mneme, tmp_path: Path) -> None:
    done = mneme("import-nanobot", ".", "--state", "state")

    assert done.returncode == 1
    assert "holds nothing of nanobot's" in done.stderr
