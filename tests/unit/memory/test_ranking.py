"""What makes a message a better answer than another."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.archive.index import IndexFile
from memory.archive.lookup import Hit, Request, look_up
from memory.archive.ranking import relevance
from memory.archive.schema import Batch
from memory.archive.scores import inverse_frequency
from memory.messages import AssistantMessage, Message, ToolMessage, UserMessage

START = datetime(2024, 3, 1, 9, tzinfo=UTC)
FILLER = ["The kettle is loud", "Trains were late again", "Lunch at noon", "The printer jams", "Rain all day"]


@pytest.fixture
def file(tmp_path: Path) -> Iterator[IndexFile]:
    opened = IndexFile(tmp_path / "index.db")
    yield opened
    opened.close()


def say(*texts: str, sender: str = "Ann", first: int = 1, at: datetime = START) -> list[Message]:
    """What a person says, a message a minute."""
    return [
        UserMessage(content=text, seq=seq, sender="1001", sender_name=sender, at=at + timedelta(minutes=seq))
        for seq, text in enumerate(texts, first)
    ]


def put(file: IndexFile, messages: Sequence[Message], *, key: str = "telegram:1") -> None:
    file.add([Batch(key=key, messages=messages, last_seq=messages[-1].seq, erasures=0)])


def find(file: IndexFile, query: str, *, now: datetime | None = None) -> list[Hit]:
    return look_up(file, request=Request(query=query, now=now))


def test_rare_words_count_more_than_common_ones() -> None:
    assert (
        inverse_frequency(1, of=1000) > inverse_frequency(100, of=1000) > inverse_frequency(1000, of=1000) > 0
    )


def test_relevance_grows_with_the_score_and_stays_below_one() -> None:
    nothing, some, half, most = (relevance(score, asked=5) for score in (0, 2, 5, 500))
    assert 0 == nothing < some < half == 0.5 < most < 1


def test_the_answer_is_found_by_the_words_of_the_question_before_it(file: IndexFile) -> None:
    put(file, say(*FILLER, "Which instrument do you practise?", "The cello, for years", *FILLER))

    assert "The cello, for years" in [hit.text for hit in find(file, "instrument practise")[:2]]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Which pets are there?", "Two kittens moved in"),
        ("What is the job of her daughter?", "A new career, as a pilot"),
        ("家人喜欢什么乐器？", "钢琴要调音了"),
    ],
)
def test_an_answer_is_found_that_says_another_word_for_what_is_asked(
    file: IndexFile, query: str, text: str
) -> None:
    put(file, say(*FILLER, text, *FILLER))

    assert find(file, query)[0].text == text


def test_the_word_that_is_asked_for_counts_more_than_another_one_for_it(file: IndexFile) -> None:
    put(file, say("A dog was there", *FILLER, "A puppy was there", *FILLER))

    assert find(file, "the puppy")[0].text == "A puppy was there"
    assert find(file, "the dog")[0].text == "A dog was there"


@pytest.mark.parametrize("query", ["What kind of tea is it?", "Which types of tea?", "How often is it tea?"])
def test_a_question_word_of_several_words_is_not_looked_for(file: IndexFile, query: str) -> None:
    put(file, say("They often type kind words", *FILLER, *FILLER, "Tea with mint", *FILLER))

    found = [hit.text for hit in find(file, query)]

    assert found[0] == "Tea with mint"
    assert "They often type kind words" not in found


def test_what_tells_stands_before_what_asks(file: IndexFile) -> None:
    put(file, say("Do you like hiking?", *FILLER, "I do like hiking", *FILLER))

    assert find(file, "like hiking")[0].text == "I do like hiking"


def test_the_one_whom_the_question_names_is_preferred(file: IndexFile) -> None:
    put(file, say("My violin is old"), key="a")
    put(file, say("My violin is new", sender="Ben"), key="b")

    assert find(file, "What violin does Ben have?")[0].sender == "Ben"
    assert find(file, "What violin does Ann have?")[0].sender == "Ann"


@pytest.mark.parametrize(
    ("query", "role"),
    [
        ("Which museum did you recommend?", "assistant"),
        ("the museum you told me about", "assistant"),
        ("What was your suggestion for a museum?", "assistant"),
        ("你给我推荐了哪个博物馆？", "assistant"),
        ("你曾经和我介绍过哪个博物馆？", "assistant"),
        ("Which museum did I mention to you?", "user"),
        ("Can you tell me which museum I like?", "user"),
        ("你还记得我喜欢哪个博物馆吗？", "user"),
        ("我和你分享过哪个博物馆？", "user"),
    ],
)
def test_a_question_prefers_the_words_of_whom_it_means(file: IndexFile, query: str, role: str) -> None:
    text = "The museum, 博物馆"
    put(file, say("Rain again", text), key="a")
    put(file, [AssistantMessage(content=text, seq=1, at=START + timedelta(minutes=2))], key="b")
    put(file, say("Rain again", text), key="c")

    assert find(file, query)[0].role == role


@pytest.mark.parametrize(
    "query", ["Which museum is nearest?", "Can you tell me about the museum?", "你能告诉我博物馆在哪里吗？"]
)
def test_a_question_that_means_nobody_in_particular_prefers_nobody(file: IndexFile, query: str) -> None:
    text = "The museum, 博物馆"
    put(file, say(text), key="a")
    put(file, [AssistantMessage(content=text, seq=1, at=START + timedelta(minutes=1))], key="b")

    said, answered = find(file, query)

    assert said.score == answered.score


def test_what_people_said_of_themselves_counts_in_full_where_they_asked_for_something(
    file: IndexFile,
) -> None:
    told = "My cat Tofu hates thunder and hides below the bed all night long, what could calm her"
    for key, text in enumerate([f"{told}?", f"{told}.", "Does my cat hate rain?", "Cats do hate my rain."]):
        put(file, say(text), key=str(key))

    hits = find(file, "What does my cat hate?")
    asked_too, told_alone, asked_alone, other = sorted(hits, key=lambda hit: hit.session)

    assert asked_too.score == told_alone.score
    assert asked_alone.score < other.score


def test_a_session_in_which_the_named_one_never_spoke_comes_later(file: IndexFile) -> None:
    put(file, [*say("Hello there"), *say("Paris was lovely", sender="Ben", first=2)], key="a")
    put(file, say("Paris was lovely", sender="Cleo"), key="b")

    assert find(file, "Ann in Paris")[0].session == "a"


def test_a_named_day_brings_forward_what_was_said_on_it(file: IndexFile) -> None:
    put(file, say("We had dinner with Omar"), key="a")
    put(file, say("We had dinner with Lena", at=START + timedelta(days=40)), key="b")

    assert find(file, "dinner on March 1", now=START + timedelta(days=90))[0].text.endswith("Omar")
    assert find(file, "dinner on April 10", now=START + timedelta(days=90))[0].text.endswith("Lena")


def test_a_named_day_is_found_without_any_of_the_words(file: IndexFile) -> None:
    put(file, say("Ran ten miles"), key="a")
    put(file, say("Stayed in bed", at=START + timedelta(days=30)), key="b")

    assert find(file, "what happened on 1 March 2024?")[0].text == "Ran ten miles"


@pytest.mark.parametrize(
    ("days_later", "text"),
    [
        (1, "Yesterday I ran ten miles"),
        (1, "昨天跑了十里"),
        (9, "On March 1 I ran ten miles"),
        (-1, "I run tomorrow"),
    ],
)
def test_a_named_day_is_found_in_what_was_told_of_it_on_another(
    file: IndexFile, days_later: int, text: str
) -> None:
    put(file, say(text, at=START + timedelta(days=days_later)), key="a")
    put(file, say("Stayed in bed", at=START + timedelta(days=30)), key="b")

    assert [hit.text for hit in find(file, "what happened on 1 March 2024?")] == [text]


def test_what_was_said_on_the_named_day_stands_before_what_was_told_of_it(file: IndexFile) -> None:
    put(file, say("We had dinner with Omar"), key="a")
    put(file, say("We had dinner yesterday", at=START + timedelta(days=1)), key="b")

    assert find(file, "dinner on 1 March 2024?")[0].session == "a"


def test_a_question_for_a_time_prefers_what_tells_one(file: IndexFile) -> None:
    put(file, say("We visited the lighthouse there", *FILLER, "We visited the lighthouse yesterday", *FILLER))

    assert find(file, "When did we visit the lighthouse?")[0].text.endswith("yesterday")


def test_the_output_of_a_tool_comes_after_what_was_said(file: IndexFile) -> None:
    at = START
    messages: list[Message] = [
        UserMessage(content="The invoice is from Hamburg", seq=1, at=at),
        ToolMessage(
            content="The invoice is from Hamburg",
            seq=2,
            at=at + timedelta(days=1),
            tool_call_id="c",
            name="x",
        ),
        AssistantMessage(content="", seq=3, at=at + timedelta(days=2)),
    ]
    put(file, messages)

    assert [hit.role for hit in find(file, "invoice Hamburg")] == ["user", "tool"]


def test_chinese_is_found_by_its_words(file: IndexFile) -> None:
    put(file, say("我去了绿湖公园散步", "今天下雨", "晚上吃了面条", "我的猫叫豆腐"))

    assert find(file, "我在哪个公园散步？")[0].seq == 1
    assert find(file, "猫")[0].seq == 4


def test_what_is_quoted_comes_first_whatever_stands_around(file: IndexFile) -> None:
    put(file, say("So it goes", *FILLER, "And so it goes on and on", *FILLER, "it goes so"))

    assert find(file, "So it goes")[0].seq == 1
