"""What of one session's messages is held in memory, and what of a flood is left on disk until its turn comes."""

import asyncio
from bisect import insort
from collections import deque
from dataclasses import dataclass, field

from channels.messages import InboundMessage
from gateway.journal.base import InboxEntry

_WAITING_OF_ONE = 32
"""Messages held of somebody who writes too fast; more than one look can let through at the usual pace."""

_WAITING_LIMIT = 1024
"""Messages held where some of them wait because somebody writes too fast: others must be seen behind them."""


@dataclass(slots=True)
class Left:
    """Where on disk the further messages of somebody are: behind the position `after`, up to `until`."""

    after: int
    until: int


@dataclass(slots=True)
class Mailbox:
    """One session's. What is left of a flood is passed by, so that others are seen however long it is."""

    entries: deque[InboxEntry] = field(default_factory=deque)
    spills: int = 0
    """How often something was left on disk alone; 0 means that `entries` and `left` are all there is."""
    last_position: int = 0
    taken: bool = False
    handed: set[str] = field(default_factory=set)
    """What was handed out with the session; everything else may still be edited."""
    ready: dict[str, float] = field(default_factory=dict)
    """When, on the clock that is never set, the parts of what belongs together have had time to come."""
    paced: set[str] = field(default_factory=set)  # what was let through
    slowed: set[str] = field(default_factory=set)  # who wrote too fast when somebody looked last
    left: dict[str, Left] = field(default_factory=dict)
    queued: bool = False
    timer: asyncio.TimerHandle | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits, here or on disk."""
        return not (self.entries or self.spills or self.left)

    def room(self, limit: int) -> int:
        """How many more messages may be held; those that wait for their sender's pace hide nobody else's."""
        held = len(self.entries)
        waiting = sum(writer(entry.message) in self.slowed for entry in self.entries) if self.slowed else 0
        return max(0, min(limit - held + waiting, max(limit, _WAITING_LIMIT) - held))

    def insert(self, entry: InboxEntry) -> None:
        """Hold a message in its place."""
        insort(self.entries, entry, key=lambda one: one.position)

    def leaves(self, entry: InboxEntry) -> bool:
        """Whether a message stays on disk for now, because enough of the same flood is held; then that is noted."""
        who, position = writer(entry.message), entry.position
        if who in self.left:
            self.left[who].until = position
        elif who in self.slowed and self.has_enough_of(who):
            self.left[who] = Left(after=position - 1, until=position)
        return who in self.left

    def has_enough_of(self, who: str) -> bool:
        """Whether no more of somebody's messages are to be held."""
        return sum(writer(entry.message) == who for entry in self.entries) >= _WAITING_OF_ONE

    def missed(self) -> list[str]:
        """Whose further messages are to be read again: nothing of theirs is held any more."""
        held = {writer(entry.message) for entry in self.entries} if self.left else set()
        return [who for who in self.left if who not in held]


def writer(message: InboundMessage) -> str:
    """Whose order is kept: what a person wrote, apart from what comes back of their jobs and reminders."""
    return f"{message.entrance}:{message.person or message.sender_id}"
