"""The index gives messages vectors behind everybody's back, and goes by words where there are none."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.archive.scripted import ScriptedEmbedder
from memory.archive.search import SearchIndex
from memory.archive.vectors import pack, unpack
from memory.errors import EmbedderFailed
from memory.messages import UserMessage
from memory.sessions.manager import SessionManager
from memory.sessions.stores.in_memory import InMemoryStore

ANN, BEN = "person-ann", "person-ben"
START = datetime(2024, 3, 1, 9, tzinfo=UTC)
MEANINGS = {"puppy": "dog", "hound": "dog"}


class House:
    """Sessions, an index beside them, and a model of meaning that the test steers."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.sessions = SessionManager(InMemoryStore())
        self.embedder = ScriptedEmbedder(meanings=MEANINGS)
        self.failures: list[str] = []
        self.index = self.open()

    def open(self, embedder: ScriptedEmbedder | None = None) -> SearchIndex:
        self.embedder = embedder or self.embedder
        self.index = SearchIndex(
            self.state,
            self.sessions,
            settle=0,
            embedder=self.embedder,
            embedder_failed=self.failures.append,
        )
        self.sessions.on_saved(self.index.saved)
        return self.index

    async def reopen(self, embedder: ScriptedEmbedder | None = None) -> None:
        await self.index.close()
        self.open(embedder)

    async def say(self, *texts: str, key: str = "telegram:1", audience: str = ANN) -> None:
        async with self.sessions.checkout(key, audience=audience) as session:
            for text in texts:
                at = START + timedelta(minutes=session.last_seq)
                session.add(UserMessage(content=text, at=at, sender="1001", sender_name="Ann"))
            await self.sessions.save(session)

    async def embed(self, audience: str = ANN) -> None:
        await self.index.caught_up()
        await self.index.embedded(audience)

    async def find(self, query: str, *, audience: str = ANN) -> list[str]:
        return [hit.text for hit in await self.index.search(audience, query)]

    def rows(self, audience: str = ANN) -> int:
        path = self.state / "memory" / audience / "index.db"
        with sqlite3.connect(path) as db:
            return int(db.execute("SELECT count(*) FROM vectors").fetchone()[0])


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    made = House(tmp_path)
    yield made
    await made.index.close()


async def test_a_message_is_found_by_what_it_means(house: House) -> None:
    await house.say("Lunch at noon", "Our hound sleeps", "The kettle is loud")
    await house.embed()

    assert (await house.find("puppy"))[0] == "Our hound sleeps"


async def test_what_is_found_by_its_meaning_does_not_merely_stand_by_a_match(house: House) -> None:
    await house.say("The kettle is loud", "Our hound sleeps", "Fine")
    await house.embed()
    beside = {hit.text: hit.beside for hit in await house.index.search(ANN, "puppy")}

    assert beside["Our hound sleeps"] is False
    assert beside.get("Fine", True) is True


async def test_a_message_without_a_vector_is_found_by_its_words(house: House) -> None:
    await house.say("Our hound sleeps")
    await house.embed()
    house.embedder.refuses = "lighthouse"
    await house.say("The lighthouse is red", "The kettle is loud")
    await house.embed()

    assert house.rows() == 2
    assert (await house.find("lighthouse"))[0] == "The lighthouse is red"


async def test_words_stand_before_meaning(house: House) -> None:
    await house.say("Our hound sleeps", "The kettle is loud")
    await house.say("A puppy has come", key="telegram:2")
    await house.embed()

    assert await house.find("puppy") == ["A puppy has come", "Our hound sleeps", "The kettle is loud"]


async def test_without_an_embedder_the_file_has_no_place_for_vectors(tmp_path: Path) -> None:
    sessions = SessionManager(InMemoryStore())
    index = SearchIndex(tmp_path, sessions)
    async with sessions.checkout("telegram:1", audience=ANN) as session:
        session.add(UserMessage(content="Our hound sleeps", at=START))
        await sessions.save(session)
    await index.caught_up()
    await index.embedded(ANN)
    await index.close()
    with sqlite3.connect(tmp_path / "memory" / ANN / "index.db") as db:
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}

    assert not [name for name in tables if "vector" in name]


