"""Long polling: an update is confirmed to Telegram only when it is durable with us."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

import structlog

from channels.errors import DeliveryFailed
from channels.telegram.errors import PollConflict
from channels.telegram.inbound import Handle
from channels.telegram.settings import TelegramSettings

if TYPE_CHECKING:
    from channels.telegram.client import Client

T = TypeVar("T")

log = structlog.get_logger(__name__)


class Polling:
    """Polls until cancelled. `unavailable` are the errors of `handle` after which the same update is tried again."""

    def __init__(
        self,
        settings: TelegramSettings,
        *,
        unavailable: tuple[type[Exception], ...] = (),
        polled: Callable[[], None],
        failed: Callable[[str], None],
    ) -> None:
        self._settings = settings
        self._unavailable = unavailable
        self._polled = polled
        self._failed = failed
        self._offset: int | None = None
        self._said = ""

    async def run(self, client: "Client", handle: Handle) -> None:
        """Poll for ever, also through outages; raises ChannelRefused when the token is wrong.

        A webhook that stands in the way is removed; what waits for it is not dropped but polled.
        """
        while True:
            await self.patiently(lambda: self._poll(client, handle))

    async def patiently(self, step: Callable[[], Awaitable[T]]) -> T:
        """Take a step, again after growing pauses while the platform can't be reached or the store can't keep."""
        delay = self._settings.first_delay
        while True:
            pause = delay
            try:
                result = await step()
            except PollConflict as conflict:
                self._say(str(conflict))
            except DeliveryFailed as error:
                pause = max(delay, error.retry_after or 0)
                self._say(str(error))
            except self._unavailable as error:
                self._say(f"a message could not be kept: {type(error).__name__}")
            else:
                self._said = ""
                return result
            await asyncio.sleep(pause)
            delay = min(2 * delay, self._settings.longest_delay)

    async def _poll(self, client: "Client", handle: Handle) -> None:
        try:
            # After a failure the first answer is wanted at once: it says that the outage is over.
            updates = await client.updates(self._offset, wait=not self._said)
        except PollConflict as conflict:
            if conflict.webhook:
                await client.call("deleteWebhook", drop_pending_updates=False)
            raise
        self._polled()
        for update in updates:
            await handle(update)
            # Only now, and one by one: whatever follows a failure stays unconfirmed.
            if isinstance(number := update.get("update_id"), int):
                self._offset = number + 1

    def _say(self, reason: str) -> None:
        """Report what goes wrong: to health each time, to the log once until it changes."""
        self._failed(reason)
        if reason != self._said:
            log.warning("telegram_poll_failed", reason=reason)
        self._said = reason
