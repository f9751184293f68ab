import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from channels.messages import Entrance, InboundMessage
from gateway.errors import ToolError
from gateway.jobs.schedule import LOOK_SECONDS, Scheduler
from gateway.journal.base import InboxEntry, Reminder
from gateway.journal.in_memory import InMemoryJournal
from gateway.journal.names import short_id
from gateway.journal.origin import origin_of
from gateway.service.clock import ManualClock
from gateway.tools.schedule import ScheduleTool
from gateway.tools.tool import ToolContext
from gateway.turns.records import reminder_words
from tests.helpers.journals import NOON, inbound, reminder

ASKED = inbound("slack:C1/1", session="slack:C1#111.1", channel="slack", chat_id="C1", thread_id="111.1")


def due(reminder_id: str, *, minutes: float, **fields: Any) -> Reminder:
    origin = {"message": origin_of(ASKED, language="en"), "work": False}
    return reminder(
        reminder_id,
        session="slack:C1#111.1",
        next_at=NOON + timedelta(minutes=minutes),
        **{"origin": origin} | fields,
    )


class Bench:
    """A scheduler on a journal in memory, under a clock that is turned by hand."""

    def __init__(self) -> None:
        self.clock = ManualClock(NOON)
        self.journal = InMemoryJournal()
        self.published: list[InboxEntry] = []
        self.scheduler = Scheduler(self.journal, publish=self.published.append, clock=self.clock)

    @property
    def fired(self) -> list[InboundMessage]:
        return [entry.message for entry in self.published]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.scheduler.run())
        try:
            await self.clock.slept_on(1)
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def test_a_reminder_fires_at_its_time_in_the_thread_that_made_it_and_is_gone() -> None:
    bench = Bench()
    async with bench.running():
        await bench.scheduler.add(due("r", minutes=10))
        await bench.clock.slept_on(1)
        await bench.clock.advance(9 * 60 + 59)
        early = list(bench.fired)
        await bench.clock.advance(2)

    (message,) = bench.fired
    assert early == []
    assert (message.channel, message.chat_id, message.thread_id) == ("slack", "C1", "111.1")
    assert message.session_key == "slack:C1#111.1"
    assert message.entrance is Entrance.SCHEDULE
    assert reminder_words(message) == "water the plants"
    assert await bench.journal.reminders() == []


async def test_a_sooner_one_that_is_added_meanwhile_is_not_overslept() -> None:
    bench = Bench()
    async with bench.running():
        await bench.scheduler.add(due("late", minutes=50))
        await bench.clock.slept_on(1)
        await bench.scheduler.add(due("soon", minutes=0.1))
        await bench.clock.slept_on(1)
        await bench.clock.advance(7)

    assert [message.id.split("@")[0] for message in bench.fired] == ["soon"]


async def test_a_repeated_one_fires_under_a_new_id_each_time() -> None:
    bench = Bench()
    async with bench.running():
        await bench.scheduler.add(due("r", minutes=1, cron="every 1m"))
        await bench.clock.slept_on(1)
        for _ in range(4):
            await bench.clock.advance(45)

    assert [message.id for message in bench.fired] == [
        "r@2026-03-01T12:01:00Z",
        "r@2026-03-01T12:02:00Z",
        "r@2026-03-01T12:03:00Z",
    ]


async def test_what_was_missed_while_nobody_ran_fires_once() -> None:
    bench = Bench()
    await bench.journal.remind(due("once", minutes=-600))
    await bench.journal.remind(due("often", minutes=-600, cron="every 10m"))
    async with bench.running():
        await bench.clock.advance(1)
    (kept,) = await bench.journal.reminders()

    assert [message.id.split("@")[0] for message in bench.fired] == ["often", "once"]
    assert kept.next_at > bench.clock.now()


@pytest.mark.parametrize("fault", [{"cron": "every 1m", "timezone": "Atlantis/Sunken"}, {"origin": {}}])
async def test_one_that_cannot_fire_holds_up_no_other_and_is_kept(fault: dict[str, Any]) -> None:
    bench = Bench()
    await bench.journal.remind(due("broken", minutes=-2, **fault))
    await bench.journal.remind(due("sound", minutes=-1))
    async with bench.running():
        await bench.clock.advance(1)
    (kept,) = await bench.journal.reminders()

    assert [message.id.split("@")[0] for message in bench.fired] == ["sound"]
    assert (kept.id, kept.next_at - NOON > timedelta(hours=23)) == ("broken", True)


async def test_a_clock_that_is_set_forward_is_noticed_within_a_minute() -> None:
    bench = Bench()
    async with bench.running():
        await bench.scheduler.add(due("r", minutes=600))
        await bench.clock.slept_on(1)
        await bench.journal.remind(due("r", minutes=1))  # as if the hours had jumped
        await bench.clock.advance(LOOK_SECONDS + 1)

    assert len(bench.fired) == 1


async def test_a_reminder_is_cancelled_by_its_short_id_in_its_own_session_alone() -> None:
    bench = Bench()
    await bench.scheduler.add(due("r", minutes=5))
    elsewhere = await bench.scheduler.cancel("telegram:42", short_id("r"))
    here = await bench.scheduler.cancel("slack:C1#111.1", short_id("r"))

    assert elsewhere is None
    assert here is not None
    assert await bench.journal.reminders() == []


class TestTool:
    def context(self, call_id: str = "t/1/0") -> ToolContext:
        return ToolContext(
            session="slack:C1#111.1",
            audience="person-ann",
            turn_id="t",
            call_id=call_id,
            role="owner",
            seq=1,
            origin=ASKED,
        )

    async def test_it_schedules_lists_and_cancels(self) -> None:
        bench = Bench()
        tool = ScheduleTool(bench.scheduler, zone=lambda _person: ZoneInfo("Europe/Berlin"))
        made = await tool.run(
            {"action": "work", "when": "every day 09:00", "text": "read the news"}, self.context()
        )
        again = await tool.run(
            {"action": "work", "when": "every day 09:00", "text": "read the news"}, self.context()
        )
        listed = await tool.run({"action": "list"}, self.context())
        ended = await tool.run({"action": "cancel", "id": short_id("t/1/0")}, self.context())
        rest = await tool.run({"action": "list"}, self.context())

        assert made == again == f"Scheduled: {listed}"
        assert re.search(r"09:00 Europe/Berlin, then \d{4}-\d\d-\d\d 09:00 and so on \(id", listed)
        assert ended == "Cancelled: read the news"
        assert rest == "Nothing is scheduled."

    @pytest.mark.parametrize(
        ("arguments", "named"),
        [
            ({}, "`action`"),
            ({"action": "remind", "when": "20m"}, "`text`"),
            ({"action": "remind", "when": "soon", "text": "x"}, "`when`"),
            ({"action": "remind", "text": "x"}, "`when`"),
            ({"action": "cancel", "id": "abc"}, "'abc'"),
        ],
    )
    async def test_what_can_not_be_done_names_the_argument(
        self, arguments: dict[str, Any], named: str
    ) -> None:
        tool = ScheduleTool(Bench().scheduler, zone=lambda _person: ZoneInfo("UTC"))
        with pytest.raises(ToolError, match=named):
            await tool.run(arguments, self.context())
