"""What an operator does with sessions, on real stores."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.operations.operation import OperationFailed
from memory.messages import Message
from memory.sessions.session import Mark, MarkKind, Session
from tests.helpers.conversations import (
    MARKS,
    NOON,
    VALUES,
    WHOLE_TEXTS,
    answer,
    call,
    filled,
    messages,
    new_session,
    result,
    say,
)
from tests.helpers.operating import Desk, desk

KEY = "telegram:42"
STORES = pytest.mark.parametrize("store", ["sqlite", "jsonl"])
PLAIN = [
    json.dumps({"role": "user", "content": "My dentist is Dr. Okafor.", "name": "Ann"}),
    json.dumps({"role": "assistant", "content": "Noted."}),
]


def session_of(*said: Message, key: str = KEY, audience: str = "person-ann") -> Session:
    session = new_session(key, audience=audience)
    for message in said:
        session.add(message)
    return session


def problem_kinds(report: dict[str, Any]) -> list[tuple[int, str]]:
    return [(one["seq"], one["kind"]) for one in report["problems"]]


async def refs(at: Desk, query: str) -> list[str]:
    found = await at("memory-search", query=query)
    return [hit["ref"] for hit in found["hits"]]


@STORES
async def test_sessions_are_listed_with_what_is_known_of_them(tmp_path: Path, store: str) -> None:
    async with desk(tmp_path, store=store) as at:
        nothing = await at("sessions-list")
        await at.keep(filled(4))
        [row] = (await at("sessions-list"))["sessions"]

    assert nothing == {"sessions": []}
    assert {name: row[name] for name in ("key", "audience", "messages", "last_consolidated", "tokens")} == {
        "key": KEY,
        "audience": "person-ann",
        "messages": 4,
        "last_consolidated": 0,
        "tokens": 10,
    }
    assert row["updated_at"].endswith("Z")


async def test_what_a_gap_brings_together_is_no_problem(tmp_path: Path) -> None:
    turns: list[Message] = [
        *(say("one"), answer(), say("two"), answer()),
        *(say("three"), say("four"), answer()),
    ]
    async with desk(tmp_path) as at:
        await at.keep(session_of(*turns))
        for seq in (1, 4):
            await at("memory-forget", ref=f"{KEY}#{seq}")
        report = await at("sessions-check", key=KEY)

    assert problem_kinds(report) == [(6, "adjacent_users")]


@pytest.mark.parametrize(
    "operation",
    ["sessions-show", "sessions-check", "sessions-export", "sessions-repair", "sessions-delete"],
)
async def test_an_unknown_key_is_named(tmp_path: Path, operation: str) -> None:
    async with desk(tmp_path) as at:
        with pytest.raises(OperationFailed, match='there is no session "web:nobody"'):
            await at(operation, key="web:nobody")


@given(
    said=st.lists(messages(), min_size=1, max_size=6),
    summary=st.dictionaries(WHOLE_TEXTS, VALUES, max_size=2),
    marks=st.lists(MARKS, max_size=2),
)
@settings(deadline=None, max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_a_session_is_shown_alike_after_a_journey_from_store_to_store(
    tmp_path_factory: pytest.TempPathFactory, said: list[Message], summary: dict[str, Any], marks: list[Mark]
) -> None:
    directory = tmp_path_factory.mktemp("journey")
    session = session_of(*said)
    for mark in marks:
        session.mark(mark)
    session.summary, session.updated_at = summary, NOON
    shown, lines = [], []

    async with desk(directory / "0") as at:
        await at.keep(session)
        shown.append(await at("sessions-show", key=KEY))
        lines.append((await at("sessions-export", key=KEY))["lines"])
    for number, store in enumerate(("jsonl", "sqlite"), start=1):
        async with desk(directory / str(number), store=store) as at:
            await at("sessions-import", lines=lines[-1])
            shown.append(await at("sessions-show", key=KEY))
            lines.append((await at("sessions-export", key=KEY))["lines"])

    assert shown[1] == shown[0]
    assert shown[2] == shown[0]
    assert lines[2] == lines[0]


@STORES
async def test_plain_lines_become_a_session_of_the_owner_that_is_found_at_once(
    tmp_path: Path, store: str
) -> None:
    async with desk(tmp_path, store=store) as at:
        report = await at("sessions-import", lines=PLAIN, otherwise="imported:old")
        shown = await at("sessions-show", key="imported:old")
        found = await refs(at, "dentist")

    assert (report["key"], report["audience"], report["messages"]) == ("imported:old", "person-owner", 2)
    assert [one["seq"] for one in shown["messages"]] == [1, 2]
    assert shown["messages"][0]["sender_name"] == "Ann"
    assert found[0] == "imported:old#1"


async def test_another_programs_session_keeps_its_key_unless_one_is_given(tmp_path: Path) -> None:
    lines = [json.dumps({"_type": "metadata", "key": "cli:direct", "last_consolidated": 0}), *PLAIN]
    async with desk(tmp_path) as at:
        theirs = await at("sessions-import", lines=lines, otherwise="imported:x")
        ours = await at("sessions-import", lines=lines, key="web:ann", otherwise="imported:x")

    assert (theirs["key"], ours["key"]) == ("cli:direct", "web:ann")


async def test_a_file_names_no_folder_outside_of_the_audiences(tmp_path: Path) -> None:
    lines = [json.dumps({"_type": "metadata", "key": KEY, "audience": "../../escape"}), *PLAIN]
    async with desk(tmp_path) as at:
        report = await at("sessions-import", lines=lines)

    assert report["audience"] == "person-owner"


async def test_lines_that_cannot_be_read_are_named_and_the_rest_is_kept(tmp_path: Path) -> None:
    lines = [PLAIN[0], "{broken", PLAIN[1], '{"role":"narrator","content":"x"}']
    async with desk(tmp_path) as at:
        report = await at("sessions-import", lines=lines, key=KEY)

    assert report["messages"] == 2
    assert [one["place"] for one in report["damages"]] == ["line 2", "line 4"]
    assert "expected user, assistant or tool" in report["damages"][1]["problem"]


async def test_nothing_is_imported_over_what_was_said(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.keep(filled(3))
        with pytest.raises(OperationFailed, match="is there already, up to message 3"):
            await at("sessions-import", lines=PLAIN, key=KEY)
        shown = await at("sessions-show", key=KEY)

    assert len(shown["messages"]) == 3


async def test_a_file_without_a_message_is_refused(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        with pytest.raises(OperationFailed, match="no message can be read"):
            await at("sessions-import", lines=["rubbish"], key=KEY)


async def test_a_check_says_what_the_grammar_repairs(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.keep(session_of(say(), call("c1"), say("and?"), say("well?"), answer()))
        await at.keep(filled(4, key="web:fine"))
        report = await at("sessions-check", key=KEY)
        everything = await at("sessions-check-all")

    assert problem_kinds(report) == [(2, "missing_result"), (4, "adjacent_users")]
    assert all(one["repair"] for one in report["problems"])
    assert everything == {"checked": 2, "sessions": [report]}


async def test_what_undo_hid_is_no_problem(tmp_path: Path) -> None:
    session = session_of(say(), answer("first"), answer("second"), say("go on"), call("c1"), result())
    session.mark(Mark(kind=MarkKind.HIDDEN, from_seq=2, to_seq=2, at=NOON))
    async with desk(tmp_path) as at:
        await at.keep(session)
        report = await at("sessions-check", key=KEY)

    assert report == {"key": KEY, "problems": [], "damages": []}


async def test_a_damaged_file_is_reported_and_mended(tmp_path: Path) -> None:
    file = tmp_path / "sessions" / "telegram_42.jsonl"
    async with desk(tmp_path, store="jsonl") as at:
        await at.keep(filled(4))
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines[:3], "{torn", *lines[3:]]) + "\n")

    async with desk(tmp_path, store="jsonl") as at:
        before = await at("sessions-check", key=KEY)
        mended = await at("sessions-repair", key=KEY)
        again = await at("sessions-repair", key=KEY)
        after = await at("sessions-check", key=KEY)
        shown = await at("sessions-show", key=KEY)

    assert problem_kinds(before) == [(0, "damaged_record")]
    assert mended["repaired"][0]["repair"] == "set aside, byte for byte"
    assert again["repaired"] == []
    assert after["problems"] == []
    assert [one["is_aside"] for one in after["damages"]] == [True]
    assert [one["seq"] for one in shown["messages"]] == [1, 2, 3, 4]


async def test_a_damaged_row_is_reported_and_mended(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.keep(filled(4))
        await at.stores.database.write(
            lambda connection: connection.execute("UPDATE messages SET body = '{torn' WHERE seq = 3")
        )
        before = await at("sessions-check", key=KEY)
        mended = await at("sessions-repair", key=KEY)
        after = await at("sessions-check", key=KEY)

    assert (0, "damaged_record") in problem_kinds(before)
    assert [one["place"] for one in mended["repaired"]] == ["its row 3 in messages"]
    assert (0, "damaged_record") not in problem_kinds(after)


@STORES
async def test_what_is_deleted_is_neither_listed_nor_found(tmp_path: Path, store: str) -> None:
    async with desk(tmp_path, store=store) as at:
        await at("sessions-import", lines=PLAIN, key=KEY)
        await at("sessions-import", lines=PLAIN, key="web:kept")
        before = await refs(at, "dentist")
        await at("sessions-delete", key=KEY)
        after = await refs(at, "dentist")
        listed = await at("sessions-list")

    assert {f"{KEY}#1", "web:kept#1"} <= set(before)
    assert after
    assert not [ref for ref in after if ref.startswith(KEY)]
    assert [row["key"] for row in listed["sessions"]] == ["web:kept"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("sessions-burn", {}), ("sessions-show", {}), ("sessions-show", {"key": KEY, "colour": "red"})],
)
async def test_what_is_no_operation_or_no_argument_is_refused(
    tmp_path: Path, name: str, arguments: dict[str, str]
) -> None:
    async with desk(tmp_path) as at:
        with pytest.raises(OperationFailed, match=name):
            await at(name, **arguments)
