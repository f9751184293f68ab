import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from channels.messages import Attachment, InboundMessage, SessionKey
from gateway.bus import Batch, Bus
from gateway.journal.base import InboxEntry
from gateway.journal.in_memory import InMemoryJournal
from gateway.pace import Pace
from gateway.service.clock import ManualClock
from memory.errors import StoreUnavailable
from tests.helpers.failing import failing

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def message(number: int, *, key: str = "loopback:a", **fields: object) -> InboundMessage:
    values: dict[str, object] = {
        "id": f"{key}/{number}",
        "channel": "loopback",
        "chat_id": key,
        "sender_id": "owner",
        "text": f"text {number}",
        "received_at": NOW,
        "session_key": SessionKey(key),
    }
    return InboundMessage(**(values | fields))  # type: ignore[arg-type] # a test names its own fields


async def accept(journal: InMemoryJournal, bus: Bus, *messages: InboundMessage) -> list[InboxEntry]:
    entries = [entry for item in messages if (entry := await journal.accept(item)) is not None]
    for entry in entries:
        bus.publish(entry)
    return entries


async def calm(bus: Bus) -> None:
    """Wait until nothing is left, with somebody who would take more."""
    taking = asyncio.create_task(bus.take())
    await bus.drain()
    taking.cancel()


def texts(entries: Sequence[InboxEntry]) -> list[str]:
    return [entry.message.text for entry in entries]


async def test_a_session_is_handed_out_once_until_it_is_finished() -> None:
    journal = InMemoryJournal()
    bus = Bus(journal)
    await accept(journal, bus, message(1), message(1, key="loopback:b"))
    first, second = await bus.take(), await bus.take()
    await accept(journal, bus, message(2))
    bus.finish(first.key, answered=[first.entries[0].message.id])
    third = await bus.take()

    assert [first.key, second.key, third.key] == ["loopback:a", "loopback:b", "loopback:a"]
    assert texts(third.entries) == ["text 2"]


async def test_what_does_not_fit_the_mailbox_comes_back_from_the_inbox_in_order() -> None:
    journal = InMemoryJournal()
    bus = Bus(journal, mailbox_limit=4)
    await accept(journal, bus, *(message(number) for number in range(50)))
    seen: list[str] = []
    while len(seen) < 50:
        batch = await bus.take()
        ids = [entry.message.id for entry in batch.entries]
        seen += texts(batch.entries)
        await journal.respond(answered=ids)
        bus.finish(batch.key, answered=ids)

    assert seen == [f"text {number}" for number in range(50)]


async def test_messages_that_spill_while_the_mailbox_is_refilled_are_not_overlooked() -> None:
    journal = InMemoryJournal()
    bus = Bus(journal, mailbox_limit=2)
    await accept(journal, bus, *(message(number) for number in range(3)))
    seen: list[str] = []
    for number in range(3, 23):
        batch = await bus.take()
        await accept(journal, bus, message(number))
        ids = [entry.message.id for entry in batch.entries][:1]
        seen += texts(batch.entries)[:1]
        await journal.respond(answered=ids)
        bus.finish(batch.key, answered=ids)

    assert seen == [f"text {number}" for number in range(20)]


async def test_parts_that_belong_together_are_taken_together_when_the_last_one_is_due() -> None:
    journal, clock = InMemoryJournal(), ManualClock(NOW)
    bus = Bus(journal, clock=clock)
    later = NOW + timedelta(milliseconds=20)
    parts = [message(n, group_id="album", ready_at=later + timedelta(milliseconds=n)) for n in range(3)]
    await accept(journal, bus, *parts, message(3))
    await clock.advance(1)
    batch = await bus.take()

    assert texts(batch.entries) == ["text 0", "text 1", "text 2", "text 3"]


async def test_a_clock_that_was_set_back_holds_nothing_for_longer_than_a_minute() -> None:
    journal, clock = InMemoryJournal(), ManualClock(NOW)
    bus = Bus(journal, clock=clock)
    await accept(journal, bus, message(1, ready_at=NOW + timedelta(days=3)))
    await clock.advance(60)
    await accept(journal, bus, message(2))
    batch = await bus.take()

    assert texts(batch.entries) == ["text 1", "text 2"]


