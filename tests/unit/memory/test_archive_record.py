import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.archive.entry import EntryKind, entry_from_dict, entry_to_dict
from memory.archive.record import History
from memory.claims.claim import ClaimKind
from tests.helpers.longterm import AUDIENCE, SESSION, claim, entry

BOAT = claim("Ann has a boat called Wanda.")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    place = tmp_path / "memory" / AUDIENCE
    place.mkdir(parents=True)
    return place


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path)


async def test_what_is_appended_comes_back(history: History) -> None:
    kept = replace(
        entry(
            BOAT, claim("Buy a mast.", kind=ClaimKind.DECISION), claim("Which one?", kind=ClaimKind.QUESTION)
        ),
        kind=EntryKind.EXTRACT,
        extra={"later": [1]},
    )

    cursor = await history.append(AUDIENCE, kept)

    assert await history.entries(AUDIENCE) == (replace(kept, cursor=cursor),)


async def test_a_line_has_the_shape_that_others_read(history: History, directory: Path) -> None:
    await history.append(AUDIENCE, entry(BOAT))

    raw = json.loads((directory / "history.jsonl").read_text())
    assert list(raw) == [
        "cursor", "timestamp", "session", "from_seq", "to_seq", "kind", "key_facts", "decisions", "open_questions",
    ]  # fmt: skip
    assert raw["timestamp"] == "2026-05-04T09:00:00Z"
    assert raw["key_facts"][0]["evidence"] == [{"seq": 1, "quote": BOAT.text}]


async def test_cursors_count_up_and_entries_come_in_their_order(history: History) -> None:
    given_out = [await history.append(AUDIENCE, entry(to_seq=40 * n)) for n in range(1, 6)]

    found = await history.entries(AUDIENCE, after=2, limit=2)
    assert given_out == [1, 2, 3, 4, 5]
    assert [each.cursor for each in found] == [3, 4]


async def test_many_who_append_at_once_get_a_number_each(history: History) -> None:
    cursors = await asyncio.gather(*(history.append(AUDIENCE, entry(to_seq=n)) for n in range(1, 21)))

    assert sorted(cursors) == list(range(1, 21))


async def test_audiences_count_apart(history: History) -> None:
    await history.append(AUDIENCE, entry(BOAT))

    assert await history.append("person-bob", entry()) == 1
    assert not any(each.claims for each in await history.entries("person-bob"))


async def test_the_same_claims_of_the_same_messages_are_kept_once(history: History) -> None:
    first = await history.append(AUDIENCE, entry(BOAT))

    assert await history.append(AUDIENCE, entry(BOAT)) == first
    assert await history.append(AUDIENCE, entry(claim("Other words."))) == first + 1


@pytest.mark.parametrize("cursor", ['"7"', "7.5", "true", "null", "-3", "0", "1e400", "99999999999999999999"])
async def test_a_cursor_that_is_no_count_is_passed_over(
    history: History, directory: Path, cursor: str
) -> None:
    await history.append(AUDIENCE, entry())
    with (directory / "history.jsonl").open("a") as file:
        file.write(f'{{"cursor":{cursor},"session":"{SESSION}","from_seq":1,"to_seq":2}}\n')
    (directory / ".cursor").unlink()

    assert await history.append(AUDIENCE, entry(BOAT)) == 2
    assert [each.line for each in await history.damage(AUDIENCE)] == [2]


@pytest.mark.parametrize(
    ("counter", "expected"), [("1", 3), ("9", 10), ("", 3), ("x", 3), ("-9", 3), ("9" * 40, 3)]
)
async def test_the_counter_may_be_behind_or_ahead_but_no_number_comes_twice(
    history: History, directory: Path, counter: str, expected: int
) -> None:
    for n in (1, 2):
        await history.append(AUDIENCE, entry(to_seq=40 * n))
    (directory / ".cursor").write_text(counter)

    assert await history.append(AUDIENCE, entry(BOAT)) == expected


async def test_an_entry_is_never_numbered_below_what_dream_has_read(
    history: History, directory: Path
) -> None:
    (directory / ".dream_cursor").write_text("12\n")

    assert await history.append(AUDIENCE, entry()) == 13


async def test_a_torn_line_is_set_aside_and_never_glued_to(history: History, directory: Path) -> None:
    await history.append(AUDIENCE, entry(to_seq=40))
    await history.append(AUDIENCE, entry(to_seq=80))
    path = directory / "history.jsonl"
    path.write_bytes(path.read_bytes()[:-30])

    await history.append(AUDIENCE, entry(BOAT, to_seq=120))

    assert [each.cursor for each in await history.entries(AUDIENCE)] == [1, 3]
    assert [each.line for each in await history.damage(AUDIENCE)] == [2]


@settings(deadline=None, max_examples=40)
@given(noise=st.binary(max_size=200))
def test_whatever_stands_in_the_file_whole_entries_are_read(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes
) -> None:
    state = tmp_path_factory.mktemp("state")

    async def walk() -> tuple[int, int]:
        history = History(state)
        await history.append(AUDIENCE, entry(to_seq=40))
        with (state / "memory" / AUDIENCE / "history.jsonl").open("ab") as file:
            file.write(noise)
        await history.append(AUDIENCE, entry(BOAT, to_seq=80))
        entries = await history.entries(AUDIENCE)
        return entries[0].to_seq, entries[-1].to_seq

    assert asyncio.run(walk()) == (40, 80)


async def test_what_is_forgotten_is_gone_from_the_file(history: History, directory: Path) -> None:
    tea = claim("Ann drinks tea.", seq=8)
    await history.append(AUDIENCE, entry(BOAT, tea))
    with (directory / "history.jsonl").open("a") as file:
        file.write('{"half": "Wanda\n{"half": "tea\n')

    removed = await history.erase(
        AUDIENCE, is_erased=lambda each: "Wanda" in each.text, is_erased_text=lambda text: "Wanda" in text
    )

    assert removed == 2
    assert "Wanda" not in (directory / "history.jsonl").read_text()
    assert [each.claims for each in await history.entries(AUDIENCE)] == [(tea,)]


async def test_an_audience_without_an_archive_has_no_entries(history: History) -> None:
    assert await history.entries(AUDIENCE) == ()


def test_unknown_fields_stay() -> None:
    raw = entry_to_dict(replace(entry(BOAT), cursor=3)) | {"mood": "calm"}

    assert entry_to_dict(entry_from_dict(raw)) == raw
