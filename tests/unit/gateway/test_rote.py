"""Rote quotes what people said, and nothing else."""

from datetime import timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.errors import LLMRejected
from gateway.llm.client import Prompt
from gateway.llm.rote import RoteLLM
from gateway.llm.rote.questions import asked, asks, told
from gateway.llm.rote.reminders import Wish, wish_in
from gateway.llm.rote.terms import question_terms, terms
from gateway.tools.when import read_when
from gateway.tools.when_chinese import read_chinese
from memory.messages import Message, Provenance
from tests.helpers.prompts import NOON, assistant, conversation, passage, prompt, user

DENTIST = "My dentist is Dr. Okafor, on 12 March."
QUESTION = "When is my dentist appointment?"


async def answer(request: Prompt) -> str:
    return (await RoteLLM().complete(request)).text


async def test_a_question_is_answered_with_the_message_its_time_and_its_reference() -> None:
    said = await answer(prompt(*conversation([DENTIST], question=QUESTION)))

    assert f"“{DENTIST}”" in said
    assert "2026-03-01 12:01 UTC, terminal:main#1" in said


async def test_three_hundred_other_messages_hide_nothing() -> None:
    others = [
        f"Item {number}: the garden needs {number % 7} bags of type {number % 5} soil."
        for number in range(300)
    ]

    said = await answer(prompt(*conversation([DENTIST, *others], question=QUESTION)))

    assert "terminal:main#1)" in said
    assert "Item" not in said


async def test_what_is_out_of_view_is_quoted_from_the_passages() -> None:
    said = await answer(prompt(user(QUESTION, seq=900), passages=[passage("web:home#7", DENTIST)]))

    assert said.endswith(f"“{DENTIST}” (Ann, 2026-03-01 12:00 UTC, web:home#7)")


async def test_times_are_shown_in_the_zone_of_the_person() -> None:
    now = NOON.astimezone(timezone(timedelta(hours=2), "CEST"))

    said = await answer(prompt(*conversation([DENTIST], question=QUESTION), now=now))

    assert "2026-03-01 14:01 CEST" in said


@pytest.mark.parametrize(
    ("text", "when", "what"),
    [
        ("remind me tomorrow at 9 to call Bob", "tomorrow at 9", "call Bob"),
        ("Please remind me to call Bob tomorrow at 9am.", "tomorrow at 9am", "call Bob"),
        ("Can you remind me in 20 minutes about the oven?", "in 20 minutes", "the oven"),
        ("Remind me at 18:30 tomorrow that the shop closes", "tomorrow at 18:30", "the shop closes"),
        ("remind me every friday at 17:00 to write the report", "every friday at 17:00", "write the report"),
        ("Remind me to water the plants on Friday", "on friday", "water the plants"),
        ("Remind me on 2030-05-01, 9:15 to renew it", "on 2030-05-01 9:15", "renew it"),
        ("20分钟后提醒我关火", "20分钟后", "关火"),
        ("提醒我明天下午3点半给王医生打电话。", "明天下午3点半", "给王医生打电话"),
        ("明天9:05提醒我去开会", "明天9:05", "开会"),
        ("请在下周一上午九点提醒我交报告", "下周一上午九点", "交报告"),
        ("每天早上八点提醒我吃药", "每天早上八点", "吃药"),
        ("Remind me to call Ann", "", "Remind me to call Ann"),
        ("提醒我买牛奶", "", "提醒我买牛奶"),
    ],
)
def test_a_reminder_is_understood_as_people_say_it(text: str, when: str, what: str) -> None:
    assert wish_in(text) == Wish(when=when, what=what)
    zone = ZoneInfo("UTC")
    known = read_when(when, now=NOON, zone=zone) or read_chinese(when, now=NOON, zone=zone)
    assert not when or (known is not None and known[1] == "")


@pytest.mark.parametrize(
    "text",
    [
        "Remind me about the dentist", "Remind me when the dentist is", "She reminded me at 9 to call", "提醒我一下牙医是谁",
        "what did I ask you to remind me of?", "",
    ],
)  # fmt: skip
def test_what_asks_for_no_reminder_is_none(text: str) -> None:
    assert wish_in(text) is None