async def test_who_writes_too_fast_holds_up_nobody_else_and_keeps_their_order() -> None:
    journal, clock = InMemoryJournal(), ManualClock()
    bus = Bus(journal, clock=clock, pace=Pace(per_minute=2, clock=clock).wait, mailbox_limit=4)
    flood = [message(n, channel="telegram", sender_id="ann") for n in range(9)]
    await accept(journal, bus, *flood, message(9, channel="telegram", sender_id="ben"))
    first = await bus.take()
    seconds = bus.wait(flood[0])
    await answer(journal, bus, first)
    other = await bus.take()
    await answer(journal, bus, other)
    batches = list[list[str]]()
    for _ in range(4):
        await clock.advance(60)
        await accept(journal, bus, message(100 + len(batches)))  # somebody at the terminal
        batch = await bus.take()
        batches.append([text for text in texts(batch.entries) if len(text) < len("text 100")])
        await answer(journal, bus, batch)

    assert seconds == 60
    assert texts(first.entries) == ["text 0", "text 1"]
    assert texts(other.entries) == ["text 9"]
    assert batches == [
        ["text 2", "text 3"],
        ["text 4", "text 5"],
        ["text 6", "text 7"],
        ["text 8"],
    ]


async def test_a_flood_of_thousands_hides_nobody_and_is_answered_whole_and_in_order() -> None:
    journal, clock = InMemoryJournal(), ManualClock()
    bus = Bus(journal, clock=clock, pace=Pace(per_minute=50, clock=clock).wait)
    answered = list[str]()

    async def take_until(count: int) -> None:
        while len(answered) < count:
            batch = await bus.take()
            answered.extend(texts(batch.entries))
            await answer(journal, bus, batch)

    async with asyncio.timeout(30):
        await accept(journal, bus, *(message(n, channel="telegram", sender_id="ann") for n in range(2000)))
        await take_until(50)
        await accept(journal, bus, message(5000, channel="telegram", sender_id="ben"))
        await take_until(51)
        for minute in range(1, 42):
            await clock.advance(60)
            if minute == 20:
                late = (message(n, channel="telegram", sender_id="ann") for n in range(2000, 2100))
                await accept(journal, bus, *late)
            await accept(journal, bus, message(6000 + minute, channel="telegram", sender_id="cat"))
            await take_until(51 + 51 * minute)

    assert answered[50] == "text 5000"
    assert [text for text in answered if int(text.split()[1]) < 5000] == [f"text {n}" for n in range(2100)]


async def test_what_was_let_through_is_not_counted_again_while_a_long_turn_runs() -> None:
    journal, clock = InMemoryJournal(), ManualClock()
    bus = Bus(journal, clock=clock, pace=Pace(per_minute=2, clock=clock).wait)
    await accept(journal, bus, *(message(n, channel="telegram") for n in range(3)))
    long = await bus.take()
    await clock.advance(300)
    bus.finish(long.key, answered=[])
    batch = await bus.take()

    assert texts(long.entries) == ["text 0", "text 1"]
    assert texts(batch.entries) == ["text 0", "text 1", "text 2"]


async def answer(journal: InMemoryJournal, bus: Bus, batch: Batch) -> None:
    answered = [entry.message.id for entry in batch.entries]
    await journal.respond(answered=answered)
    bus.finish(batch.key, answered=answered)


async def test_a_late_edit_waits_for_the_next_message() -> None:
    journal = InMemoryJournal()
    bus = Bus(journal)
    await accept(journal, bus, message(1, edit_of="loopback:a/0"))
    await bus.drain()
    await accept(journal, bus, message(2))
    batch = await bus.take()

    assert texts(batch.entries) == ["text 1", "text 2"]


async def test_an_edit_replaces_a_waiting_message_and_leaves_a_taken_one() -> None:
    journal = InMemoryJournal()
    bus = Bus(journal)
    await accept(journal, bus, message(1))
    replaced = bus.replace(message(9, edit_of="loopback:a/1", text="edited"))
    batch = await bus.take()
    too_late = bus.replace(message(10, edit_of="loopback:a/1", text="edited again"))

    assert (replaced, too_late) == (True, False)
    assert texts(batch.entries) == ["edited"]


async def test_recovery_publishes_what_was_never_answered_in_order() -> None:
    journal = InMemoryJournal()
    before = Bus(journal)
    await accept(journal, before, message(1), message(2), message(3))
    await journal.respond(answered=["loopback:a/1"])
    bus = Bus(journal)
    recovered = await bus.recover()
    batch = await bus.take()

    assert recovered == 2
    assert texts(batch.entries) == ["text 2", "text 3"]


async def test_draining_ends_when_everything_is_answered() -> None:
    journal = InMemoryJournal()
    bus = Bus(journal)
    await accept(journal, bus, message(1))
    batch = await bus.take()
    await journal.respond(answered=["loopback:a/1"])
    bus.finish(batch.key, answered=["loopback:a/1"])
    await bus.drain()

    assert bus.waiting(batch.key) == 0


