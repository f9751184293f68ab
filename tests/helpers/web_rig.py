"""The web channel with a real server and a real client, for the contract of channels."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from aiohttp import web

from channels.adapter import Sent
from channels.messages import InboundMessage, OutboundMessage
from channels.web.adapter import Guest, WebAdapter


class Remembered:
    """Knows a message from the second time on."""

    def __init__(self) -> None:
        self._ids: set[str] = set()

    async def accepted(self, message_id: str) -> bool | None:
        """None the first time."""
        known = message_id in self._ids
        self._ids.add(message_id)
        return False if known else None

    async def answer_to(self, message: InboundMessage) -> OutboundMessage | None:
        """Nothing is answered here."""
        return None

    async def is_other(self, message: InboundMessage) -> bool:
        """Nobody numbers twice."""
        return False


class Client:
    """A person's browser: shows each answer once, however often it comes."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._news = asyncio.Condition()
        self._replies: dict[tuple[str, str], str] = {}
        self._acks: set[str] = set()
        self._said = 0
        self.received = 0

    @property
    def is_connected(self) -> bool:
        """Whether nobody has sent this client away."""
        return not self._socket.closed

    async def read(self) -> None:
        """Take frames until the socket closes."""
        async for data in self._socket:
            frame: dict[str, Any] = data.json()
            async with self._news:
                if frame["type"] == "reply":
                    self.received += 1
                    self._replies[frame["turn"], frame["text"]] = frame["text"]
                elif frame["type"] == "ack":
                    self._acks.add(frame["id"])
                self._news.notify_all()

    async def say(self, text: str) -> str:
        """Say something; returns when it is acknowledged."""
        self._said += 1
        name = str(self._said)
        await self._socket.send_json({"type": "message", "id": name, "text": text})
        async with asyncio.timeout(10), self._news:
            await self._news.wait_for(lambda: name in self._acks)
        return name

    async def got(self, replies: int) -> None:
        """Wait for so many answers."""
        async with asyncio.timeout(10), self._news:
            await self._news.wait_for(lambda: self.received >= replies)

    def shown(self) -> list[str]:
        """The answers, in order."""
        return list(self._replies.values())


class WatchedAdapter(WebAdapter):
    """Returns from a send when the client has it, so that a test can look at once."""

    client: Client | None = None

    async def send(self, message: OutboundMessage) -> Sent:
        """Send, and wait for the client."""
        before = self.client.received if self.client is not None else 0
        sent = await super().send(message)
        if self.client is not None:
            await self.client.got(before + 1)
        return sent


@asynccontextmanager
async def web_channel() -> AsyncIterator[tuple[WebAdapter, Client]]:
    """The adapter, with one client in the chat `desk`."""
    adapter = WatchedAdapter(answers=Remembered())

    async def serve(request: web.Request) -> web.StreamResponse:
        return await adapter.converse(request, Guest(sender_id="ann", chat_id="desk"))

    application = web.Application()
    application.router.add_get("/ws", serve)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    async with aiohttp.ClientSession(address) as http, http.ws_connect("/ws") as socket:
        adapter.client = client = Client(socket)
        reading = asyncio.create_task(client.read())
        yield adapter, client
        await adapter.close()
        await reading
    await runner.cleanup()
