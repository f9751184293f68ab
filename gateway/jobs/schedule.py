"""Fires what falls due: a message for the chat and the thread in which it was made, accepted together with its next time."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import structlog

from channels.messages import Entrance, InboundMessage
from gateway.journal.base import InboxEntry, Reminder, Schedule
from gateway.journal.names import find_named
from gateway.journal.origin import message_from
from gateway.service.alarm import Alarm
from gateway.service.clock import Clock
from gateway.tools.when import next_time
from gateway.turns.records import reminder_record, work_record

LOOK_SECONDS = 60.0
"""The longest rest: the machine's clock may be set, or the machine sleep, while we wait for a time of day."""

PUT_OFF = timedelta(days=1)
"""How long one that can't fire (its time zone is gone, its origin damaged) is left alone; `mneme jobs list` shows it."""

log = structlog.get_logger(__name__)


class Scheduler:
    """What was missed while nobody ran fires at the start, once, however often it would have."""

    def __init__(self, schedule: Schedule, *, publish: Callable[[InboxEntry], None], clock: Clock) -> None:
        self._schedule = schedule
        self._publish = publish
        self._clock = clock
        self._alarm = Alarm(self._clock)

    async def run(self) -> None:
        """Fire until cancelled."""
        while True:
            await self._alarm.wait(await self._fire_what_is_due())

    async def add(self, reminder: Reminder) -> None:
        """Keep it; one of the same id is replaced."""
        await self._schedule.remind(reminder)
        self._alarm.ring()

    async def of(self, session: str) -> Sequence[Reminder]:
        """Those of a session, the next one first."""
        return await self._schedule.reminders(session=session)

    async def cancel(self, session: str, name: str) -> Reminder | None:
        """End the session's reminder of this id, whole or short; None where there is none."""
        reminder = find_named(name, await self.of(session))
        return reminder if reminder and await self._schedule.forget_reminder(reminder.id) else None

    async def _fire_what_is_due(self) -> float:
        """Seconds until the next look."""
        for reminder in await self._schedule.reminders():
            seconds = (reminder.next_at - self._clock.now()).total_seconds()
            if seconds > 0:
                return min(seconds, LOOK_SECONDS)
            await self._fire(reminder)
            self._alarm.ring()  # one that repeats may be the next one again
        return LOOK_SECONDS

    async def _fire(self, reminder: Reminder) -> None:
        now = self._clock.now()
        try:
            message, next_at = _due_message(reminder, now=now), _next_time(reminder, now=now)
        except (LookupError, TypeError, ValueError) as error:
            log.error("reminder_not_fired", reminder=reminder.id, session=reminder.session, exc_info=error)
            await self._schedule.remind(replace(reminder, next_at=now + PUT_OFF))
            return
        entry = await self._schedule.fire(reminder.id, inbound=message, next_at=next_at)
        if entry is not None:
            self._publish(entry)
        log.info("reminder_fired", reminder=reminder.id, session=reminder.session, next_at=next_at)


def _due_message(reminder: Reminder, *, now: datetime) -> InboundMessage:
    record = work_record if reminder.origin.get("work") else reminder_record
    return message_from(
        reminder.origin["message"],
        message_id=f"{reminder.id}@{reminder.next_at:%Y-%m-%dT%H:%M:%SZ}",
        entrance=Entrance.SCHEDULE,
        text=record(reminder.text),
        at=now,
    )


def _next_time(reminder: Reminder, *, now: datetime) -> datetime | None:
    if reminder.cron is None:
        return None
    return next_time(reminder.cron, after=reminder.next_at, now=now, zone=ZoneInfo(reminder.timezone))