async def test_draining_waits_for_nobody_who_writes_too_fast() -> None:
    """A stop would take as long as it may, for a turn that doesn't begin before the next start anyway."""
    clock = ManualClock()
    journal = InMemoryJournal()
    bus = Bus(journal, clock=clock, pace=Pace(per_minute=1, clock=clock).wait)
    await accept(journal, bus, message(1, channel="telegram"), message(2, channel="telegram"))
    batch = await bus.take()
    draining = asyncio.create_task(bus.drain())
    await asyncio.sleep(0)
    waits_for_the_turn = not draining.done()
    bus.finish(batch.key, answered=[batch.entries[0].message.id])
    async with asyncio.timeout(10):
        await draining

    assert waits_for_the_turn
    assert bus.waiting(batch.key) == 1


async def test_whoever_has_a_session_may_take_what_came_meanwhile_up_to_the_first_that_does_not_fit() -> None:
    journal = InMemoryJournal()
    bus = Bus(journal)
    await accept(journal, bus, message(1))
    batch = await bus.take()
    await accept(journal, bus, message(2), message(3), message(4), message(5))
    more = bus.take_more(batch.key, besides=["loopback:a/1"], fits=lambda one: one.text != "text 4")
    bus.finish(batch.key, answered=["loopback:a/1", *(one.id for one in more)])
    rest = await bus.take()

    assert [one.text for one in more] == ["text 2", "text 3"]
    assert texts(rest.entries) == ["text 4", "text 5"]


async def test_an_edit_does_not_replace_what_was_taken_meanwhile() -> None:
    journal = InMemoryJournal()
    bus = Bus(journal)
    await accept(journal, bus, message(1))
    batch = await bus.take()
    await accept(journal, bus, message(2), message(3))
    bus.take_more(batch.key, besides=["loopback:a/1"], fits=lambda one: one.text == "text 2")

    assert not bus.replace(message(8, edit_of="loopback:a/2"))
    assert bus.replace(message(9, edit_of="loopback:a/3"))


async def test_a_disk_that_fails_when_a_mailbox_is_filled_again_strands_no_session() -> None:
    journal = InMemoryJournal()
    bus = Bus(failing(journal, ["waiting"]), mailbox_limit=1)
    await accept(journal, bus, message(1), message(2))
    first = await bus.take()
    await journal.respond(answered=["loopback:a/1"])
    bus.finish(first.key, answered=["loopback:a/1"])
    with pytest.raises(StoreUnavailable):
        await bus.take()
    second = await bus.take()
    bus.finish(second.key, answered=["loopback:a/2"])
    await calm(bus)

    assert texts([*first.entries, *second.entries]) == ["text 1", "text 2"]


async def test_an_edited_caption_keeps_its_picture() -> None:
    journal = InMemoryJournal()
    bus = Bus(journal)
    picture = Attachment(name="a.png", mime="image/png", size=3)
    await accept(journal, bus, message(1, attachments=(picture,)))
    bus.replace(message(2, edit_of="loopback:a/1", text="a better caption"))
    batch = await bus.take()

    assert [(entry.message.text, entry.message.attachments) for entry in batch.entries] == [
        ("a better caption", (picture,))
    ]


async def test_what_is_erased_while_it_waits_is_not_handed_out() -> None:
    journal = InMemoryJournal()
    bus = Bus(journal)
    await accept(journal, bus, message(1), message(2), message(3, key="loopback:b"))
    await journal.withdraw(["loopback:a/1", "loopback:b/3"])
    batch = await bus.take()

    assert texts(batch.entries) == ["text 2"]
    bus.finish(batch.key, answered=["loopback:a/2"])
    await calm(bus)


async def test_what_is_erased_between_the_disk_and_the_mailbox_stays_erased() -> None:
    journal = InMemoryJournal()
    bus = Bus(journal)
    entry = await journal.accept(message(1))
    await journal.withdraw(["loopback:a/1"])
    assert entry is not None
    bus.publish(entry)
    await accept(journal, bus, message(2))

    assert texts((await bus.take()).entries) == ["text 2"]


async def test_what_is_erased_while_its_batch_waits_for_the_session_is_not_answered() -> None:
    journal = InMemoryJournal()
    bus = Bus(journal)
    await accept(journal, bus, message(1), message(2))
    batch = await bus.take()
    await journal.withdraw(["loopback:a/1"])

    assert texts(bus.remaining(batch)) == ["text 2"]
