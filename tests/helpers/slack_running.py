"""Running the Slack adapter in a test."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from channels.messages import InboundMessage
from channels.slack.adapter import SlackAdapter
from channels.slack.settings import SlackSettings
from tests.helpers.slack_server import SlackServer


class Inbox:
    """Keeps what is received once each, as the journal does; `failures` are raised first."""

    def __init__(self, slack: SlackServer) -> None:
        self._slack = slack
        self.messages: dict[str, InboundMessage] = {}
        self.order: list[str] = []
        self.failures: list[Exception] = []
        self.received = 0

    async def __call__(self, message: InboundMessage) -> None:
        self.received += 1
        self._slack.changed()
        if self.failures:
            raise self.failures.pop()
        if message.id not in self.messages:
            self.messages[message.id] = message
            self.order.append(message.text)
        self._slack.changed()

    @property
    def addressed(self) -> dict[str, bool]:
        """By text, whether it was said to us."""
        return {message.text: message.addressed for message in self.messages.values()}

    async def have(self, count: int) -> list[InboundMessage]:
        """The messages, once there are as many."""
        await self._slack.until(lambda: len(self.messages) >= count)
        return list(self.messages.values())


def settings(slack: SlackServer, **more: object) -> SlackSettings:
    """The settings for a local Slack, with everything that takes seconds taking less."""
    values = {
        "bot_token": slack.bot_token,
        "app_token": slack.app_token,
        "base_url": slack.base_url,
        "ping_seconds": 0.1,
        "probe_seconds": 0.1,
        "retry_seconds": 0.01,
        "request_seconds": 2.0,
        "stream_seconds": 0.0,
    }
    return SlackSettings(**(values | more))  # type: ignore[arg-type]


@asynccontextmanager
async def running(
    adapter: SlackAdapter, receive: Callable[[InboundMessage], Awaitable[None]]
) -> AsyncIterator["asyncio.Task[None]"]:
    """Run the adapter while the block runs; the task says how it ended."""
    task = asyncio.create_task(adapter.run(receive))
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait([task])


async def until_health(slack: SlackServer, adapter: SlackAdapter, *, ok: bool) -> None:
    """Wait until the adapter says so."""
    await slack.until(lambda: adapter.health().ok is ok)
