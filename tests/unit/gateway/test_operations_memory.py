"""What an operator does with memory, on real stores."""

from pathlib import Path

import pytest

from gateway.operations.operation import OperationFailed
from memory.messages import Message
from tests.helpers.conversations import answer, new_session, result, say
from tests.helpers.operating import Desk, desk


async def keep(at: Desk, key: str, *said: Message, audience: str = "person-owner") -> None:
    session = new_session(key, audience=audience)
    for message in said:
        session.add(message)
    await at.keep(session)


async def two_audiences(at: Desk) -> None:
    await keep(at, "telegram:1", say("the harbour opens at noon", sender_name="Ann"))
    await keep(at, "telegram:2", say("the harbour is closed", sender="7"), audience="person-bob")


async def test_a_search_ranks_what_all_audiences_said(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await two_audiences(at)
        document = await at("memory-search", query="harbour noon")

    first, second = document["hits"]
    assert document["query"] == "harbour noon"
    assert set(first) == {"ref", "session", "seq", "score", "text", "at", "sender", "beside"}
    assert (first["ref"], first["sender"], first["text"]) == (
        "telegram:1#1",
        "Ann",
        "the harbour opens at noon",
    )
    assert (second["session"], second["seq"], second["sender"]) == ("telegram:2", 1, "7")
    assert first["score"] >= second["score"]


async def test_a_search_for_somebody_who_never_said_anything_leaves_no_trace(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await two_audiences(at)
        document = await at("memory-search", query="harbour", audience="person-bogus")

    assert document["hits"] == []
    assert not (tmp_path / "memory" / "person-bogus").exists()


@pytest.mark.parametrize("limit", [1, 10])
async def test_a_search_puts_what_was_said_before_its_quotation(tmp_path: Path, limit: int) -> None:
    turns = (
        say("The harbour opens at noon."),
        answer("Noted."),
        say("When does the harbour open?"),
        answer("You said when the harbour opens: “The harbour opens at noon.”"),
    )
    async with desk(tmp_path) as at:
        await keep(at, "telegram:1", *turns)
        document = await at("memory-search", query="harbour", limit=limit)
    scores = [hit["score"] for hit in document["hits"]]

    assert document["hits"][0]["ref"] == "telegram:1#1"
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    ("bounds", "refs"),
    [
        ({"limit": 1}, ["telegram:1#1"]),
        ({"audience": "person-bob"}, ["telegram:2#1"]),
        ({"session": "telegram:2"}, ["telegram:2#1"]),
        ({"session": "telegram:2", "audience": "person-owner"}, []),
        ({"audience": "person-nobody"}, []),
    ],
)
async def test_a_search_keeps_within_its_bounds(
    tmp_path: Path, bounds: dict[str, object], refs: list[str]
) -> None:
    async with desk(tmp_path) as at:
        await two_audiences(at)
        document = await at("memory-search", query="harbour noon", **bounds)

    assert [hit["ref"] for hit in document["hits"]] == refs


async def test_a_batch_answers_each_query_with_references_alone(tmp_path: Path) -> None:
    queries = [
        {"id": 7, "query": "harbour noon", "limit": 1},
        {"id": "b", "query": "harbour", "session": "telegram:2"},
        {"id": None, "query": "harbour", "session": "web:nobody"},
        {"query": ""},
    ]
    async with desk(tmp_path) as at:
        await two_audiences(at)
        [first, second, third, fourth] = (await at("memory-search-batch", queries=queries))["results"]

    assert first["id"] == 7
    assert [set(hit) for hit in first["hits"]] == [{"ref", "seq", "session", "score"}]
    assert [hit["ref"] for hit in second["hits"]] == ["telegram:2#1"]
    assert (third, fourth) == ({"id": None, "hits": []}, {"id": None, "hits": []})


async def test_a_batch_finds_what_single_searches_find(tmp_path: Path) -> None:
    texts = ["harbour", "noon", "closed harbour", "opens"]
    async with desk(tmp_path) as at:
        await two_audiences(at)
        single = [(await at("memory-search", query=text))["hits"] for text in texts]
        batch = await at("memory-search-batch", queries=[{"id": text, "query": text} for text in texts])

    assert [[hit["ref"] for hit in one["hits"]] for one in batch["results"]] == [
        [hit["ref"] for hit in hits] for hits in single
    ]


async def test_a_name_that_is_no_audience_is_refused(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        for operation in ("memory-search", "memory-show", "memory-reindex"):
            arguments = {"query": "x"} if operation == "memory-search" else {}
            with pytest.raises(OperationFailed, match="is no audience"):
                await at(operation, audience="../etc", **arguments)


async def test_memory_shows_claims_and_files_of_each_audience(tmp_path: Path) -> None:
    claim = {"id": "c1", "text": "the harbour opens at noon"}
    async with desk(tmp_path) as at:
        session = new_session("telegram:1", audience="person-owner")
        session.add(say())
        session.summary = {"key_facts": [claim]}
        await at.keep(session)
        folder = tmp_path / "memory" / "person-bob"
        folder.mkdir(parents=True)
        (folder / "MEMORY.md").write_text("- Likes tea.\n")
        (folder / "skills" / "tea").mkdir(parents=True)
        (folder / "skills" / "tea" / "SKILL.md").write_text("Three minutes.\n")
        (tmp_path / "memory" / "shared").mkdir()
        everything = await at("memory-show")
        bob = await at("memory-show", audience="person-bob")

    assert everything["audiences"] == [
        {
            "audience": "person-bob",
            "key_facts": [],
            "decisions": [],
            "open_questions": [],
            "files": {"MEMORY.md": "- Likes tea.", "skills/tea/SKILL.md": "Three minutes."},
        },
        {
            "audience": "person-owner",
            "key_facts": [claim],
            "decisions": [],
            "open_questions": [],
            "files": {},
        },
    ]
    assert bob["audiences"] == everything["audiences"][:1]


async def test_memory_of_nobody_is_refused_with_who_is_known(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await two_audiences(at)
        with pytest.raises(OperationFailed, match="known: person-bob, person-owner"):
            await at("memory-show", audience="person-bbo")


async def test_a_reference_is_explained_by_its_message(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await keep(at, "slack:C1#1.2", say("noon", sender_name="Ann"), answer("Good."), result("tide: 3 m"))
        told = await at("memory-why", ref="slack:C1#1.2#1")
        answered = await at("memory-why", ref="slack:C1#1.2#2")
        await at.stores.sessions.erase("slack:C1#1.2", [1])
        erased = await at("memory-why", ref="slack:C1#1.2#1")

    assert told == {
        "ref": "slack:C1#1.2#1",
        "reasons": [],
        "messages": [
            {"ref": "slack:C1#1.2#1", "text": "noon", "at": "2026-03-01T12:00:00Z", "sender": "Ann"}
        ],
    }
    assert answered["messages"][0]["sender"] == "assistant"
    assert (erased["messages"][0]["text"], erased["messages"][0]["erased"]) == ("", True)


@pytest.mark.parametrize(
    ("ref", "reason"),
    [("telegram:1#9", "there is no message"), ("c:7f3a", 'there is no memory "c:7f3a" of person-owner')],
)
async def test_a_reference_to_nothing_is_refused(tmp_path: Path, ref: str, reason: str) -> None:
    async with desk(tmp_path) as at:
        await two_audiences(at)
        with pytest.raises(OperationFailed, match=reason):
            await at("memory-why", ref=ref)


async def test_an_index_is_built_anew(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await two_audiences(at)
        known = await at("memory-audiences")
        await at("memory-search", query="harbour")
    for path in tmp_path.glob("memory/*/index.db"):
        path.write_bytes(b"no database")

    async with desk(tmp_path) as at:
        one = await at("memory-reindex", audience="person-bob")
        everybody = await at("memory-reindex")
        found = await at("memory-search", query="harbour")

    assert one == {
        "audiences": [{"audience": "person-bob", "sessions": 1, "messages": 1}],
        "unreadable": [],
    }
    assert everybody["audiences"] == known["audiences"]
    assert len(found["hits"]) == 2
