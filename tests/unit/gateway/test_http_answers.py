from datetime import UTC, datetime

import pytest

from channels.messages import InboundMessage, Scope
from gateway.http.answers import StoredAnswers
from gateway.journal.in_memory import InMemoryJournal
from memory.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from memory.sessions.codec import tombstone
from memory.sessions.manager import SessionManager
from memory.sessions.stores.in_memory import InMemoryStore

AT = datetime(2026, 1, 1, tzinfo=UTC)


def asked(name: str) -> InboundMessage:
    return InboundMessage(
        id=f"web:desk/{name}", channel="web", chat_id="desk", sender_id="ann", text="", received_at=AT
    )


def question(name: str, *, turn: str) -> UserMessage:
    return UserMessage(content=name, at=AT, source_id=f"web:desk/{name}", turn=f"web:desk/{turn}")


def answer(text: str, *, turn: str) -> AssistantMessage:
    return AssistantMessage(content=text, at=AT, turn=f"web:desk/{turn}")


async def answers_in(*messages: Message) -> StoredAnswers:
    sessions = SessionManager(InMemoryStore())
    async with sessions.checkout("web:desk", audience="person-ann") as session:
        for message in messages:
            session.add(message)
        await sessions.save(session)
    return StoredAnswers(InMemoryJournal(), sessions, scope=Scope.THREAD)


async def test_an_answer_is_found_far_back_and_names_all_that_it_answered() -> None:
    later = [
        message
        for number in range(300)
        for message in (question(f"q{number}", turn=f"q{number}"), answer("x", turn=f"q{number}"))
    ]
    answers = await answers_in(
        question("a", turn="a"), question("b", turn="a"), answer("both", turn="a"), *later
    )
    found = await answers.answer_to(asked("a"))

    assert found is not None
    assert (found.id, found.text, found.seq) == ("web:desk/a", "both", 3)
    assert found.answers == ("web:desk/b", "web:desk/a")


async def test_a_turns_rounds_are_not_its_answer() -> None:
    call = ToolCall(id="c", name="echo", arguments="{}")
    answers = await answers_in(
        question("a", turn="a"),
        AssistantMessage(content="let me see", at=AT, turn="web:desk/a", tool_calls=(call,)),
        ToolMessage(content="7", at=AT, turn="web:desk/a", tool_call_id="c", name="echo"),
        answer("it is 7", turn="a"),
        question("b", turn="b"),
    )
    found = await answers.answer_to(asked("a"))

    assert found is not None
    assert found.text == "it is 7"
    assert await answers.answer_to(asked("b")) is None
    assert await answers.answer_to(asked("c")) is None


@pytest.mark.parametrize("gone", [0, 1])
async def test_a_forgotten_message_or_answer_has_no_answer_under_any_words(gone: int) -> None:
    stored: list[Message] = [question("a", turn="a"), answer("yes", turn="a")]
    stored[gone] = tombstone(stored[gone])
    answers = await answers_in(*stored)

    assert await answers.answer_to(asked("a")) is None