async def test_chinese_is_asked_and_answered() -> None:
    told_before = ["我的牙医是王医生，三月十二日。", "周末想去爬山。"]

    said = await answer(prompt(*conversation(told_before, question="我的牙医预约是什么时候？")))

    assert "“我的牙医是王医生，三月十二日。”" in said
    assert "爬山" not in said


@pytest.mark.parametrize("question", ["What is my blood type?", "我妹妹叫什么名字？", "Who?"])
async def test_what_was_never_said_is_not_found(question: str) -> None:
    said = await answer(prompt(*conversation([DENTIST, "我的牙医是王医生。"], question=question)))

    assert "“" not in said
    assert "nothing" in said or "没有找到" in said


async def test_neither_questions_nor_its_own_answers_are_facts() -> None:
    messages: list[Message] = [
        user(QUESTION, seq=1),
        assistant("Your dentist appointment is tomorrow.", seq=2),
        user("Tell me about the dentist appointment", seq=3),
        assistant("The dentist appointment was cancelled.", seq=4),
        user(QUESTION, seq=5),
    ]
    passages = [
        passage("web:a#1", "Is the dentist appointment on Monday?"),
        passage(
            "web:a#2", "Your dentist appointment is on Monday.", sender="assistant", provenance="assistant"
        ),
        passage("terminal:main#5", QUESTION),
    ]

    said = await answer(prompt(*messages, passages=passages))

    assert said == "I find nothing about that in what I was told."


@pytest.mark.parametrize(
    "provenance", [Provenance.SUBAGENT, Provenance.WEB, Provenance.FILE, Provenance.TOOL]
)
async def test_words_that_no_person_said_are_not_quoted_as_told(provenance: Provenance) -> None:
    messages = conversation([DENTIST], question=QUESTION)

    said = await answer(prompt(user(DENTIST, seq=1, provenance=provenance), *messages[1:]))

    assert "Okafor" not in said


async def test_what_was_answered_to_is_not_the_persons_word() -> None:
    quoted = "[in reply to Mneme: Your dentist is Dr. Who.\nOr is it?]"
    reply = f"{quoted}\n\nNo, my dentist is Dr. Okafor."
    passages = [passage("web:home#7", quoted, sender="Mneme", provenance="stranger")]

    said = await answer(prompt(*conversation([reply], question="Who is my dentist?"), passages=passages))

    assert "“No, my dentist is Dr. Okafor.”" in said
    assert "Who." not in said


async def test_the_name_that_a_group_shows_is_not_part_of_the_quote() -> None:
    messages = conversation([f"Ann: {DENTIST}"], question=f"Bob: {QUESTION}")

    said = await answer(
        prompt(user(f"Ann: {DENTIST}", seq=1, sender_name="Ann"), *messages[1:], newest=QUESTION)
    )

    assert f"“{DENTIST}” (Ann, 2026-03-01 12:01 UTC, terminal:main#1)" in said


async def test_of_two_equal_messages_the_newer_comes_first() -> None:
    told_before = ["The boiler code is 1111.", "The boiler code is 2222."]

    said = await answer(prompt(*conversation(told_before, question="What is the boiler code?")))

    assert said.index("2222") < said.index("1111")
    assert said.startswith("I was told:")


@pytest.mark.parametrize(
    "question",
    [
        "What day is my next dentist appointment?",
        "Who is my dentist?",
        "when do I have to see the dentist this year",
    ],
)
async def test_words_that_only_shape_a_question_do_not_hide_the_answer(question: str) -> None:
    assert DENTIST in await answer(prompt(*conversation(["My name is Ann.", DENTIST], question=question)))


async def test_a_word_that_only_shapes_a_question_is_no_match() -> None:
    said = await answer(
        prompt(*conversation(["My name is Ann."], question="What is the name of my sister's cat?"))
    )

    assert "Ann" not in said
    assert "Ann" in await answer(prompt(*conversation(["My name is Ann."], question="What is my name?")))


