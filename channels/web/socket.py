"""One open socket: frames out in order, never longer than patience lasts; pieces of an answer as it takes them."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from aiohttp import WSCloseCode, web

from channels.messages import OutboundMessage
from channels.web.frames import Frame, delta_frame, encode, reply_frame

PATIENCE = 10.0
"""Seconds that a client may take for one frame; whoever reads slower is as good as gone, and may come again."""
_ACK_SECONDS = 1.0
"""How long an answer waits for the acknowledgement of its message: that comes at once, unless the message isn't kept."""


class Socket:
    """What a client of a chat is sent."""

    def __init__(
        self,
        connection: web.WebSocketResponse,
        *,
        transport: asyncio.Transport | None,
        patience: float,
    ) -> None:
        self._connection = connection
        self._transport = transport
        self._patience = patience
        self._sending = asyncio.Lock()
        self._shown = ("", "")
        """The turn whose answer is being written, and what of it was sent."""
        self._taking = ""
        self._settled = asyncio.Event()

    @contextmanager
    def taking(self, message_id: str) -> Iterator[None]:
        """While the block lasts this message of the client isn't acknowledged yet: nothing of its answer goes before."""
        self._taking = message_id
        self._settled.clear()
        try:
            yield
        finally:
            self._taking = ""
            self._settled.set()

    async def send(self, frame: Frame) -> bool:
        """Whether the frame went out; if not, the client is cut off."""
        try:
            async with asyncio.timeout(self._patience), self._sending:
                await self._connection.send_str(encode(frame))
        except (TimeoutError, ConnectionError):
            if self._transport is not None:
                self._transport.abort()
            return False
        return not self._connection.closed

    async def reply(self, message: OutboundMessage) -> bool:
        """Send a finished answer; whether it went out."""
        await self._acknowledged(message)
        return await self.send(reply_frame(message))

    async def stream(self, message: OutboundMessage) -> None:
        """Send what is new of an answer in the making; a client that is still reading gets it with the next piece."""
        await self._acknowledged(message)
        if self._sending.locked():
            return
        turn, shown = self._shown
        start = len(shown) if turn == message.id and message.text.startswith(shown) else 0
        if start < len(message.text):
            self._shown = (message.id, message.text)
            await self.send(delta_frame(message, start=start))

    async def close(self) -> None:
        """End the conversation because we are going; the client may come again."""
        await self._connection.close(code=WSCloseCode.GOING_AWAY, drain=False)

    async def _acknowledged(self, message: OutboundMessage) -> None:
        """Return when what this answers is acknowledged, or was not about to be."""
        if self._taking in (message.id, *message.answers):
            with suppress(TimeoutError):
                async with asyncio.timeout(_ACK_SECONDS):
                    await self._settled.wait()
