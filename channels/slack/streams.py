"""Replies that are shown while they are being written, at the pace that Slack allows in a channel."""

import asyncio
from weakref import WeakValueDictionary

from channels.adapter import Sent
from channels.courtesy import Pace
from channels.messages import OutboundMessage
from channels.recent import Recent
from channels.slack.outbound import Outbound
from channels.slack.rendering import texts

_WAITING = "…"
_REMEMBERED = 1000


class Streams:
    """Placeholders and what is shown in them; a final answer is never overwritten by an earlier state of it.

    `every` is the least time in seconds between two updates in one chat.
    """

    def __init__(self, outbound: Outbound, *, every: float) -> None:
        self._outbound = outbound
        self._every = every
        self._pace = Pace()
        self._finished: Recent[tuple[str, str], bool] = Recent(limit=_REMEMBERED)
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def open(self, message: OutboundMessage) -> str | None:
        """Post a placeholder; its ts, or None if Slack doesn't take one now."""
        if not self._pace.may(message.chat_id, every=self._every):
            return None
        posting = self._outbound.post(message, text=_shown(message.text))
        return await self._pace.preview(posting, place=message.chat_id)

    async def update(self, message: OutboundMessage) -> None:
        """Show what is written so far, unless it is too early for that or the answer stands already."""
        key = _key(message)
        if message.placeholder is None or not self._pace.may(message.chat_id, every=self._every):
            return
        async with self._lock(key):
            if self._finished.get(key):
                return
            updating = self._outbound.update(message, text=_shown(message.text))
            await self._pace.preview(updating, place=message.chat_id)

    async def finish(self, message: OutboundMessage) -> Sent:
        """Send the answer, after whatever update is on its way."""
        key = _key(message)
        async with self._lock(key):
            self._finished[key] = True
            self._pace.hand_over(message.chat_id)
            with self._pace.noting_limits(message.chat_id):
                return await self._outbound.send(message)

    def _lock(self, key: tuple[str, str]) -> asyncio.Lock:
        return self._locks.setdefault(key, asyncio.Lock())


def _key(message: OutboundMessage) -> tuple[str, str]:
    return message.chat_id, message.placeholder or message.id


def _shown(text: str) -> str:
    """The end of a long text that is being written would jump; its beginning stands still."""
    return next(iter(texts(text)), _WAITING)