async def test_the_follower_gives_vectors_to_what_is_saved_while_it_runs(house: House) -> None:
    async with asyncio.TaskGroup() as tasks:
        follower = tasks.create_task(house.index.run())
        await house.say("Our hound sleeps")
        async with asyncio.timeout(10):
            while (await house.find("puppy"))[:1] != ["Our hound sleeps"]:
                pass
        follower.cancel()

    assert [text for text in house.embedder.texts if text != "puppy"] == ["Ann: Our hound sleeps"]


async def test_a_restart_embeds_nothing_twice_and_what_was_missing(house: House) -> None:
    await house.say("Our hound sleeps")
    await house.embed()
    await house.say("The kettle is loud")
    await house.index.caught_up()
    house.embedder.texts.clear()
    await house.reopen()
    await house.embed()

    assert house.embedder.texts == ["Ann: The kettle is loud"]


async def test_more_messages_than_one_turn_takes_are_all_embedded(house: House) -> None:
    await house.say(*(f"Number {number} is a lighthouse" for number in range(450)))
    await house.embed()

    assert house.rows() == 450


async def test_another_model_makes_every_vector_anew(house: House) -> None:
    await house.say("Our hound sleeps", "The kettle is loud")
    await house.embed()
    other = ScriptedEmbedder(name="other", meanings=MEANINGS)
    await house.reopen(other)
    await house.embed()

    assert sorted(other.texts) == ["Ann: Our hound sleeps", "Ann: The kettle is loud"]
    assert (await house.find("puppy"))[0] == "Our hound sleeps"


async def test_a_model_that_changed_its_size_behind_its_name_makes_every_vector_anew(house: House) -> None:
    await house.say("Our hound sleeps")
    await house.embed()
    larger = ScriptedEmbedder(meanings=MEANINGS, size=96)
    await house.reopen(larger)

    assert await house.find("puppy") == []

    await house.say("The kettle is loud")
    await house.embed()

    assert house.rows() == 2
    assert (await house.find("puppy"))[0] == "Our hound sleeps"


async def test_a_rebuild_makes_vectors_anew(house: House) -> None:
    await house.say("Our hound sleeps")
    await house.embed()
    house.embedder.texts.clear()

    await house.index.rebuild(ANN)

    assert house.embedder.texts == ["Ann: Our hound sleeps"]


async def test_a_rebuild_says_that_vectors_cannot_be_made_and_words_are_found(house: House) -> None:
    await house.say("Our hound sleeps")
    house.embedder.problem = "the model is gone"

    with pytest.raises(EmbedderFailed, match="gone"):
        await house.index.rebuild(ANN)

    assert await house.find("hound") == ["Our hound sleeps"]


async def test_what_is_forgotten_leaves_no_vector_and_the_others_keep_theirs(house: House) -> None:
    await house.say("Our hound sleeps", "The kettle is loud", "Lunch at noon")
    await house.embed()
    await house.sessions.erase("telegram:1", frozenset({2}))
    house.embedder.texts.clear()

    await house.index.forget(ANN)
    await house.index.embedded(ANN)

    assert house.rows() == 2
    assert house.embedder.texts == []
    assert (await house.find("puppy"))[0] == "Our hound sleeps"


async def test_vectors_outlive_the_end_of_another_session(house: House) -> None:
    await house.say("Our hound sleeps")
    await house.say("The kettle is loud", key="telegram:2")
    await house.embed()
    await house.sessions.delete("telegram:2")
    house.embedder.texts.clear()
    await house.embed()

    assert house.rows() == 1
    assert house.embedder.texts == []


