"""A long paste that Telegram's clients cut into several messages is put together again."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from channels.cuts import utf16_units
from channels.messages import InboundMessage
from channels.recent import Recent

_CUT_AT = 4096
"""Clients cut what is longer; a message of this many UTF-16 units is probably not the last of its kind."""

_MAY_GO_ON = 2048
"""Some cut between words. What is shorter is the last part: what is written next, however soon, is no part."""

_WAIT = timedelta(seconds=2)
_SLACK = timedelta(seconds=1)
"""Telegram dates messages in whole seconds."""
_MOST_OPEN = 1000


@dataclass(frozen=True, slots=True)
class _Paste:
    group_id: str
    written_at: datetime
    seen_at: datetime


class Pastes:
    """Remembers, for each sender in each chat, the paste that may still go on.

    `now` is a clock; both it and the platform's dates must say that two parts belong together, because after an
    outage everything arrives at once.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._open: Recent[tuple[str, str | None, str], _Paste] = Recent(limit=_MOST_OPEN)

    def joined(self, message: InboundMessage) -> InboundMessage:
        """The message, with `group_id` and `ready_at` if it begins or continues a paste."""
        place = (message.chat_id, message.thread_id, message.sender_id)
        if message.attachments or message.edit_of or message.group_id or message.text.startswith("/"):
            self._open.pop(place, None)
            return message
        before, now = self._open.pop(place, None), self._now()
        if before is not None and not _goes_on(before, message, now):
            before = None
        length = utf16_units(message.text)
        if before is None and length < _CUT_AT:
            return message
        group_id = before.group_id if before is not None else message.id
        if length >= _MAY_GO_ON:
            self._open[place] = _Paste(group_id, message.received_at, now)
        return replace(message, group_id=group_id, ready_at=now + _WAIT)


def _goes_on(paste: _Paste, message: InboundMessage, now: datetime) -> bool:
    longest = _WAIT + _SLACK
    return now - paste.seen_at <= longest and message.received_at - paste.written_at <= longest
