"""How fast one person may write on a chat platform: what is more is kept, and waits."""

from collections import OrderedDict, deque
from datetime import timedelta
from typing import Final

from channels.messages import Entrance, InboundMessage, platform_of
from gateway.service.clock import Clock

_PLATFORMS: Final = frozenset({"telegram", "slack"})
_MINUTE: Final = timedelta(minutes=1)
_PEOPLE: Final = 1024
"""Whose minute is remembered: those who were let through last."""


class Pace:
    """Lets at most `per_minute` messages of a person through within any minute; 0 is no limit.

    An edit, the further parts of an album, and what a platform sends again because it could not be kept are no
    messages of their own. The clock on the wall, which may be set, has no say; a restart begins with an empty minute.
    """

    def __init__(self, *, per_minute: int, clock: Clock) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._minutes = OrderedDict[str, deque[tuple[float, str]]]()

    def wait(self, message: InboundMessage) -> float:
        """Seconds until this message may be asked for again, or 0 when it may be answered now: then it is counted."""
        if not self._per_minute or not _counts(message):
            return 0.0
        long_ago = self._clock.monotonic() - _MINUTE.total_seconds()
        minute, name = self._minute_of(message.person or message.sender_id), message.group_id or message.id
        while minute and minute[0][0] <= long_ago:
            minute.popleft()
        if any(counted == name for _, counted in minute):
            return 0.0
        if len(minute) >= self._per_minute:
            return minute[0][0] - long_ago
        minute.append((self._clock.monotonic(), name))
        return 0.0

    def _minute_of(self, person: str) -> deque[tuple[float, str]]:
        minute = self._minutes.setdefault(person, deque())
        self._minutes.move_to_end(person)
        if len(self._minutes) > _PEOPLE:
            self._minutes.popitem(last=False)
        return minute


def _counts(message: InboundMessage) -> bool:
    """Whether this is a message that a person wrote on a chat platform."""
    if message.edit_of or message.entrance is not Entrance.USER:
        return False
    return platform_of(message.channel) in _PLATFORMS
