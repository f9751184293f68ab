"""Replies that are shown while they are being written, at the pace that Slack allows in a channel."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from weakref import WeakValueDictionary

from channels.adapter import Sent
from channels.errors import ChannelError, DeliveryFailed
from channels.messages import OutboundMessage
from channels.slack.outbound import Outbound
from channels.slack.recent import Recent
from channels.slack.rendering import texts

_WAITING = "…"
_REMEMBERED = 1000
# What is shown meanwhile may not hold up the answer for longer.
_COURTESY_SECONDS = 5.0


class Streams:
    """Placeholders and what is shown in them; a final answer is never overwritten by an earlier state of it.

    `pace` is the least time in seconds between two updates in one chat, on the given clock.
    """

    def __init__(self, outbound: Outbound, *, pace: float, clock: Callable[[], float]) -> None:
        self._outbound = outbound
        self._pace = pace
        self._clock = clock
        self._next: Recent[str, float] = Recent(limit=_REMEMBERED)
        self._finished: Recent[tuple[str, str], bool] = Recent(limit=_REMEMBERED)
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def open(self, message: OutboundMessage) -> str | None:
        """Post a placeholder; its ts, or None if Slack doesn't take one now."""
        if self._held(message):
            return None
        self._hold(message)
        ts: str | None = None
        with self._courtesy(message):
            async with asyncio.timeout(_COURTESY_SECONDS):
                ts = await self._outbound.post(message, text=_shown(message.text))
        return ts

    async def update(self, message: OutboundMessage) -> None:
        """Show what is written so far, unless it is too early for that or the answer stands already."""
        key = _key(message)
        if message.placeholder is None or self._held(message):
            return
        self._hold(message)
        async with self._lock(key):
            if self._finished.get(key):
                return
            with self._courtesy(message):
                async with asyncio.timeout(_COURTESY_SECONDS):
                    await self._outbound.update(message, text=_shown(message.text))

    async def finish(self, message: OutboundMessage) -> Sent:
        """Send the answer, after whatever update is on its way."""
        key = _key(message)
        async with self._lock(key):
            self._finished.put(key, value=True)
            with self._noting_limits(message):
                return await self._outbound.send(message)

    def _lock(self, key: tuple[str, str]) -> asyncio.Lock:
        return self._locks.setdefault(key, asyncio.Lock())

    def _held(self, message: OutboundMessage) -> bool:
        return self._clock() < (self._next.get(message.chat_id) or 0.0)

    def _hold(self, message: OutboundMessage, seconds: float = 0.0) -> None:
        self._next.put(message.chat_id, value=self._clock() + max(self._pace, seconds))

    @contextmanager
    def _noting_limits(self, message: OutboundMessage) -> Iterator[None]:
        try:
            yield
        except DeliveryFailed as error:
            if error.retry_after is not None:
                self._hold(message, error.retry_after)
            raise

    @contextmanager
    def _courtesy(self, message: OutboundMessage) -> Iterator[None]:
        """What is shown meanwhile may fail silently; the answer itself is what must arrive."""
        with suppress(ChannelError, TimeoutError), self._noting_limits(message):
            yield


def _key(message: OutboundMessage) -> tuple[str, str]:
    return message.chat_id, message.placeholder or message.id


def _shown(text: str) -> str:
    """The end of a long text that is being written would jump; its beginning stands still."""
    return next(iter(texts(text)), _WAITING)
