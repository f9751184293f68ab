"""How fast one person may write on a chat platform: what is more is kept, and waits."""

from collections import OrderedDict, deque
from datetime import datetime, timedelta
from typing import Final

from channels.messages import InboundMessage, platform_of
from gateway.service.clock import Clock

_PLATFORMS: Final = frozenset({"telegram", "slack"})
_MINUTE: Final = timedelta(minutes=1)
_PEOPLE: Final = 1024
"""Whose minute is remembered: those who wrote last."""


class Pace:
    """Counts what each person wrote within a minute; `per_minute` 0 is no limit.

    An edit, the further parts of an album, and what a platform sends again because it could not be kept are no
    messages of their own.
    """

    def __init__(self, *, per_minute: int, clock: Clock) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._minutes = OrderedDict[str, deque[tuple[datetime, str]]]()

    def free_at(self, message: InboundMessage) -> datetime | None:
        """When the message may be answered, or None for at once, and then it is counted."""
        if not self._per_minute or message.edit_of or platform_of(message.channel) not in _PLATFORMS:
            return None
        now, minute = self._clock.now(), self._minute_of(message.person or message.sender_id)
        while minute and minute[0][0] <= now - _MINUTE:
            minute.popleft()
        name = message.group_id or message.id
        if any(counted == name for _, counted in minute):
            return None
        if len(minute) >= self._per_minute:
            return minute[0][0] + _MINUTE
        minute.append((now, name))
        return None

    def _minute_of(self, person: str) -> deque[tuple[datetime, str]]:
        minute = self._minutes.setdefault(person, deque())
        self._minutes.move_to_end(person)
        if len(self._minutes) > _PEOPLE:
            self._minutes.popitem(last=False)
        return minute
