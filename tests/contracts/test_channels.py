"""What every channel must do; a new one adds one line to `RIGS`."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from channels.messages import Entrance
from tests.helpers.channel_rigs import RIGS, Rig
from tests.helpers.telegram_running import Received


@pytest.fixture(params=sorted(RIGS))
async def rig(request: pytest.FixtureRequest) -> AsyncIterator[Rig]:
    async with RIGS[request.param]() as made:
        yield made


@pytest.fixture
async def received(rig: Rig) -> AsyncIterator[Received]:
    inbox = Received()
    task = asyncio.create_task(rig.adapter.run(inbox))
    inbox.listening = task
    yield inbox
    await inbox.ended()


async def test_what_a_person_writes_is_received_in_order(rig: Rig, received: Received) -> None:
    for text in ("one", "two", "three"):
        await rig.say(text)
    messages = await received.count(3)

    assert [message.text for message in messages] == ["one", "two", "three"]


async def test_a_message_says_where_it_comes_from_and_leaves_the_session_to_intake(
    rig: Rig, received: Received
) -> None:
    await rig.say("hello")
    (message,) = await received.count(1)

    assert (message.channel, message.chat_id) == (rig.adapter.name, rig.chat_id)
    assert message.id.startswith(f"{rig.adapter.name}:")
    assert message.sender_id
    assert message.received_at.tzinfo is not None
    assert (message.session_key, message.person, message.entrance) == ("", None, Entrance.USER)


async def test_no_two_messages_have_the_same_id(rig: Rig, received: Received) -> None:
    await rig.say("same")
    await rig.say("same")
    messages = await received.count(2)

    assert len({message.id for message in messages}) == 2


async def test_a_part_is_shown_and_named(rig: Rig) -> None:
    sent = await rig.adapter.send(rig.part("an answer"))

    assert rig.shown() == ["an answer"]
    assert len(sent.ids) == 1


async def test_a_short_text_is_one_part(rig: Rig) -> None:
    assert rig.adapter.split("a *short* text") == ["a *short* text"]


async def test_each_part_of_a_long_text_is_one_message_and_nothing_is_lost(rig: Rig) -> None:
    text = "\n\n".join(f"Paragraph {number} {'word ' * 50}end." for number in range(60))
    parts = rig.adapter.split(text)
    sent = [await rig.adapter.send(rig.part(part, number=number)) for number, part in enumerate(parts)]

    assert [len(one.ids) for one in sent] == [1] * len(parts)
    assert "".join("".join(rig.shown()).split()) == "".join(text.split())


async def test_what_was_sent_twice_is_shown_once_where_the_platform_can_tell(rig: Rig) -> None:
    await rig.adapter.send(rig.part("once"))
    await rig.adapter.send(rig.part("once"))

    assert len(rig.shown()) == (1 if rig.adapter.abilities.idempotent_send else 2)


async def test_a_stream_ends_as_the_answer(rig: Rig) -> None:
    placeholder = await rig.adapter.open_stream(rig.part(""))
    await rig.adapter.update_stream(rig.part("The answ", placeholder=placeholder))
    await rig.adapter.send(rig.part("The answer.", placeholder=placeholder))

    assert rig.shown() == ["The answer."]


async def test_a_part_without_words_takes_its_placeholder_away_as_often_as_it_is_sent(rig: Rig) -> None:
    placeholder = await rig.adapter.open_stream(rig.part(""))
    if placeholder is not None:
        await rig.adapter.send(rig.part("", placeholder=placeholder))
        await rig.adapter.send(rig.part("", placeholder=placeholder))

    assert rig.shown() == []


async def test_typing_shows_no_message(rig: Rig) -> None:
    await rig.adapter.typing(rig.part(""))

    assert rig.shown() == []


async def test_a_channel_that_sent_is_healthy(rig: Rig, received: Received) -> None:
    await rig.say("hello")
    await received.count(1)
    await rig.adapter.send(rig.part("hello"))

    assert rig.adapter.health().ok


async def test_listening_ends_when_it_is_cancelled(rig: Rig) -> None:
    task = asyncio.create_task(rig.adapter.run(Received()))
    await rig.adapter.send(rig.part("meanwhile"))
    task.cancel()
    await asyncio.wait({task}, timeout=10)

    assert task.cancelled()


async def test_after_the_last_send_closing_lets_every_connection_go_and_may_be_repeated(
    rig: Rig, received: Received
) -> None:
    await rig.say("hello")
    await received.count(1)
    await rig.adapter.send(rig.part("bye"))
    await received.ended()
    await rig.adapter.close()
    await rig.adapter.close()
    async with asyncio.timeout(5):
        while rig.connections():  # noqa: ASYNC110 - a connection ends on the other side without a word
            await asyncio.sleep(0.01)

    assert rig.shown() == ["bye"]


async def test_what_was_never_used_is_closed_all_the_same(rig: Rig) -> None:
    await rig.adapter.close()

    assert rig.shown() == []
