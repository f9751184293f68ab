"""`mneme backup`, `mneme restore` and `mneme pair` as a shell sees them."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gateway.app import open_stores
from gateway.journal.base import PairingCode
from tests.helpers.command_line import Mneme
from tests.helpers.house import settings_for

LINE = json.dumps({"role": "user", "content": "the harbour opens at noon"})


def test_a_backup_is_restored_by_another_state_directory(mneme: Mneme, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(LINE + "\n")
    mneme("sessions", "import", "in.jsonl", "--key", "web:a", "--state", "old")
    written = mneme("backup", "a.tar.gz", "--state", "old", "--json")
    again = mneme("backup", "a.tar.gz", "--state", "old")
    restored = mneme("restore", "a.tar.gz", "--state", "new")
    twice = mneme("restore", "a.tar.gz", "--state", "new")
    shown = mneme("sessions", "list", "--state", "new", "--json")

    assert (written.returncode, json.loads(written.stdout)["counts"]["mneme.db"]) == (0, 1)
    assert (again.returncode, again.stderr) == (
        1,
        "mneme: a.tar.gz is there already and is not written over\n",
    )
    assert restored.returncode == 0
    assert restored.stdout.startswith(f"restored {tmp_path / 'new'} as it was on ")
    assert twice.returncode == 1
    assert "is not empty" in twice.stderr
    assert [session["key"] for session in json.loads(shown.stdout)["sessions"]] == ["web:a"]


def test_who_was_let_in_is_told_in_the_document_and_in_the_log(mneme: Mneme, tmp_path: Path) -> None:
    async def offer() -> None:
        now = datetime.now(UTC)
        async with open_stores(settings_for(tmp_path / ".mneme")) as stores:
            code = PairingCode(
                code="ABCD2345",
                channel="telegram",
                sender_id="77",
                sender_name="Eve",
                chat_id="77",
                expires_at=now + timedelta(minutes=9),
            )
            await stores.journal.offer(code, now=now)

    asyncio.run(offer())
    approved = mneme("pair", "approve", "ABCD2345", "--json")
    revoked = mneme("pair", "revoke", "telegram", "77")
    logged = [json.loads(line) for line in (tmp_path / ".mneme/log/mneme.jsonl").read_text().splitlines()]

    assert json.loads(approved.stdout)["sender_id"] == "77"
    assert revoked.stdout == "telegram 77 is a stranger again (eve)\n"
    assert [(line["event"], line["sender"]) for line in logged] == [
        ("pairing_approved", "77"),
        ("pairing_revoked", "77"),
    ]


def test_nobody_is_paired_yet_and_an_unknown_code_is_one_line(mneme: Mneme) -> None:
    listed = mneme("pair", "list", "--json")
    approved = mneme("pair", "approve", "BCD234")
    revoked = mneme("pair", "revoke", "telegram", "77")

    assert json.loads(listed.stdout) == {"codes": [], "people": []}
    assert (approved.returncode, approved.stderr) == (
        1,
        'mneme: the code "BCD234" is unknown or no longer good; mneme pair list shows all\n',
    )
    assert revoked.returncode == 1
    assert 'nobody was let in as telegram "77"' in revoked.stderr
