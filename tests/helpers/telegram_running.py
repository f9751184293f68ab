"""A Telegram adapter that runs against the Bot API server, and what it received."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from channels.messages import InboundMessage, OutboundMessage
from channels.telegram.adapter import TelegramAdapter
from channels.telegram.settings import TelegramSettings
from tests.helpers.telegram_server import TelegramServer


class StoreDown(Exception):
    """What cannot be kept now."""


@dataclass(slots=True)
class Received:
    """Keeps what comes in; refuses it while `down`."""

    messages: list[InboundMessage] = field(default_factory=list)
    refused: int = 0
    down: bool = False
    listening: asyncio.Task[None] | None = None
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def __call__(self, message: InboundMessage) -> None:
        async with self._news:
            self._news.notify_all()
            if self.down:
                self.refused += 1
                raise StoreDown
            self.messages.append(message)

    async def count(self, number: int) -> list[InboundMessage]:
        """Wait for so many messages."""
        async with asyncio.timeout(10), self._news:
            await self._news.wait_for(lambda: len(self.messages) >= number)
        return self.messages

    async def ended(self) -> None:
        """End the listening."""
        if self.listening is not None:
            self.listening.cancel()
            await asyncio.wait({self.listening})

    async def refusals(self, number: int) -> None:
        """Wait until so many were refused."""
        async with asyncio.timeout(10), self._news:
            await self._news.wait_for(lambda: self.refused >= number)


def settings_for(server: TelegramServer, **changes: Any) -> TelegramSettings:
    """Quick settings for a server of this machine."""
    quick: dict[str, Any] = {
        "token": server.token,
        "base_url": server.base_url,
        "poll_seconds": 5,
        "stall_seconds": 5.0,
        "request_seconds": 5.0,
        "first_delay": 0.01,
        "longest_delay": 0.02,
        "edit_seconds": 0.0,
        "group_edit_seconds": 0.0,
    }
    return TelegramSettings(**quick | changes)


@asynccontextmanager
async def adapter_for(server: TelegramServer, **changes: Any) -> AsyncIterator[TelegramAdapter]:
    """An adapter that sends, and is closed afterwards."""
    adapter = TelegramAdapter(
        settings_for(server, **changes), unavailable=(StoreDown,), admits=lambda _: True
    )
    try:
        yield adapter
    finally:
        await adapter.close()


@asynccontextmanager
async def running(adapter: TelegramAdapter, received: Received) -> AsyncIterator[None]:
    """The adapter listens meanwhile; what ends it early ends the test."""
    task = asyncio.create_task(adapter.run(received))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})
        if not task.cancelled():
            task.result()


def reply(chat_id: int, text: str, **changes: Any) -> OutboundMessage:
    """A part of a reply to a chat."""
    fields: dict[str, Any] = {
        "id": f"telegram:{chat_id}/1",
        "channel": "telegram",
        "chat_id": str(chat_id),
        "text": text,
    }
    return OutboundMessage(**fields | changes)
