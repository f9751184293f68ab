"""What an operator does with the changes of long-term memory, on real stores."""

from dataclasses import replace
from pathlib import Path

import pytest

from gateway.app import operation_ports
from gateway.app.dream import running_dream
from gateway.jobs.documents import DocumentModel
from gateway.jobs.dreamer import Dreams
from gateway.llm.scripted import ScriptedLLM
from gateway.operations import longterm
from gateway.operations.operation import OperationFailed, OperationPorts
from memory.longterm.notes import note
from tests.helpers.dreaming import noting_all
from tests.helpers.house import settings_for
from tests.helpers.longterm import claim, entry
from tests.helpers.operating import Desk, desk

OWNER = "person-owner"
TEA = claim("Ann drinks tea without sugar.")


def dreaming(at: Desk) -> OperationPorts:
    """Ports whose Dream notes everything."""
    history, notebook = at.stores.history, at.stores.notebook
    model = DocumentModel(ScriptedLLM(otherwise=noting_all))
    dreams = Dreams(at.state, history=history, notebook=notebook, model=model)
    return replace(operation_ports(settings_for(at.state), at.stores), dream=running_dream(dreams))


def written(state: Path) -> str:
    place = state / "memory" / OWNER / "MEMORY.md"
    return place.read_text(encoding="utf-8") if place.exists() else ""


async def test_a_dry_run_tells_what_a_dream_would_do_and_changes_nothing(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.stores.history.append(OWNER, entry(TEA))
        ports = dreaming(at)
        before = sorted(path for path in tmp_path.rglob("*") if path.suffix != ".db")
        dry = await longterm.dream(ports, dry_run=True)
        after = sorted(path for path in tmp_path.rglob("*") if path.suffix != ".db")
        wet = await longterm.dream(ports)
        again = await longterm.dream(ports)

    [imagined], [made] = dry["batches"], wet["batches"]
    assert before == after
    assert imagined["accepted"] == made["accepted"]
    assert imagined["revision"] is None
    assert made["accepted"][0]["line"] in written(tmp_path)
    assert again["batches"] == []


async def test_a_change_is_listed_shown_explained_and_undone(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.stores.history.append(OWNER, entry(TEA))
        await longterm.dream(dreaming(at))
        [made] = (await at("memory-log"))["revisions"]
        shown = await at("memory-diff", rev=made["id"][:8])
        reason = await at("memory-why", ref=f"c:{TEA.id[:8]}")
        undone = await at("memory-restore", rev=made["id"][:8])
        log = await at("memory-log", limit=1)

    assert (made["title"], made["by_hand"], made["claims"]) == ("Dream: MEMORY.md +1", False, [TEA.id[:8]])
    assert f"+- {TEA.text} <!-- c:{TEA.id[:8]} telegram:42#1 -->" in shown["diff"]
    assert reason["claim"]["id"] == TEA.id
    assert [each["file"] for each in reason["reasons"]] == ["MEMORY.md"]
    assert undone["restores"] == made["id"]
    assert log["revisions"][0]["id"] == undone["id"]
    assert TEA.text not in written(tmp_path)


@pytest.mark.parametrize("operation", ["memory-diff", "memory-restore"])
@pytest.mark.parametrize(("rev", "reason"), [("0123456789", "no change"), ("ab", "too short")])
async def test_a_change_that_is_none_is_refused(
    tmp_path: Path, operation: str, rev: str, reason: str
) -> None:
    async with desk(tmp_path) as at:
        await note(OWNER, claim=TEA, notebook=at.stores.notebook)
        with pytest.raises(OperationFailed, match=reason):
            await at(operation, rev=rev)


async def test_an_audience_of_which_nothing_is_kept_is_named(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        with pytest.raises(OperationFailed, match="nothing is kept for person-bob"):
            await at("memory-log", audience="person-bob")
        with pytest.raises(OperationFailed, match="is no audience"):
            await at("memory-log", audience="../etc")
        own = await at("memory-log")

    assert own == {"audience": OWNER, "revisions": []}


async def test_dream_without_a_language_model_is_refused(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        with pytest.raises(OperationFailed, match="needs a language model"):
            await at("memory-dream")


async def test_what_was_not_believed_can_be_read(tmp_path: Path) -> None:
    refused = {"id": "1", "text": "Ann has a horse.", "reason": "unsupported", "status": "rejected"}
    async with desk(tmp_path) as at:
        await at.stores.history.append(OWNER, replace(entry(TEA), rejected=(refused,)))
        [plain] = (await at("memory-show"))["audiences"]
        [full] = (await at("memory-show", rejected=True))["audiences"]

    assert "rejected" not in plain
    assert full["rejected"] == [refused]