async def test_a_partial_match_is_called_the_nearest() -> None:
    said = await answer(prompt(*conversation([DENTIST], question=QUESTION)))

    assert said.startswith("The nearest that I was told:")


async def test_what_is_told_in_the_same_breath_as_the_question_counts() -> None:
    said = await answer(prompt("My shoe size is 42.\n\nWhat is my shoe size?"))

    assert said == "I was told:\n\n“My shoe size is 42.” (just now)"


async def test_a_long_message_is_quoted_around_what_was_asked() -> None:
    long = "Nothing here matters. " * 100 + "The boiler code is 7731. " + "And so on. " * 100

    said = await answer(prompt(*conversation([long], question="What is the boiler code?")))

    assert "“… The boiler code is 7731." in said
    assert len(said) < 600


@pytest.mark.parametrize("text", [DENTIST, "x" * 10_000, "Will is my brother.", "What a day!"])
async def test_a_statement_is_noted_without_an_echo(text: str) -> None:
    assert await answer(prompt(text)) == "Noted."


async def test_a_greeting_says_what_rote_does() -> None:
    assert "quote" in await answer(prompt("Hello!"))
    assert "引用" in await answer(prompt("你好"))
    assert await answer(prompt("ok thanks!")) == "You're welcome."


async def test_a_subagents_result_is_passed_on() -> None:
    said = await answer(prompt(user("The answer is 42.", seq=1, provenance=Provenance.SUBAGENT)))

    assert said.endswith("The answer is 42.")


async def test_a_schema_is_refused() -> None:
    with pytest.raises(LLMRejected, match="can't fill a JSON schema"):
        await answer(prompt("Summarise.", schema={"type": "object"}))


@pytest.mark.parametrize(
    "sentence",
    [
        "When is it", "what's my name", "Who is Ann?", "do you know my address", "Could you find the recipe",
        "How many cats do I have", "tell me about Ann", "and where is the key?", "Is the shop open",
        "我住在哪里", "他是谁", "你记得吗", "密码是多少", "我的生日是什么时候", "为什么", "医生呢。",
    ],
)  # fmt: skip
def test_questions_are_known(sentence: str) -> None:
    assert asks(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "When I was in Berlin, I met Ann.", "Will is my brother.", "My dog is Rex.", "What a day!", "I know who did it.",
        "Where the old mill stood we had lunch.", "我住在上海。", "没什么", "他几天前到了。", "Remind me to call Ann.",
    ],
)  # fmt: skip
def test_statements_are_known(sentence: str) -> None:
    assert not asks(sentence)


def test_a_text_is_split_into_what_it_tells_and_what_it_asks() -> None:
    text = "The key is under the mat. Where is the key? 猫叫咪咪。猫叫什么？"

    assert told(text) == "The key is under the mat.\n猫叫咪咪。"
    assert asked(text) == "Where is the key?\n猫叫什么？"


async def test_a_form_that_no_rule_gives_is_found_as_the_search_finds_it() -> None:
    said = await answer(prompt(*conversation(["We bought a sofa."], question="What did we buy?")))

    assert said.startswith("I was told:\n\n“We bought a sofa.”")


def test_a_chinese_question_is_cut_where_known_words_stand() -> None:
    assert question_terms("牙医预约", known={"牙医"}) == {"牙医", "预约"}
    assert question_terms("新牙医", known={"牙医"}) == {"牙医"}


@settings(deadline=None, max_examples=60)
@given(texts=st.lists(st.text(max_size=60), max_size=6), question=st.text(max_size=40))
async def test_every_quote_stands_in_what_people_said(texts: list[str], question: str) -> None:
    said = await answer(prompt(*conversation(texts, question=question + "?")))

    quotes = [part[1 : part.rindex("”")] for part in said.split("\n\n") if part.startswith("“")]
    assert all(any(quote in text for text in [*texts, question]) for quote in quotes if "… " not in quote)


@given(st.text())
def test_any_text_has_terms(text: str) -> None:
    assert question_terms(text, known=terms(text)) <= terms(text) | {""}
