"""What is put beside a new message without being asked for."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.archive.lookup import Hit
from memory.archive.recall import FLOOR, excerpt, passages_for
from memory.archive.search import SearchIndex
from memory.messages import Provenance, UserMessage
from memory.sessions.manager import SessionManager
from memory.sessions.stores.in_memory import InMemoryStore

START = datetime(2024, 3, 1, 9, tzinfo=UTC)
QUERY = "the name of the cat"


def words(text: str) -> int:
    return len(text.split())


def hit(text: str, *, seq: int = 1, score: float = 5.0, relevance: float = 0.8) -> Hit:
    return Hit(
        ref=f"telegram:1#{seq}", session="telegram:1", seq=seq, score=score, relevance=relevance, text=text,
        at=START + timedelta(minutes=seq), sender="Ann", role="user", provenance=Provenance.OWNER,
    )  # fmt: skip


def texts(hits: list[Hit], *, query: str = QUERY, max_tokens: int = 400) -> list[str]:
    return [found.text for found in passages_for(query, hits, max_tokens=max_tokens, count=words)]


def test_passages_come_oldest_first() -> None:
    assert texts([hit("the cat", seq=9), hit("a cat", seq=2)]) == ["a cat", "the cat"]


def test_nothing_is_recalled_when_the_best_is_below_the_floor() -> None:
    assert texts([hit("the cat", relevance=FLOOR - 0.01)]) == []


def test_what_is_much_weaker_than_the_best_is_left_out() -> None:
    assert texts([hit("the cat", score=9), hit("a dog", seq=2, score=2)]) == ["the cat"]


def test_the_same_text_is_recalled_once() -> None:
    assert texts([hit("The cat"), hit("the cat ", seq=2)]) == ["The cat"]


def test_the_message_itself_is_no_memory_of_it() -> None:
    assert texts([hit("the name of the CAT")]) == []


@pytest.mark.parametrize("query", ["hello there", "thanks, good night!", "好的，谢谢", "ok"])
def test_a_courtesy_recalls_nothing(query: str) -> None:
    assert texts([hit("the cat")], query=query) == []


def test_the_cap_holds_and_a_shorter_passage_may_still_fit() -> None:
    fitting = [hit("one cat " * 40), hit("two cat " * 40, seq=2)]
    hits = [*fitting, hit("three cat " * 40, seq=3), hit("the cat", seq=4)]

    assert texts(hits, max_tokens=235) == [*(found.text for found in fitting), "the cat"]


def test_a_long_text_is_cut_to_the_sentences_that_matter() -> None:
    text = "First of all hello. " * 20 + "The cat is called Tofu. " + "And so on and on. " * 20

    cut = excerpt(text, {"cat"}, max_tokens=12, count=words)

    assert cut.startswith("…The cat is called Tofu.") or "The cat is called Tofu." in cut
    assert words(cut) <= 13


def test_a_text_without_a_sentence_that_fits_is_left_out() -> None:
    assert excerpt("cat " * 500, {"cat"}, max_tokens=20, count=words) == ""


async def test_recall_leaves_out_what_the_model_sees_anyway(tmp_path: Path) -> None:
    sessions = SessionManager(InMemoryStore())
    index = SearchIndex(tmp_path, sessions)
    async with sessions.checkout("telegram:1", audience="person-ann") as session:
        for number, text in enumerate(["My cat is called Tofu", *["Rain again"] * 30, "My cat Tofu is ill"]):
            session.add(UserMessage(content=text, at=START + timedelta(minutes=number)))
        await sessions.save(session)
    await index.caught_up()

    found = await index.recall(
        "person-ann", "What is the cat called?", max_tokens=200, exclude=("telegram:1", 20)
    )
    nothing = await index.recall("person-ann", "Thanks!", max_tokens=200)

    assert [passage.seq for passage in found][:1] == [1]
    assert all(passage.seq < 20 for passage in found)
    assert nothing == []
    await index.close()
