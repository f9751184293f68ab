"""What waits, and what is dropped meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from channels.adapter import Sent
from channels.errors import ChannelError, DeliveryFailed, DeliveryRejected
from channels.loopback import LoopbackAdapter
from channels.messages import OutboundMessage
from gateway.delivery import Delivery
from gateway.journal.in_memory import InMemoryJournal
from gateway.service.clock import ManualClock, SystemClock


class Doorbell(LoopbackAdapter):
    """A platform where nobody is at home in some chats until a test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.away: dict[str, asyncio.Event] = {}
        self.refused = 0

    async def send(self, message: OutboundMessage) -> Sent:
        if message.chat_id in self.away:
            self.refused += 1
            raise DeliveryFailed("nobody is there", until=self.away[message.chat_id])
        return await super().send(message)

    def come_home(self, chat_id: str) -> None:
        self.away.pop(chat_id).set()


def part(turn: str, *, chat_id: str) -> OutboundMessage:
    return OutboundMessage(id=turn, channel="loopback", chat_id=chat_id, text=turn, answers=(turn,))


async def test_what_nobody_takes_waits_without_trying_and_holds_up_neither_others_nor_the_end() -> None:
    journal, adapter = InMemoryJournal(), Doorbell()
    delivery = Delivery(journal, {"loopback": adapter}, clock=SystemClock())
    adapter.away["a"] = asyncio.Event()
    parts = [part("1", chat_id="a"), part("2", chat_id="a"), part("3", chat_id="b")]
    await journal.respond(answered=[], replies=parts)
    running = asyncio.create_task(delivery.run())
    await adapter.reply_to("3", chat_id="b")
    await delivery.drain()
    waiting = [(entry.id, entry.attempts) for entry in await journal.due()]
    tries = adapter.refused
    adapter.come_home("a")
    await adapter.reply_to("2", chat_id="a")
    await delivery.drain()
    running.cancel()
    await asyncio.wait({running})

    assert waiting == [("1/0", 0), ("2/0", 0)]
    assert tries == 1
    assert [message.text for message in adapter.sent("a")] == ["1", "2"]
    assert await journal.due() == []


class Wire(LoopbackAdapter):
    """A platform whose every send is under way until it is answered, with an error or well."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: asyncio.Queue[ChannelError | None] = asyncio.Queue()
        self.under_way: asyncio.Queue[str] = asyncio.Queue()

    async def send(self, message: OutboundMessage) -> Sent:
        self.under_way.put_nowait(message.text)
        error = await self.answers.get()
        if error is not None:
            raise error
        return await super().send(message)

    @property
    def shown(self) -> list[str]:
        return [message.text for message in self.sent("a")]


@asynccontextmanager
async def owing(adapter: LoopbackAdapter, *turns: str) -> AsyncIterator[tuple[Delivery, InMemoryJournal]]:
    """A delivery that runs, owes these turns to chat `a`, and whose time stands still."""
    journal = InMemoryJournal()
    delivery = Delivery(journal, {"loopback": adapter}, clock=ManualClock())
    await journal.respond(answered=[], replies=[part(turn, chat_id="a") for turn in turns])
    running = asyncio.create_task(delivery.run())
    yield delivery, journal
    running.cancel()
    await asyncio.wait({running})


async def test_what_is_dropped_behind_another_is_not_sent() -> None:
    wire = Wire()
    async with owing(wire, "1", "2", "3") as (delivery, journal):
        await wire.under_way.get()
        await journal.drop("2/0")
        wire.answers.put_nowait(None)
        wire.answers.put_nowait(None)
        await delivery.drain()

    assert wire.shown == ["1", "3"]


async def test_what_is_dropped_before_its_time_lets_the_next_one_go_at_once() -> None:
    wire = Wire()
    async with owing(wire, "1", "2") as (delivery, journal):
        wire.answers.put_nowait(DeliveryFailed("flood", retry_after=600))
        await delivery.drain()
        wire.answers.put_nowait(None)
        await journal.drop("1/0")
        await delivery.clear(("loopback", "a"))

    assert wire.shown == ["2"]


async def test_what_is_dropped_while_nobody_is_there_is_not_waited_for() -> None:
    bell = Doorbell()
    bell.away["a"] = asyncio.Event()
    async with owing(bell, "1") as (delivery, journal):
        await delivery.drain()
        await journal.drop("1/0")
        await delivery.clear(("loopback", "a"))

    assert bell.refused == 1


@pytest.mark.parametrize("error", [None, DeliveryFailed("hung up"), DeliveryRejected("blocked")])
async def test_what_is_dropped_on_the_wire_is_not_sent_again(error: ChannelError | None) -> None:
    wire = Wire()
    async with owing(wire, "1") as (delivery, journal):
        await wire.under_way.get()
        dropped = await journal.drop("1/0")
        wire.answers.put_nowait(error)
        await delivery.clear(("loopback", "a"))

    assert dropped
    assert wire.under_way.empty()
    assert await journal.entries() == []


async def test_what_is_dropped_before_the_start_is_not_sent() -> None:
    wire, journal = Wire(), InMemoryJournal()
    delivery = Delivery(journal, {"loopback": wire}, clock=SystemClock())
    message = part("1", chat_id="a")
    await journal.respond(answered=[], replies=[message])
    delivery.deliver([message])
    await journal.drop("1/0")
    running = asyncio.create_task(delivery.run())
    await delivery.clear(("loopback", "a"))
    running.cancel()
    await asyncio.wait({running})

    assert wire.under_way.empty()
