import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from channels.adapter import Abilities, Sent
from channels.errors import DeliveryFailed, DeliveryRejected
from channels.loopback import LoopbackAdapter
from channels.messages import OutboundMessage
from gateway.delivery import PATIENCE, Delivery
from gateway.journal.base import OutboxStatus
from gateway.journal.in_memory import InMemoryJournal
from gateway.service.clock import ManualClock
from gateway.service.retry import Backoff
from tests.helpers.failing import failing


class TroubledAdapter(LoopbackAdapter):
    """Fails as it is told: `troubles` maps a chat to the errors of its next sends."""

    def __init__(self) -> None:
        super().__init__()
        self.abilities = Abilities()
        self.troubles: dict[str, list[Exception]] = {}
        self.order: list[str] = []

    async def send(self, message: OutboundMessage) -> Sent:
        if self.troubles.get(message.chat_id):
            raise self.troubles[message.chat_id].pop(0)
        self.order.append(message.text)
        return await super().send(message)


class HeldAdapter(TroubledAdapter):
    """Keeps what goes to the chat `other` on the wire until `open` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = asyncio.Event()
        self.open = asyncio.Event()

    async def send(self, message: OutboundMessage) -> Sent:
        if message.chat_id == "other":
            self.reached.set()
            await self.open.wait()
        return await super().send(message)


def part(turn: str, number: int = 0, *, chat_id: str = "main", channel: str = "loopback") -> OutboundMessage:
    return OutboundMessage(
        id=turn, part=number, channel=channel, chat_id=chat_id, text=f"{turn}/{number}", answers=(turn,)
    )


class Post:
    """A delivery with its journal, clock and adapter."""

    def __init__(self, adapter: TroubledAdapter | None = None) -> None:
        self.journal = InMemoryJournal()
        self.adapter = adapter or TroubledAdapter()
        self.clock = ManualClock()
        self.delivery = self.fresh()

    def fresh(self) -> Delivery:
        """A delivery after a restart."""
        backoff = Backoff(first=1.0, cap=60.0, jitter=0.0)
        return Delivery(self.journal, {"loopback": self.adapter}, clock=self.clock, backoff=backoff)

    async def owe(self, *parts: OutboundMessage) -> None:
        await self.journal.respond(answered=[], replies=parts)
        self.delivery.deliver(parts)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.delivery.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])


async def test_the_parts_of_a_chat_arrive_in_order() -> None:
    post = Post()
    async with post.running():
        await post.owe(part("a", 0), part("a", 1), part("b", 0))
        await post.delivery.drain()

    assert post.adapter.order == ["a/0", "a/1", "b/0"]
    assert await post.journal.due() == []


async def test_what_was_owed_before_a_restart_is_sent_first_and_once() -> None:
    post = Post()
    await post.journal.respond(answered=[], replies=[part("old")])
    async with post.running():
        await post.owe(part("new"))
        await post.delivery.drain()

    assert post.adapter.order == ["old/0", "new/0"]


async def test_what_is_given_up_takes_its_placeholder_away_before_what_follows() -> None:
    post = Post()
    post.adapter.troubles["main"] = [DeliveryRejected("refused")]
    async with post.running():
        await post.owe(replace(part("a"), placeholder="p1"))
        await post.delivery.drain()
        post.adapter.troubles["main"] = [DeliveryFailed("flood", retry_after=9)]
        await post.owe(replace(part("b"), placeholder="p2"), part("c"))
        await post.clock.slept_on()
        await post.journal.drop("b/0")
        await post.delivery.clear(("loopback", "main"))

    assert post.adapter.order == ["", "", "c/0"]


async def test_a_chat_that_must_wait_holds_up_nobody_else() -> None:
    post = Post()
    post.adapter.troubles["slow"] = [DeliveryFailed("flood", retry_after=120)]
    async with post.running():
        await post.owe(part("a", chat_id="slow"))
        await post.clock.slept_on()
        await post.owe(part("b", chat_id="quick"))
        await post.adapter.reply_to("b", chat_id="quick")
        before = list(post.adapter.order)
        await post.clock.advance(121)
        await post.delivery.drain()

    assert before == ["b/0"]
    assert post.adapter.order == ["b/0", "a/0"]


async def test_a_failed_part_is_tried_again_later_and_its_followers_wait_for_it() -> None:
    post = Post()
    post.adapter.troubles["main"] = [DeliveryFailed("network"), DeliveryFailed("network")]
    async with post.running():
        await post.owe(part("a", 0), part("a", 1))
        await post.clock.slept_on()
        await post.clock.advance(10)
        await post.delivery.drain()

    assert post.adapter.order == ["a/0", "a/1"]


async def test_what_is_refused_for_good_becomes_a_dead_letter_that_can_be_retried_or_dropped() -> None:
    post = Post()
    post.adapter.troubles["main"] = [DeliveryRejected("the bot was blocked")] * 2
    async with post.running():
        await post.owe(part("a"), part("b"))
        await post.delivery.drain()
        dead = await post.journal.entries()
        retried = await post.journal.retry("a/0")
        post.delivery.requeue(dead[0])
        await post.delivery.drain()
        dropped = await post.journal.drop("b/0")

    assert [(entry.id, entry.status, entry.error) for entry in dead] == [
        ("a/0", OutboxStatus.DEAD, "the bot was blocked"),
        ("b/0", OutboxStatus.DEAD, "the bot was blocked"),
    ]
    assert retried
    assert dropped
    assert post.adapter.order == ["a/0"]
    assert await post.journal.entries() == []


async def test_an_outage_of_five_minutes_ends_in_one_delivery() -> None:
    post = Post()
    post.adapter.troubles["main"] = [DeliveryFailed("away") for _ in range(9)]
    async with post.running():
        await post.owe(part("a"))
        await post.clock.slept_on()
        await post.clock.advance(300)
        await post.delivery.drain()

    assert post.adapter.order == ["a/0"]


async def test_a_bug_in_an_adapter_stops_neither_the_others_nor_the_message() -> None:
    post = Post()
    post.adapter.troubles["odd"] = [ValueError("a bug")]
    async with post.running():
        await post.owe(part("a", chat_id="odd"), part("b"))
        await post.clock.slept_on()
        await post.clock.advance(5)
        await post.delivery.drain()

    assert sorted(post.adapter.order) == ["a/0", "b/0"]


async def test_parts_for_a_channel_that_is_not_running_stay_owed() -> None:
    post = Post()
    async with post.running():
        await post.owe(part("a", channel="telegram"))
        await post.delivery.drain()

    assert [entry.id for entry in await post.journal.due()] == ["a/0"]


async def test_a_chat_is_clear_when_its_parts_are_delivered_and_others_are_not_waited_for() -> None:
    post = Post()
    post.adapter.troubles["slow"] = [DeliveryFailed("wait", retry_after=60)]
    async with post.running():
        await post.owe(part("a", chat_id="slow"), part("b", chat_id="quick"))
        await post.delivery.clear(("loopback", "quick"))
        owed = asyncio.ensure_future(post.delivery.clear(("loopback", "slow")))
        await post.clock.slept_on()
        before = owed.done(), list(post.adapter.order)
        await post.clock.advance(60)
        await owed

    assert before == (False, ["b/0"])
    assert post.adapter.order == ["b/0", "a/0"]


async def test_draining_at_the_start_waits_for_what_an_earlier_run_owed() -> None:
    post = Post()
    await post.journal.respond(answered=[], replies=[part("turn")])
    draining = asyncio.create_task(post.delivery.drain())
    async with post.running():
        await draining

    assert post.adapter.order == ["turn/0"]


@pytest.mark.parametrize("write", ["settle", "failed", "dead"])
async def test_a_disk_that_is_full_holds_up_one_chat_and_repeats_nothing(write: str) -> None:
    post = Post()
    wire, clock = HeldAdapter(), post.clock
    wire.abilities = Abilities(idempotent_send=False)
    refusal = DeliveryRejected("refused") if write == "dead" else DeliveryFailed("busy", retry_after=1.0)
    wire.troubles["full"] = [] if write == "settle" else [refusal]
    post.delivery = Delivery(failing(post.journal, [write]), {"loopback": wire}, clock=clock)
    async with post.running():
        await post.owe(part("other", chat_id="other"))
        await wire.reached.wait()
        await post.owe(part("full", 0, chat_id="full"), part("full", 1, chat_id="full"))
        await clock.slept_on()
        await clock.advance(PATIENCE)
        await clock.slept_on()
        shown = list(wire.order)
        wire.open.set()
        await post.delivery.clear(("loopback", "other"))
        meanwhile = list(wire.order)
        await clock.advance(1.0)  # the disk has room again
        await clock.advance(5.0)  # and the platform's patience is over
        await post.delivery.clear(("loopback", "full"))

    assert shown == (["full/0"] if write == "settle" else [])
    assert meanwhile == [*shown, "other/0"]
    assert wire.order == [*meanwhile, *(["full/0"] if write == "failed" else []), "full/1"]


async def test_only_one_send_that_a_crash_could_repeat_is_on_the_wire() -> None:
    wire = HeldAdapter()
    post = Post(wire)
    async with post.running():
        await post.owe(part("held", chat_id="other"))
        await wire.reached.wait()
        await post.owe(part("new", chat_id="a"), replace(part("edit", chat_id="b"), placeholder="p1"))
        await post.delivery.clear(("loopback", "b"))
        meanwhile = list(wire.order)
        wire.open.set()
        await post.delivery.drain()

    assert meanwhile == ["edit/0"]
    assert wire.order == ["edit/0", "held/0", "new/0"]


async def test_a_send_that_takes_long_is_passed_by_the_other_chats() -> None:
    wire = HeldAdapter()
    post = Post(wire)
    async with post.running():
        await post.owe(part("held", chat_id="other"))
        await wire.reached.wait()
        await post.owe(part("a", chat_id="a"), part("b", chat_id="b"))
        await post.clock.slept_on()
        await post.clock.advance(PATIENCE)
        await post.delivery.clear(("loopback", "a"))
        await post.delivery.clear(("loopback", "b"))

    assert wire.order == ["a/0", "b/0"]
