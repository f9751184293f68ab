"""What people say becomes lines of their notes, verified, explained, and taken back when they want."""

import re
from pathlib import Path

import pytest

from gateway.errors import LLMUnavailable
from gateway.llm.rote import RoteLLM
from tests.helpers.dreaming import Mind, noting_all
from tests.helpers.house import House, house

OWNER = "person-owner"
FACT = "My dentist is Dr. Okafor."


def notes(state: Path, audience: str = OWNER, *, name: str = "MEMORY.md") -> str:
    """What the file says, "" where there is none."""
    place = state / "memory" / audience / name
    return place.read_text(encoding="utf-8") if place.exists() else ""


async def told(inside: House, *facts: str) -> None:
    """Say the facts, and enough after them that `/compact` takes them all."""
    for fact in facts:
        await inside.ask(fact)
    for number in range(4):
        await inside.ask(f"Hm, {number}?")
    await inside.ask("/compact")
    inside.gateway.background.worker.wake()
    await inside.calm()


async def dreamt(inside: House) -> str:
    """Ask for a Dream, and what is said when it has ended."""
    await inside.ask("/dream")
    await inside.calm()
    return inside.loopback.sent()[-1].text


async def test_a_fact_becomes_a_line_that_is_explained_and_taken_back(tmp_path: Path) -> None:
    mind = Mind()
    async with house(tmp_path, mind.llm) as inside:
        (tmp_path / "memory" / OWNER).mkdir(parents=True)
        (tmp_path / "memory" / OWNER / "MEMORY.md").write_text("# Memory\n\n- Mine, by hand.\n")
        await told(inside, FACT)
        said = await dreamt(inside)
        written = notes(tmp_path)
        known = await inside.gateway.stores.notebook.versions.log(OWNER)
        [ref] = re.findall(r"loopback:main#\d+", written)
        reason = await inside.ask("/why dentist")
        same = await inside.ask(f"/why {ref}")
        listed = await inside.ask("/dream-log")
        shown = await inside.ask("/memory")
        restored = await inside.ask(f"/dream-restore {known[0].id[:8]}")
        again = await inside.ask(f"/dream-restore {known[0].id[:8]}")
        after = notes(tmp_path)

    assert re.search(
        r"^- My dentist is Dr\. Okafor\. <!-- c:[0-9a-f]{8} loopback:main#1 -->$", written, re.MULTILINE
    )
    assert [each.by_hand for each in known] == [False, True]
    assert known[0].title == "Dream: MEMORY.md +1"
    assert (
        said
        == f"My notes have changed: 1 lines ({known[0].id[:8]}). /dream-restore {known[0].id[:8]} takes it back."
    )
    assert f"MEMORY.md: {FACT}" in reason
    assert f"[{ref}]" in reason
    assert reason.endswith(f"owner: {FACT}")
    assert same == reason
    assert known[0].id[:8] in listed
    assert "noted from our conversations: MEMORY.md" in listed
    assert f"- {FACT} [loopback:main#1]" in shown
    assert "- Mine, by hand." in shown
    assert restored == again == f"The change {known[0].id[:8]} is taken back."
    assert after == "# Memory\n\n- Mine, by hand.\n"


async def test_what_was_taken_back_is_not_noted_again(tmp_path: Path) -> None:
    mind = Mind()
    async with house(tmp_path, mind.llm) as inside:
        await told(inside, FACT)
        await dreamt(inside)
        [made] = await inside.gateway.stores.notebook.versions.log(OWNER)
        await inside.ask(f"/dream-restore {made.id}")
        await told(inside, "My cat is called Minka.")
        await dreamt(inside)

    assert "Minka" in notes(tmp_path)
    assert "Okafor" not in notes(tmp_path)


async def test_where_nothing_is_new_no_model_is_asked(tmp_path: Path) -> None:
    mind = Mind()
    async with house(tmp_path, mind.llm) as inside:
        before = await inside.ask("/dream")
        await told(inside, FACT)
        await dreamt(inside)
        after = await inside.ask("/dream")
        await inside.calm()

    assert before == after == "There was nothing new to note."
    assert len(mind.dreams) == 1


async def test_a_model_that_invents_changes_nothing(tmp_path: Path) -> None:
    def invents(prompt: object) -> str:
        return noting_all(prompt).replace("Okafor", "Weber")  # type: ignore[arg-type]

    mind = Mind(dream=invents)
    async with house(tmp_path, mind.llm) as inside:
        await told(inside, FACT)
        said = await dreamt(inside)

    assert said == "There was nothing new to note."
    assert notes(tmp_path) == ""


@pytest.mark.parametrize("way", ["no JSON at all", LLMUnavailable("down")])
async def test_a_model_that_fails_leaves_everything_for_the_next_time(
    tmp_path: Path, way: str | LLMUnavailable
) -> None:
    mind = Mind(dream=lambda _prompt: way)
    async with house(tmp_path, mind.llm) as inside:
        await told(inside, FACT)
        failed = await dreamt(inside)
        untouched = notes(tmp_path)
        mind.dream = noting_all
        await dreamt(inside)

    assert failed == "I could not go through my notes this time. Nothing was changed."
    assert untouched == ""
    assert FACT in notes(tmp_path)


async def test_without_a_language_model_dream_says_so_and_nothing_waits(tmp_path: Path) -> None:
    async with house(tmp_path, RoteLLM()) as inside:
        said = await inside.ask("/dream")
        await inside.calm()
        jobs = await inside.gateway.stores.journal.list_jobs()

    assert said.startswith("Only a language model can go through my notes")
    assert jobs == []
