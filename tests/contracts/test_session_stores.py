"""Every store of sessions keeps the same promises; a new one adds a line to STORES."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.database import Database
from memory.errors import StoreCorrupt, StoreUnavailable
from memory.messages import AssistantMessage, Message, Provenance, ToolCall, UserMessage
from memory.sessions.manager import SessionManager
from memory.sessions.session import Mark, MarkKind, Session
from memory.sessions.stores.base import SessionStore
from memory.sessions.stores.in_memory import InMemoryStore
from memory.sessions.stores.jsonl import JsonlStore
from memory.sessions.stores.sqlite import SESSIONS_SCHEMA, SqliteStore
from tests.helpers.conversations import NOON, answer, call, filled, new_session, result, say
from tests.helpers.stores import TroubledStore


@dataclass
class Place:
    """Where a store keeps things, so that it can be opened again as after a restart."""

    directory: Path
    kind: str
    exits: AsyncExitStack
    memory: InMemoryStore

    async def open(self) -> SessionStore:
        """The store, with nothing in memory but what memory is its place."""
        if self.kind == "in_memory":
            return self.memory
        if self.kind == "jsonl":
            return JsonlStore(self.directory / "sessions")
        database = await Database.open(self.directory / "mneme.db", schemas=[SESSIONS_SCHEMA])
        self.exits.push_async_callback(database.close)
        return SqliteStore(database)

    def bytes_on_disk(self) -> bytes:
        """Everything in the directory."""
        return b"".join(path.read_bytes() for path in sorted(self.directory.rglob("*")) if path.is_file())


STORES = ["in_memory", "jsonl", "sqlite"]


@pytest.fixture(params=STORES)
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    async with AsyncExitStack() as exits:
        yield Place(directory=tmp_path, kind=request.param, exits=exits, memory=InMemoryStore())


@pytest.fixture
async def store(place: Place) -> SessionStore:
    return await place.open()


Keep = Callable[[Session], Awaitable[Session]]


@pytest.fixture
def keep(place: Place, store: SessionStore) -> Keep:
    """Saves what is unsaved and gives back what a fresh start finds."""

    async def keep_and_load(session: Session) -> Session:
        await store.append(session, session.unsaved)
        session.unsaved.clear()
        loaded = await (await place.open()).load(session.key, limit=1000)
        assert loaded is not None
        return loaded

    return keep_and_load


def seqs(messages: list[Message]) -> list[int]:
    return [message.seq for message in messages]


async def test_an_unknown_session_is_not_there(store: SessionStore) -> None:
    assert await store.load("telegram:1", limit=10) is None
    assert await store.page("telegram:1", before=9, limit=3) == []
    assert await store.read("telegram:1", from_seq=1, to_seq=9) == []
    assert await store.erase("telegram:1", [1]) == 0
    assert await store.delete("telegram:1") is False
    assert await store.damages("telegram:1") == []
    assert await store.heads() == []


async def test_a_saved_session_comes_back_whole(keep: Keep) -> None:
    session = new_session()
    session.add(
        say(
            "look",
            source_id="telegram:42/77",
            sender_name="Ann",
            media=("a1",),
            turn="t1",
            extra={"x": [1, None]},
        )
    )
    session.add(call())
    session.add(result())
    session.add(answer("eggs", reasoning="a list", provenance=Provenance.SUBAGENT))
    session.last_consolidated = 2
    session.summary = {"key_facts": [{"text": "buys eggs"}]}
    session.metadata = {"title": "shopping"}
    session.extra = {"made_by": "somebody"}
    session.calibration.window_cap = 4000

    loaded = await keep(session)

    assert loaded.messages == session.messages
    assert replace(loaded, updated_at=session.updated_at, messages=session.messages) == session


async def test_the_last_messages_are_loaded_without_gaps(store: SessionStore, keep: Keep) -> None:
    await keep(filled(20))

    loaded = await store.load("telegram:42", limit=5)

    assert loaded is not None
    assert seqs(loaded.messages) == [16, 17, 18, 19, 20]
    assert loaded.last_seq == 20
    assert loaded.tokens == 10 * 3 + 10 * 2


async def test_no_messages_are_loaded_where_none_are_wanted(store: SessionStore, keep: Keep) -> None:
    await keep(filled(3))

    loaded = await store.load("telegram:42", limit=0)

    assert loaded is not None
    assert loaded.messages == []
    assert loaded.last_seq == 3


async def test_appends_add_up(store: SessionStore, keep: Keep) -> None:
    session = filled(2)
    for number in range(3, 30):
        await keep(session)
        session.add(say(f"message {number}"))

    loaded = await keep(session)

    assert seqs(loaded.messages) == list(range(1, 30))
    assert loaded.tokens == session.tokens


@pytest.mark.parametrize(
    ("before", "limit", "expected"),
    [
        (11, 3, [8, 9, 10]),
        (3, 10, [1, 2]),
        (1, 5, []),
        (99, 2, [19, 20]),
        (21, 1, [20]),
        (5, 0, []),
        (0, 3, []),
    ],
)
async def test_pages_go_back_from_a_number(
    store: SessionStore, keep: Keep, before: int, limit: int, expected: list[int]
) -> None:
    await keep(filled(20))

    assert seqs(await store.page("telegram:42", before=before, limit=limit)) == expected


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [(3, 5, [3, 4, 5]), (19, 40, [19, 20]), (-4, 2, [1, 2]), (5, 4, []), (30, 40, []), (7, 7, [7])],
)
async def test_ranges_are_read_by_number(
    store: SessionStore, keep: Keep, first: int, last: int, expected: list[int]
) -> None:
    await keep(filled(20))

    assert seqs(await store.read("telegram:42", from_seq=first, to_seq=last)) == expected


async def test_marks_change_the_view_after_a_restart(keep: Keep) -> None:
    session = filled(6)
    session.mark(Mark(kind=MarkKind.VIEW_FROM, from_seq=3, at=NOON))
    await keep(session)
    session.mark(Mark(kind=MarkKind.HIDDEN, from_seq=5, to_seq=6, at=NOON))

    loaded = await keep(session)

    assert (loaded.view_from, loaded.hidden) == (3, [(5, 6)])
    assert seqs(list(loaded.visible())) == [3, 4]
    assert seqs(loaded.messages) == [1, 2, 3, 4, 5, 6]


async def test_a_state_is_saved_without_a_message(store: SessionStore, keep: Keep) -> None:
    session = filled(4)
    await keep(session)
    session.last_consolidated = 4
    session.summary = {"key_facts": []}
    await store.append(session, [])

    loaded = await store.load("telegram:42", limit=1)

    assert loaded is not None
    assert (loaded.last_consolidated, loaded.summary) == (4, {"key_facts": []})


async def test_a_session_may_be_saved_before_anything_is_said(keep: Keep) -> None:
    session = new_session()
    session.metadata = {"title": "new"}

    loaded = await keep(session)

    assert (loaded.messages, loaded.last_seq, loaded.metadata) == ([], 0, {"title": "new"})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nul \0 within",
        "line\nfeed\r\nand\ttab",
        "\u2028 and \u2029 and \x85",
        '{"seq":1,"role":"user","content":"x"}\n{"seq":2}',
        "日本語 👩\u200d👩\u200d👧 \u00e9 e\u0301 \u200b",
        "\ufffd\ufeff\uffff",
        "x" * 1_000_000,
        "\x7f\x1b[31m",
    ],
)
async def test_content_of_any_kind_survives(keep: Keep, text: str) -> None:
    session = new_session()
    session.add(say("before"))
    session.add(say(text))
    session.add(answer(text, tool_calls=(ToolCall(id=text, name="x", arguments=text),)))
    session.add(result(text, call_id=text))
    session.metadata = {text: text}

    loaded = await keep(session)

    assert loaded.messages == session.messages
    assert loaded.metadata == {text: text}


async def test_a_lone_surrogate_is_replaced_and_nothing_else_is_lost(
    place: Place, store: SessionStore
) -> None:
    session = new_session()
    session.metadata = {"title\udc80": "\ud800"}
    records: list[Message] = [
        replace(say("first"), seq=1),
        replace(result("broken \udc80 output"), seq=2),
        replace(
            answer("joined \ud83d\ude00", tool_calls=(ToolCall(id="\udc80", name="x", arguments="{}"),)),
            seq=3,
        ),
    ]
    session.last_seq = 3

    await store.append(session, records)

    loaded = await (await place.open()).load(session.key, limit=10)
    assert loaded is not None
    assert [message.content for message in loaded.messages] == [
        "first",
        "broken \ufffd output",
        "joined \U0001f600",
    ]
    assert isinstance(loaded.messages[2], AssistantMessage)
    assert loaded.messages[2].tool_calls[0].id == "\ufffd"
    assert loaded.metadata == {"title\ufffd": "\ufffd"}


async def test_what_a_session_holds_is_what_its_store_gives_back(keep: Keep) -> None:
    session = new_session()
    session.add(say("half \ud83d", sender_name="\udfff", extra={"x": ["\udc80"]}))

    loaded = await keep(session)

    assert loaded.messages == session.messages


@pytest.mark.parametrize(
    "key",
    [
        "telegram:42",
        "slack:C1#1699.2@U1",
        "spaces/AB/threads/c",
        "..",
        ".",
        "../../etc/passwd",
        "",
        "a" * 4096,
        "安" * 1000,
        "nul\0key",
        "line\nfeed",
        "web:My Notes",
        "con",
        "~",
    ],
)
async def test_a_session_is_found_again_by_any_key(
    place: Place, store: SessionStore, keep: Keep, key: str
) -> None:
    loaded = await keep(filled(3, key))

    assert loaded.key == key
    assert seqs(loaded.messages) == [1, 2, 3]
    assert [head.key for head in await store.heads()] == [key]


async def test_keys_that_look_alike_are_different_sessions(store: SessionStore, keep: Keep) -> None:
    keys = [
        "web:a",
        "web:A",
        "web_a",
        "web/a",
        "web.a",
        "web:a ",
        "web:a#1",
        "web%3aa",
        "w\u00e9b",
        "we\u0301b",
    ]
    keys += ["k" * 300 + "a", "k" * 300 + "b", "telegram:1", "telegram:1@1", "telegram:1@2"]
    for key in keys:
        await keep(filled(1, key, text=f"for {key}"))

    for key in keys:
        loaded = await store.load(key, limit=10)
        assert loaded is not None
        assert [message.content for message in loaded.messages] == [f"for {key} 1"]
    assert len(await store.heads()) == len(keys)


async def test_heads_say_what_a_session_is_newest_first(
    place: Place, store: SessionStore, keep: Keep
) -> None:
    for minutes, key in enumerate(["a", "c", "b"]):
        session = new_session(key, audience=f"person-{key}")
        session.add(say(at=NOON + timedelta(minutes=minutes)))
        session.updated_at = NOON + timedelta(minutes=minutes)
        session.last_consolidated = 1
        await keep(session)

    heads = await (await place.open()).heads()

    assert [head.key for head in heads] == ["b", "c", "a"]
    assert heads[0].audience == "person-b"
    assert (heads[0].last_seq, heads[0].last_consolidated, heads[0].tokens) == (1, 1, 3)
    assert heads[0].updated_at == NOON + timedelta(minutes=2)
    assert heads[0].erasures == 0
    assert heads == await store.heads()


async def test_heads_follow_what_is_appended(store: SessionStore, keep: Keep) -> None:
    session = filled(1)
    await keep(session)
    await store.heads()
    session.add(say("more", at=datetime.now(UTC)))
    await keep(session)

    [head] = await store.heads()

    assert (head.last_seq, head.tokens) == (2, 6)
    assert head.updated_at > NOON


async def test_a_number_that_is_stored_already_is_refused(store: SessionStore, keep: Keep) -> None:
    await keep(filled(3))
    stale = new_session()

    for seq in (1, 3):
        with pytest.raises(StoreCorrupt, match="stored already"):
            await store.append(stale, [replace(say("from outside"), seq=seq)])

    assert [m.content for m in await store.page("telegram:42", before=99, limit=9)] == [
        "message 1",
        "message 2",
        "message 3",
    ]


async def test_a_refused_write_changes_nothing(place: Place, store: SessionStore, keep: Keep) -> None:
    session = filled(3)
    await keep(session)
    session.metadata = {"title": "changed"}
    doubled = [replace(say("new"), seq=4), replace(say("again"), seq=4)]

    with pytest.raises(StoreCorrupt):
        await store.append(session, doubled)

    loaded = await (await place.open()).load("telegram:42", limit=9)
    assert loaded is not None
    assert (loaded.last_seq, loaded.metadata) == (3, {})


async def test_numbers_may_leave_a_gap(store: SessionStore, keep: Keep) -> None:
    await keep(filled(2))
    later = new_session()
    later.last_seq = 9
    await store.append(later, [replace(say("nine"), seq=9)])

    assert seqs(await store.read("telegram:42", from_seq=1, to_seq=99)) == [1, 2, 9]
    assert seqs(await store.page("telegram:42", before=99, limit=2)) == [2, 9]


async def test_erased_words_leave_their_place(place: Place, store: SessionStore, keep: Keep) -> None:
    session = new_session()
    session.add(
        say("my secret is melon", sender_name="Ann", media=("a1",), source_id="m1", extra={"raw": "melon"})
    )
    session.add(call(arguments='{"query":"melon"}'))
    session.add(result("melon found"))
    session.add(answer("melon it is", reasoning="melon"))
    session.add(say("the weather"))
    await keep(session)

    changed = await store.erase("telegram:42", [1, 2, 3, 4, 77])

    loaded = await (await place.open()).load("telegram:42", limit=10)
    assert loaded is not None
    assert changed == 4
    assert [message.erased for message in loaded.messages] == [True, True, True, True, False]
    assert [message.content for message in loaded.messages] == ["", "", "", "", "the weather"]
    assert "melon" not in repr(loaded)
    assert loaded.tokens == 3
    assert seqs(list(loaded.visible())) == [5]


async def test_a_tombstone_keeps_what_the_grammar_needs(store: SessionStore, keep: Keep) -> None:
    session = new_session()
    session.add(say("hello", source_id="telegram:42/1", turn="t1"))
    session.add(call("c7"))
    session.add(result(call_id="c7"))
    await keep(session)

    await store.erase("telegram:42", [1, 2, 3])

    user, assistant, tool = await store.read("telegram:42", from_seq=1, to_seq=3)
    assert isinstance(user, UserMessage)
    assert (user.source_id, user.turn, user.sender, user.at) == ("telegram:42/1", "t1", "", NOON)
    assert isinstance(assistant, AssistantMessage)
    assert assistant.tool_calls == (ToolCall(id="c7", name="files", arguments="{}"),)
    assert tool == replace(result("", call_id="c7"), seq=3, tokens=0, erased=True)


async def test_erasing_twice_changes_nothing_more(store: SessionStore, keep: Keep) -> None:
    await keep(filled(3))

    assert await store.erase("telegram:42", [2]) == 1
    assert await store.erase("telegram:42", [2]) == 0
    assert await store.erase("telegram:42", []) == 0
    [head] = await store.heads()
    assert head.erasures == 1
    assert head.tokens == 6


async def test_a_session_goes_on_after_an_erasure(place: Place, store: SessionStore, keep: Keep) -> None:
    session = filled(3)
    await keep(session)
    await store.erase("telegram:42", [3])
    session = await store.load("telegram:42", limit=9) or session
    session.add(say("go on"))

    loaded = await keep(session)

    assert [message.content for message in loaded.messages] == ["message 1", "message 2", "", "go on"]
    [head] = await store.heads()
    assert (head.erasures, head.tokens, head.last_seq) == (1, 3 + 2 + 3, 4)


async def test_a_deleted_session_is_gone_and_may_begin_anew(
    place: Place, store: SessionStore, keep: Keep
) -> None:
    await keep(filled(5))
    await keep(filled(2, "telegram:43"))

    assert await store.delete("telegram:42") is True
    assert await store.delete("telegram:42") is False
    assert await (await place.open()).load("telegram:42", limit=10) is None
    assert [head.key for head in await store.heads()] == ["telegram:43"]
    assert seqs((await keep(filled(1))).messages) == [1]


async def test_what_is_erased_or_deleted_stands_nowhere_on_the_disk(
    place: Place, store: SessionStore
) -> None:
    session = new_session()
    session.add(say("the zanzibar plan"))
    session.add(answer("ok"))
    await store.append(session, session.unsaved)
    other = filled(1, "telegram:43", text="the mombasa plan")
    await store.append(other, other.unsaved)

    await store.erase("telegram:42", [1])
    await store.delete("telegram:43")

    await place.exits.aclose()  # a database empties its log when it closes
    assert b"zanzibar" not in place.bytes_on_disk()
    assert b"mombasa" not in place.bytes_on_disk()


async def test_a_calibration_is_kept_with_the_next_change(keep: Keep) -> None:
    session = filled(1)
    session.calibration.factor = 1.25
    session.summary = {"key_facts": []}

    assert (await keep(session)).calibration.factor == 1.25


async def test_a_changed_audience_is_saved(store: SessionStore, keep: Keep) -> None:
    session = filled(1)
    await keep(session)
    session.audience = "person-bob"

    assert (await keep(session)).audience == "person-bob"
    [head] = await store.heads()
    assert head.audience == "person-bob"


async def test_nothing_that_the_store_gave_is_shared_with_it(store: SessionStore, keep: Keep) -> None:
    session = filled(1)
    session.metadata = {"tags": ["a"]}
    await keep(session)
    session.metadata["tags"].append("b")
    loaded = await store.load("telegram:42", limit=1)
    assert loaded is not None
    loaded.metadata["tags"].append("c")

    again = await store.load("telegram:42", limit=1)

    assert again is not None
    assert again.metadata == {"tags": ["a"]}


async def test_an_undamaged_session_has_no_damages(store: SessionStore, keep: Keep) -> None:
    await keep(filled(50))

    assert await store.damages("telegram:42") == []


@pytest.mark.parametrize("fail_at", range(1, 5))
async def test_a_write_that_fails_costs_its_own_turn_alone(
    place: Place, store: SessionStore, fail_at: int
) -> None:
    sessions = SessionManager(TroubledStore(store, fail_at=fail_at))
    lost = []
    for number in range(1, 5):
        async with sessions.checkout("telegram:42", audience="person-ann") as session:
            session.add(say(f"message {number}"))
            session.last_consolidated = session.last_seq - 1
            try:
                await sessions.save(session)
            except StoreUnavailable:
                lost.append(f"message {number}")

    loaded = await (await place.open()).load("telegram:42", limit=9)
    assert loaded is not None
    assert lost == [f"message {fail_at}"]
    assert [m.content for m in loaded.messages] == [f"message {n}" for n in range(1, 5) if n != fail_at]
    assert seqs(loaded.messages) == [1, 2, 3]
    assert loaded.last_consolidated == 2


async def test_many_sessions_save_at_once(place: Place, store: SessionStore) -> None:
    sessions = SessionManager(store, cache_limit=5)

    async def turns(key: str) -> None:
        for number in range(4):
            async with sessions.checkout(key, audience="person-ann") as session:
                session.add(say(f"{key} {number}"))
                await sessions.save(session)

    async with asyncio.TaskGroup() as group:
        for number in range(20):
            group.create_task(turns(f"telegram:{number}"))

    again = await place.open()
    for number in range(20):
        key = f"telegram:{number}"
        assert [m.content for m in await again.page(key, before=99, limit=99)] == [
            f"{key} {n}" for n in range(4)
        ]
    assert len(await again.heads()) == 20


async def test_a_turn_cancelled_in_its_save_is_saved_or_not_but_never_half(
    place: Place, store: SessionStore
) -> None:
    sessions = SessionManager(store)

    async def turn(number: int) -> None:
        async with sessions.checkout("telegram:42", audience="person-ann") as session:
            session.add(say(f"question {number}"))
            session.add(answer(f"answer {number}"))
            await sessions.save(session)

    for number in range(12):
        task = asyncio.create_task(turn(number))
        for _ in range(number):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        await turn(100 + number)

    saved = await (await place.open()).page("telegram:42", before=999, limit=999)
    assert seqs(saved) == list(range(1, len(saved) + 1))
    assert [m.content.replace("question", "answer") for m in saved[::2]] == [m.content for m in saved[1::2]]
    assert len(saved) >= 24


async def test_a_sound_session_needs_no_repair(store: SessionStore) -> None:
    session = filled(4)
    await store.append(session, session.unsaved)

    assert await store.repair("telegram:42") == []
    assert await store.repair("telegram:absent") == []
    assert [message.seq for message in await store.read("telegram:42", from_seq=1, to_seq=9)] == [1, 2, 3, 4]
