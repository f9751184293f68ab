"""What of a mailbox may be taken now: whole groups, and nothing of those who write too fast."""

from collections.abc import Callable
from dataclasses import dataclass

from channels.messages import Entrance, InboundMessage
from gateway.bus.mailbox import Mailbox, writer
from gateway.journal.base import InboxEntry


@dataclass(frozen=True, slots=True)
class Look:
    """What may be taken of a mailbox, who must wait, and in how many seconds to look again; None for no time.

    `coming` says that the parts of something may be on their way.
    """

    taken: tuple[InboxEntry, ...]
    held: dict[str, float]
    coming: bool
    seconds: float | None


def rides_along(message: InboundMessage) -> bool:
    """Whether a message starts no turn of its own: a late edit is told to the next turn."""
    return message.edit_of is not None and message.entrance is Entrance.USER


def look(mailbox: Mailbox, *, now: float, pace: Callable[[InboundMessage], float]) -> Look:
    """What may be taken: up to the first whose parts may still be coming, without those who write too fast.

    `now` is of the clock that is never set. Who is held is noted in the mailbox.
    """
    taken, held, times = list[InboxEntry](), dict[str, float](), list[float]()
    for entry in mailbox.entries:
        seconds = _ready_at(mailbox, entry.message) - now
        if seconds > 0:
            times.append(seconds)
            break
        if _passes(mailbox, entry.message, held=held, pace=pace):
            taken.append(entry)
    mailbox.slowed = set(held)
    answerable = not all(rides_along(entry.message) for entry in taken)
    soonest = min([*times, *held.values()], default=None)
    return Look(tuple(taken) if answerable else (), held, bool(times), soonest)


def _passes(
    mailbox: Mailbox,
    message: InboundMessage,
    *,
    held: dict[str, float],
    pace: Callable[[InboundMessage], float],
) -> bool:
    """Whether a message needn't wait; `held` are those who write too fast, whose order is kept."""
    who = writer(message)
    if who not in held and message.id not in mailbox.paced:
        seconds = pace(message)
        if seconds > 0:
            held[who] = seconds
        else:
            mailbox.paced.add(message.id)
    return who not in held


def _ready_at(mailbox: Mailbox, message: InboundMessage) -> float:
    """When the group of this message is complete: the latest time that one of its parts names."""
    if message.group_id is None or message.id not in mailbox.ready:
        return mailbox.ready.get(message.id, 0.0)
    group = (one.message for one in mailbox.entries if one.message.group_id == message.group_id)
    return max(mailbox.ready.get(part.id, 0.0) for part in group)
