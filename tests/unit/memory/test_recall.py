"""What is put beside a new message without being asked for."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.archive.bounds import Bounds
from memory.archive.index import IndexFile
from memory.archive.lookup import Hit, Request
from memory.archive.recall import excerpt, fitting, recollect
from memory.archive.schema import Batch
from memory.archive.scores import QUICK
from memory.archive.search import SearchIndex
from memory.archive.terms import content_terms
from memory.messages import AssistantMessage, Message, Provenance, UserMessage
from memory.sessions.manager import SessionManager
from memory.sessions.stores.in_memory import InMemoryStore

START = datetime(2024, 3, 1, 9, tzinfo=UTC)
FILLER = ["The kettle is loud", "Trains were late again", "Lunch at noon", "The printer jams", "Rain all day"]
DENTIST = "My dentist is Dr. Okafor, on 12 March."
WHEN = "When is my dentist appointment?"


def words(text: str) -> int:
    return len(text.split())


def hit(text: str, *, seq: int = 1, tokens: int = 0) -> Hit:
    return Hit(
        ref=f"telegram:1#{seq}", session="telegram:1", seq=seq, score=5, relevance=0.8, text=text, tokens=tokens,
        at=START + timedelta(minutes=seq), sender="Ann", role="user", provenance=Provenance.OWNER,
    )  # fmt: skip


def fitted(hits: list[Hit], *, max_tokens: int = 400) -> list[str]:
    return [found.text for found in fitting(hits, wanted={"cat"}, max_tokens=max_tokens, count=words)]


LISBON = "My name is Marta and I live in Lisbon."


@pytest.fixture
def file(tmp_path: Path) -> Iterator[IndexFile]:
    opened = IndexFile(tmp_path / "index.db")
    yield opened
    opened.close()


def put(file: IndexFile, *said: str | Message, key: str = "telegram:1") -> None:
    """Words of the person, or messages as they are, a minute apart."""
    messages: Sequence[Message] = [
        UserMessage(content=each, seq=seq, at=START + timedelta(minutes=seq))
        if isinstance(each, str)
        else replace(each, seq=seq, at=START + timedelta(minutes=seq))
        for seq, each in enumerate(said, 1)
    ]
    file.add([Batch(key=key, messages=messages, last_seq=len(messages), erasures=0)])


def recalled(file: IndexFile, query: str) -> list[str]:
    request = Request(query=query, limit=8, bounds=Bounds(), effort=QUICK)
    found = recollect(file, request=request, wanted=frozenset(content_terms(query)), max_tokens=800)
    return [each.text for each in found]


def assistant(text: str) -> AssistantMessage:
    return AssistantMessage(content=text, at=START)


def test_passages_come_oldest_first(file: IndexFile) -> None:
    put(file, "The cat Tofu is grey", *FILLER, "Tofu, the cat, sleeps here", *FILLER)

    assert recalled(file, "the cat Tofu") == ["The cat Tofu is grey", "Tofu, the cat, sleeps here"]


def test_nothing_is_recalled_when_the_best_covers_little_of_the_message(file: IndexFile) -> None:
    put(file, *FILLER, "A ladder is in the shed", *FILLER)

    assert recalled(file, "ladder") != []
    assert recalled(file, "violin concert tickets abroad, bring a ladder to Lisbon tomorrow") == []


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Ottilie is in Gdansk since May.", "Where did Ottilie go?"),
        ("我的邮箱是 lan.tian@example.cn。", "我的邮箱地址是什么？"),
    ],
)
def test_one_rare_word_of_two_recalls_what_holds_it_also_in_a_short_history(
    file: IndexFile, said: str, asked: str
) -> None:
    chatter = [f"{filler}, and so on and on it goes {number}" for number in range(27) for filler in FILLER]
    put(file, said, *chatter)

    assert recalled(file, asked) == [said]


def test_what_is_much_weaker_than_the_best_is_left_out(file: IndexFile) -> None:
    put(file, "The grey cat Tofu hates thunder", *FILLER, *FILLER, "Thunder", *FILLER)

    assert recalled(file, "does the grey cat Tofu hate thunder") == ["The grey cat Tofu hates thunder"]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Which instrument did I practise daily in June?", "I practise the cello daily"),
        ("每天练什么乐器，准备好了吗？", "每天练一小时钢琴"),
    ],
)
def test_an_answer_is_recalled_that_says_another_word_for_what_is_asked(
    file: IndexFile, query: str, text: str
) -> None:
    put(file, *(f"Weather report number {number}" for number in range(400)), text)

    assert recalled(file, query) == [text]


def test_the_same_text_is_recalled_once(file: IndexFile) -> None:
    put(file, "The cat is Tofu", *FILLER, "the cat is tofu!", *FILLER)

    assert len(recalled(file, "cat")) == 1


def test_the_message_itself_is_no_memory_of_it(file: IndexFile) -> None:
    put(file, *FILLER, "The name of the CAT", *FILLER)

    assert recalled(file, "the name of the cat") == []


def test_a_question_that_asks_no_more_is_no_memory_of_it(file: IndexFile) -> None:
    put(file, *FILLER, "What's the name of my cat?")

    assert recalled(file, "the name of the cat, please") == []


def test_the_statement_is_recalled_although_the_question_was_asked_before(file: IndexFile) -> None:
    answer = assistant("Your dentist is Dr. Okafor, on 12 March.")
    put(file, *FILLER, DENTIST, assistant("Noted."), *FILLER, WHEN, answer, *FILLER, WHEN, answer)

    assert recalled(file, WHEN) == [DENTIST]


def test_what_the_assistant_repeats_gives_way_to_whom_it_repeats(file: IndexFile) -> None:
    echo = assistant("You said: my dentist is Dr. Okafor, on 12 March.")
    news = assistant("The dentist moved to Elm Street last year.")
    put(file, *FILLER, DENTIST, *FILLER, echo, *FILLER, news, *FILLER)

    assert recalled(file, "my dentist") == [DENTIST, news.content]


def test_an_answer_of_the_assistant_counts_where_nobody_else_said_it(file: IndexFile) -> None:
    answer = assistant("The capital of Peru is Lima.")
    put(file, *FILLER, "What's the capital of Peru?", answer, *FILLER)

    assert recalled(file, "the capital of Peru?") == [answer.content]


def test_what_everything_holds_recalls_nothing_by_itself(file: IndexFile) -> None:
    put(file, *(f"Weather report number {number}" for number in range(400)), "The weather mast fell")

    assert recalled(file, "weather report") == []
    assert recalled(file, "weather mast") == ["The weather mast fell"]


def test_one_word_that_stands_everywhere_recalls_nothing_by_itself(file: IndexFile) -> None:
    put(file, *(f"We work on part {number}" if number % 3 else f"Tea, cup {number}" for number in range(150)))

    assert recalled(file, "thanks, that worked") == []
    assert "We work on part 40" in recalled(file, "do we work on part 40?")


def test_common_words_recall_what_holds_them_together(file: IndexFile) -> None:
    things = ("harbour", "festival", "lamp", "ladder", "violin")
    said = [f"The {thing} is number {number}" for thing in things for number in range(165)]
    put(file, *said, "The harbour festival is in June", *FILLER)

    assert recalled(file, "harbour festival") == ["The harbour festival is in June"]


def test_the_cap_holds_and_a_shorter_passage_may_still_fit() -> None:
    fitting_ones = [hit("one cat " * 40), hit("two cat " * 40, seq=2)]
    hits = [*fitting_ones, hit("three cat " * 40, seq=3), hit("the cat", seq=4)]

    assert fitted(hits, max_tokens=235) == [*(found.text for found in fitting_ones), "the cat"]


def test_tokens_that_were_counted_are_not_counted_again() -> None:
    def never(text: str) -> int:
        raise AssertionError(text)

    assert fitting([hit("the cat", tokens=9)], wanted={"cat"}, max_tokens=400, count=never) != []


def test_a_long_text_is_cut_to_the_sentences_that_matter() -> None:
    text = "First of all hello. " * 20 + "The cat is called Tofu. " + "And so on and on. " * 20

    cut = excerpt(text, wanted={"cat"}, max_tokens=12, count=words)

    assert cut.startswith("…The cat is called Tofu.") or "The cat is called Tofu." in cut
    assert words(cut) <= 13


def test_a_text_without_a_sentence_that_fits_is_left_out() -> None:
    assert excerpt("cat " * 500, wanted={"cat"}, max_tokens=20, count=words) == ""


@pytest.mark.parametrize("message", ["hello there", "thanks, good night!", "好的，谢谢", "ok"])
async def test_a_courtesy_recalls_nothing(tmp_path: Path, message: str) -> None:
    sessions = SessionManager(InMemoryStore())
    index = SearchIndex(tmp_path, sessions)
    async with sessions.checkout("telegram:1", audience="person-ann") as session:
        session.add(UserMessage(content=message, at=START))
        await sessions.save(session)
    await index.caught_up()

    assert await index.recall("person-ann", message, max_tokens=200) == []
    await index.close()


@pytest.mark.parametrize("times", [1, 2, 3, 4, 7, 60, 300])
@pytest.mark.parametrize("reply", ["I find nothing about that.", f"I was told: “{LISBON}” (owner)"])
def test_a_question_that_was_asked_often_finds_what_it_found_at_first(
    file: IndexFile, times: int, reply: str
) -> None:
    put(file, LISBON, *FILLER)
    for number in range(times):
        put(file, "Where do I live?", assistant(reply), key=f"terminal:{number}")

    assert recalled(file, "Where do I live?") == [LISBON]


def test_an_answer_that_nobody_else_gave_is_recalled_also_when_it_was_asked_for_twice(
    file: IndexFile,
) -> None:
    answer = assistant("Try the pasta at Gino's.")
    put(
        file, "Where should we eat tonight?", answer, *FILLER, "Where should we eat tonight?", answer, *FILLER
    )

    assert "Try the pasta at Gino's." in recalled(file, "Where should we eat tonight?")


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


async def test_recall_looks_nowhere_when_the_model_sees_everything(tmp_path: Path) -> None:
    sessions = SessionManager(InMemoryStore())
    index = SearchIndex(tmp_path, sessions)
    sessions.on_saved(index.saved)
    await index.caught_up()
    async with sessions.checkout("telegram:1", audience="person-ann") as session:
        session.add(UserMessage(content="My cat is called Tofu", at=START))
        await sessions.save(session)

    assert await index.recall("person-ann", "cat", max_tokens=200, exclude=("telegram:1", 1)) == []
    assert not (tmp_path / "memory").exists()
    await index.close()


async def test_recall_looks_into_every_other_session(tmp_path: Path) -> None:
    sessions = SessionManager(InMemoryStore())
    index = SearchIndex(tmp_path, sessions)
    for key in ("telegram:1", "telegram:2"):
        async with sessions.checkout(key, audience="person-ann") as session:
            session.add(UserMessage(content=f"My cat is called Tofu {key}", at=START))
            await sessions.save(session)
    await index.caught_up()

    found = await index.recall("person-ann", "cat", max_tokens=200, exclude=("telegram:1", 1))

    assert [passage.session for passage in found] == ["telegram:2"]
    await index.close()
