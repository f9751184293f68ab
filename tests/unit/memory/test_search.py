"""The index follows the sessions, whatever happens to either."""

import asyncio
import os
import random
import sqlite3
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.archive.search import Hit, SearchIndex
from memory.errors import StoreCorrupt, StoreUnavailable
from memory.messages import AssistantMessage, Message, UserMessage
from memory.sessions.manager import SessionManager
from memory.sessions.stores.base import SessionHead
from memory.sessions.stores.in_memory import InMemoryStore

START = datetime(2024, 3, 1, 9, tzinfo=UTC)
ANN, BEN = "person-ann", "person-ben"


class House:
    """Sessions with an index beside them."""

    def __init__(self, state: Path, sessions: SessionManager) -> None:
        self.state = state
        self.sessions = sessions
        self.aside: list[str] = []
        self.index = SearchIndex(state, sessions, settle=0, set_aside=self.aside.append)
        sessions.on_saved(self.index.saved)

    async def say(self, *texts: str, key: str = "telegram:1", audience: str = ANN) -> None:
        async with self.sessions.checkout(key, audience=audience) as session:
            for text in texts:
                at = START + timedelta(minutes=session.last_seq)
                session.add(UserMessage(content=text, at=at, sender="1001", sender_name="Ann"))
            await self.sessions.save(session)

    async def find(self, query: str, *, audience: str = ANN) -> list[str]:
        return [hit.text for hit in await self.index.search(audience, query)]

    def file(self, audience: str = ANN) -> Path:
        return self.state / "memory" / audience / "index.db"

    async def reopen(self) -> None:
        """The index as after a restart."""
        await self.index.close()
        self.index = SearchIndex(self.state, self.sessions, settle=0, set_aside=self.aside.append)


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    made = House(tmp_path, SessionManager(InMemoryStore()))
    yield made
    await made.index.close()


async def test_what_was_just_saved_is_found(house: House) -> None:
    await house.say("My hedgehog is called Tofu")

    assert await house.find("hedgehogs") == ["My hedgehog is called Tofu"]


async def test_what_stands_by_a_match_and_has_nothing_of_what_was_asked_is_told_apart(house: House) -> None:
    await house.say("Who has a hedgehog?", "Me, since Monday", "Its name is Tofu")

    by_word = {hit.text: hit.beside for hit in await house.index.search(ANN, "hedgehog")}
    by_day = {hit.text: hit.beside for hit in await house.index.search(ANN, "what was on 1 March 2024?")}

    assert by_word == {"Who has a hedgehog?": False, "Me, since Monday": True, "Its name is Tofu": True}
    assert set(by_day.values()) == {False}


async def test_a_hit_says_where_when_by_whom_and_how_surely(house: House) -> None:
    await house.say("Something else", "My hedgehog is called Tofu")

    hit = (await house.index.search(ANN, "hedgehog"))[0]
    expected = ("telegram:1#2", "telegram:1", 2, "Ann", "user", "owner", START + timedelta(minutes=1))

    assert (hit.ref, hit.session, hit.seq, hit.sender, hit.role, hit.provenance, hit.at) == expected
    assert 0 < hit.relevance < 1
    assert hit.score > 0


async def test_the_follower_indexes_what_is_saved_while_it_runs(house: House) -> None:
    async with asyncio.TaskGroup() as tasks:
        follower = tasks.create_task(house.index.run())
        await house.say("The lighthouse is red")
        async with asyncio.timeout(10):
            while not await house.index.search(ANN, "lighthouse", fresh=False):
                pass
        follower.cancel()

    assert await house.find("lighthouse") == ["The lighthouse is red"]


async def test_what_was_saved_while_nobody_followed_is_caught_up(house: House) -> None:
    await house.index.close()
    await house.say(*(f"Number {number} is a lighthouse" for number in range(450)))
    await house.reopen()

    await house.index.caught_up()

    assert len(await house.index.search(ANN, "lighthouse", limit=500)) == 450


