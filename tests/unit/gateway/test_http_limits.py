from contextlib import AsyncExitStack
from datetime import UTC, datetime

from channels.messages import InboundMessage, SessionKey
from gateway.http.limits import Crowding, Refusals
from gateway.journal.in_memory import InMemoryJournal
from gateway.service.clock import ManualClock


def message(number: int, *, person: str) -> InboundMessage:
    return InboundMessage(
        id=f"web:{person}/{number}",
        channel="web",
        chat_id=person,
        sender_id=person,
        person=person,
        text="x",
        received_at=datetime(2026, 1, 1, tzinfo=UTC),
        session_key=SessionKey(f"web:{person}"),
    )


async def send(
    crowding: Crowding, journal: InMemoryJournal, *, person: str, times: int, start: int = 0
) -> int:
    """How many of so many messages were taken."""
    taken = 0
    for number in range(start, start + times):
        async with crowding(person) as is_crowded:
            if not is_crowded:
                await journal.accept(message(number, person=person))
                taken += 1
    return taken


async def test_refusals_are_counted_by_the_second() -> None:
    clock = ManualClock()
    refusals = Refusals(clock=clock, limit=3)
    first = [refusals.one_more() for _ in range(5)]
    await clock.advance(1.1)
    later = refusals.one_more()

    assert first == [False, False, False, True, True]
    assert later is False


async def test_a_person_has_so_many_unanswered_messages_and_others_are_not_held_up() -> None:
    clock, journal = ManualClock(), InMemoryJournal()
    crowding = Crowding(journal, clock=clock, limit=10)
    ann = await send(crowding, journal, person="ann", times=15)
    bob = await send(crowding, journal, person="bob", times=3)
    await clock.advance(1)
    ann_later = await send(crowding, journal, person="ann", times=1, start=20)

    assert (ann, bob, ann_later) == (10, 3, 0)


async def test_what_is_still_being_taken_in_counts_however_long_that_takes() -> None:
    clock, journal = ManualClock(), InMemoryJournal()
    crowding = Crowding(journal, clock=clock, limit=10)
    async with AsyncExitStack() as slowly:
        refused = []
        for _ in range(12):
            refused.append(await slowly.enter_async_context(crowding("ann")))
            await clock.advance(1)

    assert refused == [False] * 10 + [True] * 2


async def test_answers_make_room_again() -> None:
    clock, journal = ManualClock(), InMemoryJournal()
    crowding = Crowding(journal, clock=clock, limit=10)
    await send(crowding, journal, person="ann", times=10)
    await journal.respond(answered=[f"web:ann/{number}" for number in range(4)])
    await clock.advance(1)

    assert await send(crowding, journal, person="ann", times=10, start=10) == 4
