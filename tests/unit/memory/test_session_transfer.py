import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.database import Database
from memory.messages import Message, ToolMessage, UserMessage
from memory.sessions.manager import SessionManager
from memory.sessions.session import Session
from memory.sessions.stores.base import SessionStore
from memory.sessions.stores.in_memory import InMemoryStore
from memory.sessions.stores.jsonl import JsonlStore
from memory.sessions.stores.sqlite import SESSIONS_SCHEMA, SqliteStore
from memory.sessions.transfer import export_lines, import_session, session_document
from tests.helpers.conversations import MARKS, NOON, VALUES, WHOLE_TEXTS, filled, messages, say

KEY = "telegram:42"


def lines(*objects: object) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in objects)


async def exported(store: SessionStore, key: str = KEY) -> tuple[bytes, dict[str, Any]]:
    """The file of a session and what `sessions show` says."""
    session = await store.load(key, limit=10**6)
    assert session is not None
    return b"".join(export_lines(session, session.messages)), session_document(session, session.messages)


def conversation(said: list[Message], summary: dict[str, Any], marks: list[Any]) -> Session:
    session = Session(key=KEY, audience="person-ann", created_at=NOON, updated_at=NOON)
    for message in said:
        session.add(message)
    for mark in marks:
        session.mark(mark)
    session.summary = summary
    session.last_consolidated = len(said) // 2
    session.updated_at = NOON
    return session


def test_the_claims_of_a_session_under_another_key_rest_on_what_is_said_there() -> None:
    def claim(name: str, session: str, **more: object) -> dict[str, Any]:
        return {
            "id": name,
            "session": session,
            "kind": "fact",
            "text": f"{name} is said",
            "speaker": "Ann",
            "at": "2026-03-01T10:00:00Z",
            "provenance": "owner",
            "status": "active",
            "mine": 1,
            "evidence": [{"seq": 1, "quote": "said"}],
            **more,
        }

    facts: list[Any] = [
        claim("old", KEY),
        claim("new", KEY, supersedes=["old", "gone"]),
        claim("guest", "web:b"),
        "?",
    ]
    session = conversation([say("said")], {"key_facts": facts, "through_seq": 1}, [])
    data = b"".join(export_lines(session, session.messages))

    stayed = import_session(data).session.summary
    old, new, guest, odd = import_session(data, key="web:a").session.summary["key_facts"]

    assert stayed == session.summary
    assert (old["session"], new["session"], guest, odd) == ("web:a", "web:a", facts[2], "?")
    assert len({old["id"], new["id"], "old", "new"}) == 4
    assert new["supersedes"] == [old["id"], "gone"]
    assert (new["mine"], new["text"], new["evidence"]) == (1, facts[1]["text"], facts[1]["evidence"])


@given(
    said=st.lists(messages(), min_size=1, max_size=6),
    summary=st.dictionaries(WHOLE_TEXTS, VALUES, max_size=2),
    marks=st.lists(MARKS, max_size=2),
)
@settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_a_session_reads_the_same_after_a_journey_through_every_store(
    tmp_path_factory: pytest.TempPathFactory, said: list[Message], summary: dict[str, Any], marks: list[Any]
) -> None:
    directory = tmp_path_factory.mktemp("journey")
    database = await Database.open(directory / "mneme.db", schemas=[SESSIONS_SCHEMA])
    first, second = SqliteStore(database), JsonlStore(directory / "sessions")
    await SessionManager(first).adopt(conversation(said, summary, marks))
    data, document = await exported(first)

    await SessionManager(second).adopt(import_session(data).session)
    back, there = await exported(second)
    third = InMemoryStore()
    await SessionManager(third).adopt(import_session(back).session)
    await database.close()

    assert there == document
    assert (await exported(third))[1] == document
    assert import_session(data).damages == ()


async def test_an_exported_file_is_a_session_file(tmp_path: Path) -> None:
    store = InMemoryStore()
    session = filled(700)
    session.summary = {"key_facts": []}
    await store.append(session, session.unsaved)
    data, document = await exported(store)
    (tmp_path / "telegram_42.jsonl").write_bytes(data)

    files = JsonlStore(tmp_path)

    assert (await exported(files))[1] == document
    [head] = await files.heads()
    assert head.tokens == session.tokens


def test_another_programs_session_is_imported_with_its_tokens_counted() -> None:
    data = lines(
        {"_type": "metadata", "key": KEY, "created_at": "2026-01-02T10:00:00Z", "last_consolidated": 1},
        {"role": "user", "content": "hello there", "timestamp": "2026-01-02T10:00:00Z"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "x"}}]},
        {"role": "tool", "content": "ok", "tool_call_id": "c1", "name": "x"},
    )

    session = import_session(data, audience="person-ann").session

    assert (session.key, session.audience, session.last_consolidated) == (KEY, "person-ann", 1)
    assert [message.seq for message in session.messages] == [1, 2, 3]
    assert all(message.tokens for message in session.messages)
    assert session.tokens == sum(message.tokens for message in session.messages)
    assert session.unsaved == session.messages
    assert isinstance(session.messages[2], ToolMessage)


def test_plain_lines_are_imported_under_a_given_key() -> None:
    data = lines(
        {"role": "user", "content": "hi", "timestamp": "2026-01-02T10:00:00Z", "name": "Ann"},
        {"role": "assistant", "content": "hello"},
    )

    session = import_session(data, key="web:old").session

    first = session.messages[0]
    assert isinstance(first, UserMessage)
    assert (session.key, first.sender_name) == ("web:old", "Ann")
    assert session.created_at == first.at == datetime(2026, 1, 2, 10, tzinfo=UTC)


def test_what_could_not_be_read_is_named() -> None:
    data = lines({"role": "user", "content": "hi"}) + b"{torn\n" + lines({"role": "system", "content": "x"})

    damages = import_session(data, key="web:old").damages

    assert [damage.place for damage in damages] == ["line 2", "line 3"]
    assert "role 'system'" in damages[1].problem


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no message"),
        (b"rubbish\n", "no message"),
        (lines({"_type": "metadata", "key": KEY}), "no message"),
    ],
)
def test_a_file_without_messages_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        import_session(data, key="web:old")


def test_a_file_without_a_key_needs_one() -> None:
    with pytest.raises(ValueError, match="has to be given"):
        import_session(lines({"role": "user", "content": "hi"}))


def test_a_document_always_has_the_three_parts_of_a_summary() -> None:
    session = filled(1)
    session.summary = {"decisions": [{"id": "d1"}]}

    document = session_document(session, session.messages)

    assert document["summary"] == {"key_facts": [], "decisions": [{"id": "d1"}], "open_questions": []}
    assert document["messages"][0]["content"] == say("message 1").content


def test_a_number_that_is_a_lie_costs_one_line_and_no_more() -> None:
    lines = [
        b'{"_type":"metadata","key":"t:meta","last_consolidated":99999,"last_seq":9007199254740993}',
        b'{"seq":1,"role":"user","content":"one"}',
        b'{"seq":9223372036854775807,"role":"user","content":"far"}',
        b'{"seq":99999999999999999999,"role":"user","content":"huge"}',
        b'{"seq":2000000,"role":"user","content":"ahead"}',
        b'{"seq":3,"role":"user","content":"three"}',
    ]
    imported = import_session(b"\n".join(lines), key="t:meta")

    assert imported.session.last_seq < 100_000
    assert "ahead" not in [message.content for message in imported.session.messages]
    assert "one" in [message.content for message in imported.session.messages]