async def test_a_restart_indexes_nothing_twice(house: House) -> None:
    await house.say("The lighthouse is red")
    await house.index.caught_up()
    await house.reopen()

    await house.index.caught_up()

    assert await house.find("lighthouse") == ["The lighthouse is red"]


async def test_assistants_are_indexed_and_messages_without_words_are_not(house: House) -> None:
    async with house.sessions.checkout("telegram:1", audience=ANN) as session:
        session.add(UserMessage(content="👍", at=START))
        session.add(AssistantMessage(content="", at=START))
        session.add(AssistantMessage(content="Take the ferry", at=START))
        await house.sessions.save(session)

    hits = await house.index.search(ANN, "ferry")

    assert [(hit.seq, hit.role) for hit in hits] == [(3, "assistant")]


@pytest.mark.parametrize("query", ["", "   ", "?!", "👍", "zebra", '"', "NOT ( AND", "a*", "x" * 5000])
async def test_a_query_that_finds_nothing_gives_nothing(house: House, query: str) -> None:
    await house.say("The lighthouse is red")

    assert await house.find(query) == []


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Does anybody play music?", "The musicians came by bus"),
        ("How was she injured?", "The injury is healing"),
        ("Когда придут учителя?", "Учителем стал сосед"),
    ],
)
async def test_a_kindred_word_is_found_behind_the_word_itself(house: House, query: str, text: str) -> None:
    await house.say("It rained", text, "The bus was late", query)

    assert (await house.find(query))[:2] == [query, text]


async def test_an_audience_that_never_spoke_has_nothing(house: House) -> None:
    assert await house.find("anything", audience="person-nobody") == []


async def test_erased_words_are_gone_from_the_file(house: House) -> None:
    await house.say("The secret is xylophone", "The secret is safe")
    await house.index.caught_up()

    await house.sessions.erase("telegram:1", [1])
    await house.index.forget(ANN)

    assert await house.find("secret xylophone") == ["The secret is safe"]
    assert b"xylophon" not in b"".join(path.read_bytes() for path in house.file().parent.iterdir())


async def test_an_erasure_that_nobody_told_is_noticed_at_the_next_start(house: House) -> None:
    await house.say("The secret is xylophone", "The secret is safe")
    await house.index.caught_up()
    await house.index.close()
    await house.sessions.erase("telegram:1", [1])
    await house.reopen()

    await house.index.caught_up()

    assert await house.find("xylophone") == []


async def test_a_deleted_session_is_no_longer_found(house: House) -> None:
    await house.say("The lighthouse is red", key="a")
    await house.say("The lighthouse is white", key="b")
    await house.index.caught_up()

    await house.sessions.delete("a")
    await house.index.caught_up()

    assert await house.find("lighthouse") == ["The lighthouse is white"]


async def test_a_session_that_is_deleted_before_it_is_indexed_leaves_no_trace(house: House) -> None:
    await house.say("The lighthouse is red", key="a")
    await house.say("The lighthouse is white", key="b")
    await house.sessions.delete("b")
    await house.index.caught_up()

    with sqlite3.connect(house.file()) as db:
        assert db.execute("SELECT key FROM sessions").fetchall() == [("a",)]


