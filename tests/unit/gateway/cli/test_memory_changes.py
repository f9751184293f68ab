"""`mneme memory log`, `diff`, `restore`, `why` and `dream` as a shell sees them."""

import asyncio
import json
from pathlib import Path

from memory.archive.record import History
from memory.longterm.notebook import Notebook
from memory.longterm.notes import note
from tests.helpers.command_line import Mneme
from tests.helpers.longterm import claim, entry

OWNER = "person-owner"
TEA = claim("Ann drinks tea without sugar.")


def noted(home: Path) -> None:
    """A line in the owner's notes, and its claim in the archive."""

    async def write() -> None:
        await History(home / ".mneme").append(OWNER, entry(TEA))
        await note(OWNER, claim=TEA, notebook=Notebook(home / ".mneme"))

    asyncio.run(write())


def test_a_change_is_listed_shown_explained_and_undone(tmp_path: Path, mneme: Mneme) -> None:
    mneme("init")
    noted(tmp_path)
    [made] = json.loads(mneme("memory", "log", "--json").stdout)["revisions"]
    listed = mneme("memory", "log")
    shown = mneme("memory", "diff", made["id"][:8])
    reason = mneme("memory", "why", f"c:{TEA.id[:8]}")
    undone = mneme("memory", "restore", made["id"][:8])
    again = mneme("memory", "restore", made["id"][:8])

    assert made["id"][:8] in listed.stdout
    assert "Remember: MEMORY.md +1" in listed.stdout
    assert f"+- {TEA.text}" in shown.stdout
    assert reason.stdout.splitlines()[:2] == [f"MEMORY.md: {TEA.text}", f"claim {TEA.id}: {TEA.text}"]
    assert undone.returncode == 0
    assert f"Undo {made['id'][:8]}" in undone.stdout
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr.count("\n") == 1


def test_dream_without_a_language_model_fails_in_one_line(mneme: Mneme) -> None:
    done = mneme("memory", "dream", "--dry-run")

    assert (done.returncode, done.stdout) == (1, "")
    assert "needs a language model" in done.stderr
    assert done.stderr.count("\n") == 1


def test_through_a_pipe_a_log_without_changes_is_nothing(mneme: Mneme) -> None:
    done = mneme("memory", "log")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
