"""`/model`: which model answers, which others there are, and another one for this conversation."""

from collections.abc import Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from channels.messages import InboundMessage
from gateway.llm.scripted import ScriptedLLM
from gateway.turns.commands import CommandContext
from gateway.turns.request import chosen_model
from gateway.turns.status import Models, status_handlers
from memory.sessions.session import Session

AT = datetime(2026, 3, 1, tzinfo=UTC)


def conversation() -> Session:
    return Session(key="x:1", audience="person-owner", created_at=AT, updated_at=AT)


def serving(*names: str) -> Models:
    """An endpoint that lists these."""

    async def models() -> Sequence[str]:
        return names

    return models


async def model(argument: str, models: Models | None, session: Session | None = None) -> str:
    """What the command says."""

    async def none(_session: str = "") -> int:
        return 0

    handlers = status_handlers(
        ScriptedLLM(),
        models=models,
        waiting=none,
        jobs=none,
        started_at=AT,
        zone=lambda _person: ZoneInfo("UTC"),
    )
    message = InboundMessage(id="x/1", channel="x", chat_id="1", sender_id="1", text="", received_at=AT)
    context = CommandContext(
        session=session or conversation(), message=message, argument=argument, role="owner", language="en"
    )
    return str(await handlers["model"](context))


async def test_it_says_which_others_there_are() -> None:
    many = [f"m{number}" for number in range(40)]

    assert "There are: a, b" in await model("", serving("a", "b"))
    assert (await model("", serving(*many))).endswith("m11, …")


@pytest.mark.parametrize("argument", ["", "a"])
async def test_where_one_alone_answers_there_is_nothing_to_choose(argument: str) -> None:
    assert await model(argument, None) == "scripted answers."


@pytest.mark.parametrize(
    ("argument", "chosen", "doubted"), [("a", "a", False), ("gpt-9", "gpt-9", True), ("default", "", False)]
)
async def test_one_that_the_endpoint_does_not_list_is_taken_and_doubted(
    argument: str, chosen: str, doubted: bool
) -> None:
    session = conversation()
    said = await model(argument, serving("a", "b"), session)

    assert chosen_model(session) == chosen
    assert said.startswith(f"From now on {chosen or 'scripted'} answers.")
    assert ("doesn't list it, though. There are: a, b" in said) is doubted


async def test_an_endpoint_that_lists_nothing_is_believed() -> None:
    assert await model("a", serving()) == "From now on a answers."
