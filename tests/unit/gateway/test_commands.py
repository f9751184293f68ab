from datetime import UTC, datetime

import pytest

from channels.messages import Entrance, InboundMessage
from gateway.turns.commands import Command, CommandContext, Commands, Rerun, parse
from memory.messages import AssistantMessage, Provenance, UserMessage
from memory.sessions.session import Session

AT = datetime(2026, 3, 1, tzinfo=UTC)


def inbound(text: str, *, entrance: Entrance = Entrance.USER, id: str = "x/9") -> InboundMessage:  # noqa: A002 - the field's name
    return InboundMessage(
        id=id, channel="x", chat_id="1", sender_id="1", text=text, received_at=AT, entrance=entrance
    )


def conversation(*turns: str) -> Session:
    session = Session(key="x:1", audience="person-owner", created_at=AT, updated_at=AT)
    for turn in turns:
        session.add(UserMessage(content=f"question {turn}", at=AT, turn=turn, source_id=turn))
        session.add(AssistantMessage(content=f"answer {turn}", at=AT, turn=turn))
    return session


async def run(text: str, session: Session, *, role: str = "owner") -> object:
    message = inbound(text)
    command = parse(message)
    assert command is not None
    context = CommandContext(
        session=session, message=message, argument=command.argument, role=role, language="en"
    )
    return await Commands({}).answer(command, context)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/new", Command(name="new", argument="")),
        ("/NEW@my_bot", Command(name="new", argument="")),
        ("/remind 20m tea", Command(name="remind", argument="20m tea")),
        ("/dream-log 3", Command(name="dream-log", argument="3")),
        ("/帮助", Command(name="帮助", argument="")),
        ("/élan now", Command(name="élan", argument="now")),
        ("/etc/hosts", None),
        ("/1", None),
        ("/ new", None),
        (" / ", Command(name="help", argument="")),
        ("see /new", None),
        ("", None),
    ],
)
def test_a_command_is_a_slash_and_a_word(text: str, command: Command | None) -> None:
    assert parse(inbound(text)) == command


def test_nobody_but_a_person_gives_commands() -> None:
    assert parse(inbound("/new", entrance=Entrance.SUBAGENT)) is None


async def test_undo_hides_one_turn_after_the_other() -> None:
    session = conversation("a", "b", "c")
    await run("/undo", session)
    session.metadata.clear()
    await run("/undo", session)

    assert [message.turn for message in session.visible()] == ["a", "a"]


async def test_undo_that_is_done_again_after_a_crash_hides_no_second_turn() -> None:
    session = conversation("a", "b")
    once = await run("/undo", session)
    again = await run("/undo", session)

    assert [message.turn for message in session.visible()] == ["a", "a"]
    assert again == once


async def test_undo_says_what_it_took_back() -> None:
    session = conversation("about a", "b " * 80)
    long = await run("/undo", session)
    session.metadata.clear()
    short = await run("/undo", session)
    session.add(UserMessage(content="[record]", at=AT, turn="r", provenance=Provenance.SUBAGENT))
    session.add(AssistantMessage(content="⏰ tea", at=AT, turn="r"))
    session.metadata.clear()
    reminder = await run("/undo", session)

    assert f"“question {'b ' * 35}b…”" in str(long)
    assert "“question about a”" in str(short)
    assert "“[record] ⏰ tea”" in str(reminder)


async def test_undo_with_nothing_there_says_so() -> None:
    assert "nothing" in str(await run("/undo", conversation()))


async def test_retry_asks_the_words_of_the_last_turn_again() -> None:
    session = conversation("a", "b")

    assert await run("/retry", session) == Rerun(text="question b")
    assert [message.turn for message in session.visible()] == ["a", "a"]


async def test_what_only_the_owner_may_do_is_refused_to_a_member() -> None:
    async def switch(_context: CommandContext) -> str:
        return "switched"

    message = inbound("/model other")
    answers = []
    for role in ("owner", "member"):
        context = CommandContext(
            session=conversation(), message=message, argument="other", role=role, language="en"
        )
        command = Command(name="model", argument="other")
        answers.append(await Commands({"model": switch}).answer(command, context))

    assert answers == ["switched", "Only the owner can do that."]