async def test_vectors_come_back_to_no_place_that_was_removed(house: House) -> None:
    await house.say("Our hound sleeps")
    await house.embed()
    await house.sessions.delete("telegram:1")

    await house.index.forget(ANN)
    await house.index.drop(ANN)
    await house.index.embedded(ANN)

    assert not (house.state / "memory" / ANN / "index.db").exists()


async def test_nothing_crosses_audiences(house: House) -> None:
    await house.say("Our hound sleeps")
    await house.say("The kettle is loud", key="telegram:2", audience=BEN)
    await house.embed()
    before = await house.find("puppy")
    await house.say("A puppy for everybody", key="telegram:2", audience=BEN)
    await house.embed(BEN)

    assert await house.find("puppy") == before == ["Our hound sleeps"]
    assert "Our hound sleeps" not in await house.find("puppy", audience=BEN)


async def test_bounds_hold_for_what_is_alike_as_for_what_has_the_words(house: House) -> None:
    await house.say("Our hound sleeps")
    await house.say("That dog barks", key="telegram:2")
    await house.embed()
    inside = await house.index.search(ANN, "puppy", session="telegram:2")
    outside = await house.index.search(ANN, "puppy", exclude=("telegram:1", 1))
    later = await house.index.search(ANN, "puppy", from_at=START + timedelta(days=1))

    assert [hit.text for hit in inside] == ["That dog barks"]
    assert [hit.text for hit in outside] == ["That dog barks"]
    assert later == []


async def test_a_failure_is_told_once_and_again_after_it_has_worked(house: House) -> None:
    await house.say("Our hound sleeps", "The kettle is loud")
    house.embedder.problem = "no answer"
    await house.index.caught_up()
    for _ in range(2):
        with pytest.raises(EmbedderFailed):
            await house.index.embedded(ANN)
    found = await house.find("hound")
    house.embedder.problem = ""
    await house.index.embedded(ANN)
    house.embedder.problem = "no answer again"
    await house.say("Lunch at noon")
    with pytest.raises(EmbedderFailed):
        await house.embed()

    assert found[0] == "Our hound sleeps"
    assert house.failures == ["no answer", "no answer again"]


async def test_a_question_whose_vector_takes_too_long_is_looked_up_by_its_words(house: House) -> None:
    await house.say("Our hound sleeps")
    await house.embed()
    house.embedder.open.clear()
    async with asyncio.timeout(5):
        slow, at_once = await house.find("hound"), await house.find("hound sleeps")

    assert slow == at_once == ["Our hound sleeps"]
    assert len(house.failures) == 1


async def test_what_is_recalled_before_a_turn_waits_for_no_model(house: House) -> None:
    await house.say("Our hound is called Tofu")
    await house.embed()
    house.embedder.open.clear()
    hits = await house.index.recall(ANN, "hound called", max_tokens=400)

    assert [hit.text for hit in hits] == ["Our hound is called Tofu"]
    assert house.failures == []


async def test_a_model_that_hangs_delays_no_indexing(house: House) -> None:
    house.embedder.open.clear()
    async with asyncio.TaskGroup() as tasks:
        follower = tasks.create_task(house.index.run())
        await house.say("Our hound sleeps")
        async with asyncio.timeout(10):
            while not await house.index.recall(ANN, "hound sleeps?", max_tokens=400):
                pass
        follower.cancel()

    assert house.embedder.texts == []


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(-1e3, 1e3, width=32), min_size=1, max_size=40))
def test_a_packed_vector_keeps_its_direction_and_packs_to_the_same_again(vector: list[float]) -> None:
    kept = unpack(pack(vector))
    length = sum(number * number for number in vector) ** 0.5 or 1.0
    largest = max(map(abs, vector)) / length

    assert all(
        abs(one - other / length) <= largest / 200 + 1e-6 for one, other in zip(kept, vector, strict=True)
    )
    assert pack(unpack(pack(vector)))[4:] == pack(vector)[4:]
