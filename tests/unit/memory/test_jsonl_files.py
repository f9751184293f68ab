"""What a session file looks like, and what becomes of one that is damaged or came from elsewhere."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.errors import StoreUnavailable
from memory.messages import UserMessage
from memory.sessions.session import Mark, MarkKind, Session
from memory.sessions.stores.jsonl import JsonlStore
from tests.helpers.conversations import NOON, answer, call, filled, new_session, result, say
from tests.helpers.disk import disk_full_after

THEIRS = {
    "_type": "metadata",
    "key": "telegram:42",
    "created_at": "2026-01-02T10:00:00.5",
    "updated_at": "2026-01-02T11:00:00",
    "metadata": {"title": "old"},
    "last_consolidated": 2,
}


def their_lines(count: int) -> list[dict[str, Any]]:
    """The rows of a nanobot file, without numbers."""
    roles = ("user", "assistant")
    return [
        {"role": roles[n % 2], "content": f"row {n + 1}", "timestamp": f"2026-01-02T10:{n:02}:00", "_x": n}
        for n in range(count)
    ]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "sessions"


@pytest.fixture
def path(directory: Path) -> Path:
    directory.mkdir()
    return directory / "telegram_42.jsonl"


@pytest.fixture
def store(directory: Path) -> JsonlStore:
    return JsonlStore(directory)


def write(path: Path, *lines: object, end: str = "\n") -> None:
    """Write the file by hand: objects as JSON, text as it is."""
    texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    path.write_text("\n".join(texts) + end, encoding="utf-8")


def read(path: Path) -> list[dict[str, Any]]:
    """Every line, which must be JSON."""
    data = path.read_bytes()
    assert data.endswith(b"\n")
    return [json.loads(line) for line in data.splitlines()]


async def load(store: JsonlStore, limit: int = 100) -> Session:
    session = await store.load("telegram:42", limit=limit)
    assert session is not None
    return session


async def save(store: JsonlStore, session: Session) -> None:
    await store.append(session, session.unsaved)
    session.unsaved.clear()


async def go_on(store: JsonlStore) -> Session:
    """Load, say one more thing, save."""
    session = await load(store)
    session.add(say("more"))
    await save(store, session)
    return session


def texts(session: Session) -> list[str]:
    return [message.content for message in session.messages]


async def test_a_file_is_metadata_and_then_a_message_a_line(store: JsonlStore, directory: Path) -> None:
    session = new_session()
    session.add(say("look", source_id="telegram:42/77"))
    session.add(call())
    session.add(result("eggs"))
    session.mark(Mark(kind=MarkKind.VIEW_FROM, from_seq=4, at=NOON))
    session.mark(Mark(kind=MarkKind.HIDDEN, from_seq=2, to_seq=3, at=NOON))
    session.updated_at = NOON
    await save(store, session)

    lines = read(directory / "telegram_42.jsonl")

    time = "2026-03-01T12:00:00Z"
    assert {name: lines[0][name] for name in ("_type", "version", "key", "created_at", "metadata")} == {
        "_type": "metadata",
        "version": 1,
        "key": "telegram:42",
        "created_at": time,
        "metadata": {},
    }
    assert lines[1:] == [
        {
            "seq": 1,
            "role": "user",
            "content": "look",
            "source_id": "telegram:42/77",
            "timestamp": time,
            "sender": "1001",
            "tokens": 3,
            "provenance": "owner",
        },
        {
            "seq": 2,
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "files", "arguments": '{"path":"notes.txt"}'},
                }
            ],
            "timestamp": time,
            "tokens": 2,
        },
        {
            "seq": 3,
            "role": "tool",
            "content": "eggs",
            "tool_call_id": "c1",
            "name": "files",
            "timestamp": time,
            "tokens": 4,
            "provenance": "tool",
        },
        {"_type": "view_from", "seq": 4, "timestamp": time},
        {"_type": "hidden", "from_seq": 2, "to_seq": 3, "timestamp": time},
    ]


async def test_files_are_for_the_owner_alone(store: JsonlStore, directory: Path) -> None:
    await save(store, filled(1))

    assert directory.stat().st_mode & 0o777 == 0o700
    assert (directory / "telegram_42.jsonl").stat().st_mode & 0o777 == 0o600


async def test_metadata_is_written_again_only_when_the_state_changed(
    store: JsonlStore, directory: Path
) -> None:
    session = filled(2)
    await save(store, session)
    for _ in range(10):
        session.add(say("more", at=datetime.now(UTC)))
        session.calibration.factor += 0.1
        await save(store, session)
    session.last_consolidated = 5
    await save(store, session)

    lines = read(directory / "telegram_42.jsonl")

    places = [number for number, line in enumerate(lines) if line.get("_type") == "metadata"]
    # The first save was of old messages, so the time of the change is written once more.
    assert places[0] == 0
    assert places[-1] == len(lines) - 1
    assert len(places) <= 3
    assert lines[-1]["last_consolidated"] == 5
    assert lines[-1]["calibration"]["factor"] == pytest.approx(2.0)


async def test_metadata_is_never_far_from_the_end(store: JsonlStore, directory: Path) -> None:
    session = new_session()
    for number in range(400):
        session.add(say("x" * 1000))
        await save(store if number % 100 else JsonlStore(directory), session)
        if number % 7 == 0:
            store = JsonlStore(directory)
        data = (directory / "telegram_42.jsonl").read_bytes()

        assert len(data) - data.rindex(b'{"_type":"metadata"') < 70_000


async def test_nothing_is_rewritten_by_an_append(store: JsonlStore, directory: Path) -> None:
    session = filled(2)
    await save(store, session)
    before = (directory / "telegram_42.jsonl").read_bytes()
    inode = (directory / "telegram_42.jsonl").stat().st_ino
    session.add(say("more"))
    session.summary = {"key_facts": []}
    await save(store, session)

    assert (directory / "telegram_42.jsonl").read_bytes().startswith(before)
    assert (directory / "telegram_42.jsonl").stat().st_ino == inode


async def test_a_foreign_file_loads_as_it_is(store: JsonlStore, path: Path) -> None:
    write(path, THEIRS, *their_lines(6))
    before = path.read_bytes()

    session = await load(store)

    assert texts(session) == [f"row {n}" for n in range(1, 7)]
    assert [message.seq for message in session.messages] == [1, 2, 3, 4, 5, 6]
    assert (session.last_consolidated, session.last_seq, session.metadata) == (2, 6, {"title": "old"})
    assert session.messages[3].extra == {"_x": 3}
    assert path.read_bytes() == before


async def test_a_foreign_file_goes_on_with_its_fields_kept(store: JsonlStore, path: Path) -> None:
    write(path, {**THEIRS, "made_by": "them"}, *their_lines(3))
    await go_on(store)

    lines = read(path)
    session = await load(JsonlStore(path.parent))

    assert texts(session) == ["row 1", "row 2", "row 3", "more"]
    assert [line["seq"] for line in lines if "role" in line] == [1, 2, 3, 4]
    assert [line.get("_x") for line in lines if "role" in line] == [0, 1, 2, None]
    assert session.extra == {"made_by": "them"}
    assert session.last_consolidated == 2


@pytest.mark.parametrize("pointer", [-1, 99, True, "2", None, 1.5, [1]])
async def test_a_senseless_pointer_becomes_zero(store: JsonlStore, path: Path, pointer: object) -> None:
    write(path, {**THEIRS, "last_consolidated": pointer}, *their_lines(6))

    session = await load(store)

    assert session.last_consolidated == 0
    assert len(session.messages) == 6


@pytest.mark.parametrize("date", ["yesterday", "", None, True, [], "2026-99-01"])
async def test_a_bad_date_becomes_now(store: JsonlStore, path: Path, date: object) -> None:
    write(path, {**THEIRS, "created_at": date, "updated_at": date})
    before = datetime.now(UTC) - timedelta(minutes=1)

    session = await load(store)

    assert session.created_at > before
    assert session.updated_at > before


@pytest.mark.parametrize("theirs", [True, False])
async def test_a_torn_last_line_is_set_aside(store: JsonlStore, path: Path, theirs: bool) -> None:
    if theirs:
        write(path, THEIRS, *their_lines(3), end="")
    else:
        await save(store, filled(3))
    torn = path.read_bytes()[:-20]
    path.write_bytes(torn)

    session = await load(JsonlStore(path.parent))
    kept = len(session.messages)
    await go_on(JsonlStore(path.parent))

    assert kept == 2
    assert (await load(store)).messages[-1].content == "more"
    assert read(path)
    aside = (path.parent / f"{path.name}.damaged").read_bytes()
    assert aside == torn[torn.rindex(b"\n") + 1 :] + b"\n"
    [damage] = await store.damages("telegram:42")
    assert "damaged" in damage.place


@pytest.mark.parametrize("cut", range(1, 200, 7))
async def test_a_write_that_was_torn_anywhere_loses_nothing_before_it(
    store: JsonlStore, directory: Path, cut: int
) -> None:
    session = filled(3)
    await save(store, session)
    path = directory / "telegram_42.jsonl"
    before = path.stat().st_size
    session.add(say("fourth"))
    session.last_consolidated = 2
    await save(store, session)
    path.write_bytes(path.read_bytes()[: before + cut])

    await go_on(JsonlStore(directory))

    after = await load(JsonlStore(directory))
    assert texts(after)[:3] == ["message 1", "message 2", "message 3"]
    assert texts(after)[-1] == "more"
    assert [message.seq for message in after.messages] == list(range(1, after.last_seq + 1))


async def test_a_last_line_without_its_newline_is_whole(store: JsonlStore, path: Path) -> None:
    write(path, THEIRS, *their_lines(3), end="")
    await go_on(store)

    assert texts(await load(store)) == ["row 1", "row 2", "row 3", "more"]
    assert not (path.parent / f"{path.name}.damaged").exists()


async def test_two_records_on_one_line_are_both_recovered(store: JsonlStore, path: Path) -> None:
    one, two, three, four = (json.dumps(row) for row in their_lines(4))
    write(path, THEIRS, one, two + three, four)

    session = await load(store)
    await go_on(store)

    assert texts(session) == ["row 1", "row 2", "row 3", "row 4"]
    assert texts(await load(store))[-1] == "more"
    assert len(read(path)) >= 6


async def test_a_record_that_was_glued_to_a_torn_one_is_recovered(store: JsonlStore, path: Path) -> None:
    one, two, three = (json.dumps(row) for row in their_lines(3))
    write(path, THEIRS, one, two[:25] + three)

    session = await load(store)
    [damage] = await store.damages("telegram:42")

    assert texts(session) == ["row 1", "row 3"]
    assert damage.place == "telegram_42.jsonl line 3"


@pytest.mark.parametrize(
    "broken",
    ["{", "null", "[1]", "42", '{"role":"narrator","content":"x"}', "{}", "\0\0\0\0", '{"a":' * 5000, "日本"],
)
async def test_a_corrupt_line_is_named_and_set_aside(store: JsonlStore, path: Path, broken: str) -> None:
    rows = their_lines(4)
    write(path, THEIRS, *rows[:2], broken, *rows[2:])

    session = await load(store)
    [before] = await store.damages("telegram:42")
    await go_on(store)

    assert texts(session) == ["row 1", "row 2", "row 3", "row 4"]
    assert before.place == "telegram_42.jsonl line 4"
    assert before.problem
    assert (path.parent / f"{path.name}.damaged").read_text() == broken + "\n"
    assert len(await store.damages("telegram:42")) == 1
    assert read(path)


async def test_a_line_that_is_no_utf8_is_set_aside_byte_for_byte(store: JsonlStore, path: Path) -> None:
    write(path, THEIRS, *their_lines(1))
    bad = b'{"role":"user","content":"caf\xe9"}'
    path.write_bytes(path.read_bytes() + bad + b"\n")

    session = await load(store)
    [damage] = await store.damages("telegram:42")
    await go_on(store)

    assert texts(session) == ["row 1"]
    assert damage.problem == "no UTF-8"
    assert (path.parent / f"{path.name}.damaged").read_bytes() == bad + b"\n"


async def test_rows_load_without_metadata(store: JsonlStore, path: Path) -> None:
    write(path, '{"_type":"metadata","key":', *their_lines(3))

    session = await load(store)

    assert texts(session) == ["row 1", "row 2", "row 3"]
    assert session.created_at == session.messages[0].at
    assert [head.key for head in await store.heads()] == ["telegram:42"]


async def test_an_older_metadata_line_counts_when_the_newest_is_corrupt(
    store: JsonlStore, path: Path
) -> None:
    session = filled(4)
    await save(store, session)
    session.last_consolidated = 2
    await save(store, session)
    lines = path.read_text().splitlines()
    write(path, *lines, lines[-1].replace('"last_consolidated":2', '"last_consolidated":3')[:-3])

    loaded = await load(JsonlStore(path.parent))

    assert loaded.last_consolidated == 2
    assert len(loaded.messages) == 4


async def test_a_state_is_newer_than_the_marks_before_it(store: JsonlStore, path: Path) -> None:
    session = filled(6)
    session.mark(Mark(kind=MarkKind.VIEW_FROM, from_seq=3, at=NOON))
    await save(store, session)
    session.view_from = 5
    await save(store, session)
    assert (await load(JsonlStore(path.parent))).view_from == 5
    path.write_text(path.read_text() + "{torn")

    assert (await load(JsonlStore(path.parent))).view_from == 5
    await go_on(JsonlStore(path.parent))
    assert (await load(JsonlStore(path.parent))).view_from == 5


@pytest.mark.parametrize("data", [b"", b"\n\n", b"garbage\n{more\n", b"\xff\xfe\x00"])
async def test_a_file_without_a_record_is_an_empty_session(
    store: JsonlStore, path: Path, data: bytes
) -> None:
    path.write_bytes(data)

    empty = await load(store)
    await go_on(store)

    assert (empty.messages, empty.last_seq) == ([], 0)
    assert texts(await load(store)) == ["more"]
    aside = path.parent / f"{path.name}.damaged"
    assert (aside.read_bytes() if aside.exists() else b"\n") == data.strip(b"\n") + b"\n"
    assert read(path)[0]["_type"] == "metadata"


async def test_a_broken_file_is_never_saved_over(store: JsonlStore, path: Path) -> None:
    path.write_bytes(b"precious\n")

    await load(store)
    await store.heads()
    await store.damages("telegram:42")

    assert path.read_bytes() == b"precious\n"


async def test_a_doubled_number_keeps_the_first(store: JsonlStore, path: Path) -> None:
    await save(store, filled(3))
    line = path.read_text().splitlines()[-1]
    path.write_text(path.read_text() + line.replace("message 3", "an intruder") + "\n")

    session = await load(JsonlStore(path.parent))
    [damage] = await JsonlStore(path.parent).damages("telegram:42")

    assert texts(session) == ["message 1", "message 2", "message 3"]
    assert damage.problem == "number 3 is taken by an earlier message"


@pytest.mark.parametrize("again", [slice(0, None), slice(2, 3), slice(-1, None)])
async def test_lines_that_stand_twice_are_read_once_however_one_reads(
    store: JsonlStore, path: Path, again: slice
) -> None:
    await save(store, filled(3))
    lines = path.read_text().splitlines(keepends=True)
    end = again.stop or len(lines)
    path.write_text("".join(lines[:end] + lines[again] + lines[end:]))

    ranges = [await JsonlStore(path.parent).read("telegram:42", from_seq=n, to_seq=3) for n in (1, 2, 3)]
    page = await JsonlStore(path.parent).page("telegram:42", before=4, limit=10)

    assert [[message.seq for message in found] for found in [*ranges, page]] == [
        [1, 2, 3],
        [2, 3],
        [3],
        [1, 2, 3],
    ]
    assert texts(await load(store)) == ["message 1", "message 2", "message 3"]


async def test_lines_in_another_order_are_put_in_order_and_none_is_set_aside(
    store: JsonlStore, path: Path
) -> None:
    await save(store, filled(6))
    first, *lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([first, *lines[3:], *lines[:3]]))

    again = JsonlStore(path.parent)
    damages = await again.damages("telegram:42")
    numbers = [message.seq for message in await again.read("telegram:42", from_seq=1, to_seq=6)]
    session = await go_on(again)

    assert damages == []
    assert numbers == [1, 2, 3, 4, 5, 6]
    assert texts(session) == [*(f"message {n}" for n in range(1, 7)), "more"]
    assert [line["seq"] for line in read(path) if "role" in line] == [1, 2, 3, 4, 5, 6, 7]


async def test_a_damaged_number_is_not_given_again(store: JsonlStore, path: Path) -> None:
    session = filled(4)
    session.last_consolidated = 4
    await save(store, session)
    path.write_text(path.read_text().replace('{"seq":4,', '{"seq":4'))

    await go_on(JsonlStore(path.parent))

    loaded = await load(JsonlStore(path.parent))
    assert [message.seq for message in loaded.messages] == [1, 2, 3, 5]
    assert loaded.last_consolidated == 4


async def test_unknown_kinds_of_lines_are_kept(store: JsonlStore, path: Path) -> None:
    note = {"_type": "note", "text": "from the future"}
    write(path, THEIRS, *their_lines(1), note, *their_lines(1))

    await go_on(store)

    assert note in read(path)
    assert texts(await load(store)) == ["row 1", "row 1", "more"]


async def test_a_file_that_was_edited_meanwhile_is_read_again(store: JsonlStore, path: Path) -> None:
    await save(store, filled(1))
    path.write_text(path.read_text() + '{"role":"user","content":"by hand"}')

    await go_on(store)

    session = await load(store)
    assert all("seq" in line for line in read(path) if "role" in line)
    assert texts(session) == ["message 1", "by hand", "more"]
    assert [message.seq for message in session.messages] == [1, 2, 3]


async def test_a_full_disk_leaves_the_file_as_it_was(store: JsonlStore, path: Path) -> None:
    session = filled(3)
    await save(store, session)
    before = path.read_bytes()
    session.add(say("x" * 5000))

    with disk_full_after(len(before) + 100), pytest.raises(StoreUnavailable):
        await save(store, session)

    assert path.read_bytes() == before
    await save(store, session)
    assert (await load(store)).last_seq == 4


async def test_a_file_that_cannot_be_read_is_said(store: JsonlStore, path: Path) -> None:
    path.mkdir()

    with pytest.raises(StoreUnavailable):
        await load(store)


async def test_erasing_reaches_what_was_set_aside_and_older_states(store: JsonlStore, path: Path) -> None:
    session = filled(3)
    session.summary = {"key_facts": [{"text": "melon"}]}
    await save(store, session)
    path.write_text(path.read_text() + '{"role":"user","content":"melon')
    session = await go_on(JsonlStore(path.parent))
    session.summary = {}
    await save(store, session)

    await store.erase("telegram:42", [1])

    assert b"melon" not in b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert [file.name for file in path.parent.iterdir()] == [path.name]


async def test_a_mark_in_a_torn_file_is_no_message_from_whatever_number_one_reads(
    store: JsonlStore, path: Path
) -> None:
    session = filled(2)
    session.mark(Mark(kind=MarkKind.VIEW_FROM, from_seq=3, at=NOON))
    await save(store, session)
    path.write_bytes(path.read_bytes() + b'{"seq":3,"role":"us')

    assert [message.seq for message in await store.read("telegram:42", from_seq=0, to_seq=9)] == [1, 2]


@pytest.mark.parametrize(
    "key", ["..", "../x", "/etc/passwd", "a/../../b", "\0", "x" * 4096, "", "安" * 999, "\n"]
)
async def test_no_key_leads_out_of_the_directory(store: JsonlStore, directory: Path, key: str) -> None:
    await save(store, filled(1, key))

    [path] = directory.parent.rglob("*.jsonl")
    assert path.parent == directory
    assert len(f"{path.name}.damaged".encode()) <= 200


async def test_a_file_under_its_old_name_is_found(store: JsonlStore, directory: Path) -> None:
    directory.mkdir()
    write(directory / "slack_C1.jsonl", {**THEIRS, "key": "slack:C1"}, *their_lines(2))

    session = await store.load("slack:C1", limit=9)
    assert session is not None
    session.add(say("more"))
    await save(store, session)

    assert [path.name for path in directory.iterdir()] == ["slack_C1.jsonl"]
    assert [head.key for head in await store.heads()] == ["slack:C1"]
    assert await store.load("slack_C1", limit=9) is None


async def test_a_user_message_of_an_old_file_is_the_owners(store: JsonlStore, path: Path) -> None:
    write(path, {"role": "user", "content": [{"type": "text", "text": "see"}], "name": "Ann"})

    [message] = (await load(store)).messages

    assert isinstance(message, UserMessage)
    assert (message.content, message.sender_name, message.sender) == ("see", "Ann", "Ann")


async def test_pages_of_a_large_file_are_found_by_halves(store: JsonlStore, path: Path) -> None:
    session = new_session()
    for number in range(3000):
        session.add((answer if number % 2 else say)("z" * (number * 7919 % 900)))
        if number % 50 == 0:
            session.summary = {"n": number}
            session.mark(Mark(kind=MarkKind.HIDDEN, from_seq=number + 1, to_seq=number + 1, at=NOON))
            await save(store, session)
    await save(store, session)

    for before in (1, 2, 51, 1500, 2999, 3000, 3001, 9000):
        page = await store.page("telegram:42", before=before, limit=20)
        last = min(before - 1, 3000)
        assert [message.seq for message in page] == list(range(max(1, last - 19), last + 1))
    for first in (1, 777, 2990):
        found = await store.read("telegram:42", from_seq=first, to_seq=first + 30)
        assert [message.seq for message in found] == list(range(first, min(first + 30, 3000) + 1))


async def test_the_end_of_a_long_session_is_read_and_continued_without_the_rest(
    store: JsonlStore, path: Path
) -> None:
    """Nobody notices that the first nine tenths are rubbish, so nobody has read them."""
    await save(store, filled(10_000, text="as many words as people write in one message " * 3))
    data = bytearray(path.read_bytes())
    data[: len(data) * 9 // 10] = b"?" * (len(data) * 9 // 10)
    path.write_bytes(data)
    inode = path.stat().st_ino

    fresh = JsonlStore(path.parent)
    session = await load(fresh, limit=500)
    session.add(say("more"))
    await save(fresh, session)
    [head] = await fresh.heads()

    assert [message.seq for message in session.messages] == list(range(9501, 10_002))
    assert (head.last_seq, head.tokens) == (10_001, 25_003)
    assert path.stat().st_ino == inode


async def test_a_damage_in_the_middle_does_not_hide_pages(store: JsonlStore, path: Path) -> None:
    await save(store, filled(200, text="some words to fill a line with " * 9))
    lines = path.read_text().splitlines()
    for number in range(20, 180, 7):
        lines[number] = lines[number][:-9]
    write(path, *lines)

    page = await store.page("telegram:42", before=150, limit=5)
    found = await store.read("telegram:42", from_seq=100, to_seq=110)

    assert [message.seq for message in page][-1] <= 149
    assert len(page) == 5
    assert len(found) >= 9


async def test_a_repair_sets_aside_what_cannot_be_read_at_once(store: JsonlStore, path: Path) -> None:
    rows = their_lines(4)
    write(path, THEIRS, *rows[:2], "{broken", *rows[2:])

    aside, order = await store.repair("telegram:42")

    assert (aside.place, aside.is_aside) == ("telegram_42.jsonl line 4", True)
    assert order.place == "telegram_42.jsonl"
    assert (path.parent / f"{path.name}.damaged").read_text() == "{broken\n"
    assert texts(await load(store)) == ["row 1", "row 2", "row 3", "row 4"]
    assert await store.repair("telegram:42") == []
    assert all(one.is_aside for one in await store.damages("telegram:42"))


async def test_a_pipe_among_the_sessions_is_no_session_and_waited_for_by_nobody(directory: Path) -> None:
    store = JsonlStore(directory)
    directory.mkdir(exist_ok=True)
    os.mkfifo(directory / "odd.jsonl")

    assert await store.heads() == []
    with pytest.raises(StoreUnavailable, match=r"odd\.jsonl: expected a plain file, found a pipe"):
        await store.load("odd", limit=10)