class Slow(InMemoryStore):
    """Tells which sessions there are as of a moment ago."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.answer = asyncio.Event(), asyncio.Event()
        self.answer.set()

    async def heads(self) -> list[SessionHead]:
        found = await super().heads()
        self.asked.set()
        await self.answer.wait()
        return found


async def test_a_session_that_is_deleted_while_the_files_are_compared_is_found_no_more(
    tmp_path: Path,
) -> None:
    store = Slow()
    house = House(tmp_path, SessionManager(store))
    await house.say("The lighthouse is red")
    await house.index.caught_up()
    store.asked.clear()
    store.answer.clear()
    comparing = asyncio.create_task(house.index.caught_up())
    await store.asked.wait()
    await house.sessions.delete("telegram:1")
    store.answer.set()
    await comparing

    assert await house.find("lighthouse") == []
    await house.index.close()


async def test_a_session_that_changes_its_audience_moves(house: House) -> None:
    await house.say("The lighthouse is red")
    await house.index.caught_up()

    await house.say("And tall", audience=BEN)
    await house.index.caught_up()

    assert await house.find("lighthouse") == []
    assert await house.find("lighthouse", audience=BEN) == ["The lighthouse is red", "And tall"]


@pytest.mark.parametrize("damage", [b"", b"this is no database at all" * 400])
async def test_a_damaged_file_is_rebuilt(house: House, damage: bytes) -> None:
    await house.say("The lighthouse is red")
    await house.index.caught_up()
    await house.index.close()
    house.file().write_bytes(damage)
    await house.reopen()

    await house.index.caught_up()

    assert await house.find("lighthouse") == ["The lighthouse is red"]


@pytest.mark.parametrize("ending", ["", "-wal"])
@pytest.mark.parametrize(
    ("lay", "kind"),
    [
        (Path.mkdir, "a directory"),
        (os.mkfifo, "a pipe"),
        (lambda path: path.symlink_to("/dev/null"), "a link"),
    ],
)
async def test_what_lies_in_the_place_of_a_file_is_set_aside_and_the_index_built_anew(
    house: House, lay: Callable[[Path], None], kind: str, ending: str
) -> None:
    await house.say("The lighthouse is red")
    await house.index.caught_up()
    await house.reopen()
    place = house.file().with_name("index.db" + ending)
    place.unlink(missing_ok=True)
    lay(place)

    assert await house.index.recall(ANN, "the lighthouse", max_tokens=400) == []
    assert await house.find("lighthouse") == ["The lighthouse is red"]
    assert len(house.aside) == 1
    assert (
        f"{place}: expected a plain file, found {kind}, which is now index.db{ending}.aside-"
        in house.aside[0]
    )
    assert len(list(house.file().parent.glob("*.aside-*"))) == 1


async def test_a_file_that_nobody_may_read_is_put_right(house: House) -> None:
    await house.say("The lighthouse is red")
    await house.index.caught_up()
    await house.reopen()
    house.file().chmod(0)

    assert await house.find("lighthouse") == ["The lighthouse is red"]
    assert house.file().stat().st_mode & 0o777 == 0o600  # root may read it all the same


async def test_a_file_in_the_place_of_the_audience_is_said_as_what_it_is(house: House) -> None:
    (house.state / "memory").mkdir()
    (house.state / "memory" / ANN).write_bytes(b"")

    with pytest.raises(StoreUnavailable, match=ANN):
        await house.find("lighthouse")


async def test_a_file_that_is_damaged_while_open_to_nobody_costs_no_search(house: House) -> None:
    await house.say("The lighthouse is red")
    await house.index.caught_up()
    await house.reopen()
    house.file().write_bytes(b"rubbish" * 1000)

    assert await house.index.search(ANN, "lighthouse", fresh=False) == []
    assert await house.find("lighthouse") == ["The lighthouse is red"]


async def test_a_file_that_cannot_be_told_that_it_is_whole_is_let_go_all_the_same(house: House) -> None:
    await house.say("My hedgehog is called Tofu")
    await house.find("hedgehog")
    with sqlite3.connect(house.file()) as other:
        other.execute("CREATE TRIGGER full BEFORE UPDATE ON facts BEGIN SELECT RAISE(ABORT, 'no room'); END")
    await house.reopen()
    with sqlite3.connect(house.file()) as other:
        other.execute("DROP TRIGGER full")

    assert await house.find("hedgehog") == ["My hedgehog is called Tofu"]


async def test_a_file_of_another_version_is_rebuilt(house: House) -> None:
    await house.say("The lighthouse is red")
    await house.index.caught_up()
    await house.index.close()
    with sqlite3.connect(house.file()) as other:
        other.execute("PRAGMA user_version = 99")
    other.close()
    await house.reopen()

    assert await house.find("lighthouse") == ["The lighthouse is red"]


async def test_a_rebuilt_index_answers_as_before(house: House) -> None:
    await house.say("The lighthouse is red", "The lighthouse keeper is old")
    before = await house.index.search(ANN, "old lighthouse")

    await house.index.rebuild()

    assert await house.index.search(ANN, "old lighthouse") == before


async def test_nothing_of_one_audience_changes_a_score_of_another(house: House) -> None:
    await house.say("The lighthouse is red", "The lighthouse keeper is old")
    before = await house.index.search(ANN, "old lighthouse")
    content = house.file().read_bytes()

    await house.say(*["old lighthouse"] * 50, key="telegram:2", audience=BEN)
    await house.index.caught_up()

    assert await house.index.search(ANN, "old lighthouse") == before
    assert house.file().read_bytes() == content
    assert {hit.session for hit in await house.index.search(BEN, "old lighthouse")} == {"telegram:2"}


async def test_a_session_without_an_audience_is_passed_over(house: House) -> None:
    await house.say("The lighthouse is red", audience="")
    await house.say("The lighthouse is white", key="telegram:2")

    assert await house.find("lighthouse") == ["The lighthouse is white"]


async def test_a_search_keeps_to_its_bounds(house: House) -> None:
    await house.say(*["The lighthouse is red"] * 300, key="a")
    await house.say("The lighthouse is white", "A lighthouse again", key="b")

    async def refs(**bounds: Any) -> list[str]:
        found: list[Hit] = await house.index.search(ANN, "lighthouse", limit=400, **bounds)
        return sorted(hit.ref for hit in found)

    assert await refs(session="b") == ["b#1", "b#2"]
    assert await refs(exclude=("a", 3)) == ["a#1", "a#2", "b#1", "b#2"]
    assert await refs(from_at=START + timedelta(minutes=299)) == ["a#300"]
    assert await refs(to_at=START) == ["a#1", "b#1"]


async def test_many_audiences_share_few_open_files(house: House) -> None:
    for number in range(80):
        await house.say(f"Lamp {number}", key=f"k:{number}", audience=f"person-p{number}")

    await house.index.caught_up()

    for number in range(80):
        assert await house.find("lamp", audience=f"person-p{number}") == [f"Lamp {number}"]


class HalfReadable:
    """Sessions of which one can't be read."""

    async def read(self, key: str, *, from_seq: int, to_seq: int) -> list[Message]:
        if key == "broken":
            raise StoreCorrupt("sessions/broken.jsonl: nothing of it can be read")
        return [UserMessage(content="The lighthouse is red", at=START, seq=1)]

    async def heads(self) -> list[SessionHead]:
        return [
            SessionHead(key=key, audience=ANN, last_seq=1, last_consolidated=0, tokens=0, updated_at=START)
            for key in ("broken", "whole")
        ]


async def test_a_session_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path, HalfReadable())
    await index.caught_up()

    assert [hit.session for hit in await index.search(ANN, "lighthouse")] == ["whole"]
    assert index.unreadable == {"broken"}
    await index.close()


async def test_any_message_is_found_by_its_own_words_among_two_thousand(house: House) -> None:
    rng = random.Random(11)
    words = ["the", "you", "and", "so", "is", "ok", "thanks", "really", "猫", "公园", "散步", "今天"]
    words += [f"{a}{b}" for a in ("ka", "lo", "mi", "tu", "re") for b in ("nor", "sil", "pat", "gem", "dov")]
    texts = list({" ".join(rng.choices(words, k=rng.randint(1, 12))) for _ in range(2300)})[:2000]
    await house.say(*texts)
    await house.index.caught_up()

    for seq in rng.sample(range(1, 2001), 150):
        hits = await house.index.search(ANN, texts[seq - 1], limit=20)
        assert seq in [hit.seq for hit in hits], texts[seq - 1]
