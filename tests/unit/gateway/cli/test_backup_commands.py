"""`mneme backup`, `mneme restore` and `mneme pair` as a shell sees them."""

import json
from pathlib import Path

from tests.helpers.command_line import Mneme

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
