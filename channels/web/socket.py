"""One open socket: frames out in order, never longer than patience lasts; pieces of an answer as it takes them."""

import asyncio

from aiohttp import WSCloseCode, web

from channels.messages import OutboundMessage
from channels.web.frames import Frame, delta_frame, encode, reply_frame

PATIENCE = 10.0
"""Seconds that a client may take for one frame; whoever reads slower is as good as gone, and may come again."""


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
        return await self.send(reply_frame(message))

    async def stream(self, message: OutboundMessage) -> None:
        """Send what is new of an answer in the making; a client that is still reading gets it with the next piece."""
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
