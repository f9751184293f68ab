"""A whole gateway with its HTTP server on a free port, and the clients that scenarios talk to it with."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from channels.adapter import ChannelAdapter
from gateway.app import Gateway, open_stores, operation_ports
from gateway.app.web import Web, http_server, visitors_for, web_channels
from gateway.http.server import HttpServer
from gateway.http.sockets import unix_address
from gateway.http.visitors import Visitors
from gateway.llm.client import LLMClient
from gateway.llm.scripted import ScriptedLLM
from gateway.operations.operation import Document
from gateway.service.clock import Clock, SystemClock
from gateway.service.prometheus import PrometheusMetrics
from gateway.tools.tool import Tool
from tests.helpers.house import settings_for


class Talk:
    """A web chat's socket: `say` and read frames, in a test's words."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.frames: list[dict[str, Any]] = []

    async def say(self, text: str, *, id: str) -> None:  # noqa: A002 - the frame's own word
        """Send a message."""
        await self.socket.send_json({"type": "message", "id": id, "text": text})

    async def next(self, kind: str) -> dict[str, Any]:
        """The next frame of this type; those before it are kept in `frames`."""
        async with asyncio.timeout(20):
            while True:
                frame: dict[str, Any] = await self.socket.receive_json()
                self.frames.append(frame)
                if frame["type"] == kind:
                    return frame

    async def ask(self, text: str, *, id: str) -> dict[str, Any]:  # noqa: A002 - the same
        """Send a message and wait for the reply."""
        await self.say(text, id=id)
        return await self.next("reply")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebHouse:
    """What a scenario needs at hand. `client` speaks to the public address, `control` to the control socket."""

    gateway: Gateway
    channels: Web
    server: HttpServer
    visitors: Visitors
    client: aiohttp.ClientSession
    control: aiohttp.ClientSession
    llm: LLMClient

    @property
    def url(self) -> str:
        """The public address."""
        return f"http://127.0.0.1:{self.server.port}"

    @asynccontextmanager
    async def talk(self, session: str = "default", *, token: str = "", **options: Any) -> AsyncIterator[Talk]:
        """An open web chat."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with self.client.ws_connect(
            "/ws", params={"session": session}, headers=headers, **options
        ) as socket:
            yield Talk(socket)

    async def complete(
        self, text: str, *, headers: Mapping[str, str] | None = None, **body: Any
    ) -> tuple[int, dict[str, Any]]:
        """One completion: its status and document."""
        document = {"model": "any", "messages": [{"role": "user", "content": text}], **body}
        async with self.client.post("/v1/chat/completions", json=document, headers=headers) as response:
            return response.status, await response.json()


@asynccontextmanager
async def web_house(
    state: Path,
    llm: LLMClient | None = None,
    *,
    toml: str = "",
    adapters: Sequence[ChannelAdapter] = (),
    tools: Sequence[Tool] = (),
    overrides: Mapping[str, str] | None = None,
    clock: Clock | None = None,
) -> AsyncIterator[WebHouse]:
    """A running gateway that serves HTTP; leaving the block drains and stops it. `toml` is its mneme.toml."""
    if toml:
        state.mkdir(parents=True, exist_ok=True)
        (state / "mneme.toml").write_text(toml)
    settings = settings_for(state, **{"gateway__http": "127.0.0.1:0", **(overrides or {})})
    model = llm or ScriptedLLM(otherwise=lambda prompt: f"heard: {prompt.newest}")
    clock = clock or SystemClock()
    async with open_stores(settings) as stores:
        channels = web_channels(settings, stores, clock=clock)
        gateway = Gateway(settings, stores, adapters=[*channels.adapters, *adapters], llm=model, tools=tools)
        visitors = visitors_for(settings, stores)
        server = http_server(
            gateway,
            channels,
            operations=operation_ports(settings, stores),
            visitors=visitors,
            reload=_reload,
            metrics=PrometheusMetrics(),
            clock=clock,
        )
        async with _running(gateway, server), _clients(server, state) as (client, control):
            yield WebHouse(
                gateway=gateway,
                channels=channels,
                server=server,
                visitors=visitors,
                client=client,
                control=control,
                llm=model,
            )


async def _reload() -> Document:
    return {"applied": [], "needs_restart": []}


@asynccontextmanager
async def _running(gateway: Gateway, server: HttpServer) -> AsyncIterator[None]:
    leave, ready = asyncio.Event(), asyncio.Event()

    async def left() -> None:
        ready.set()
        await leave.wait()

    await server.open()
    running = asyncio.create_task(gateway.run(left))
    try:
        await ready.wait()
        yield
    finally:
        leave.set()
        await running
        await server.close()


@asynccontextmanager
async def _clients(
    server: HttpServer, state: Path
) -> AsyncIterator[tuple[aiohttp.ClientSession, aiohttp.ClientSession]]:
    with unix_address(state / "control.sock") as address:
        connector = aiohttp.UnixConnector(path=address)
        async with (
            aiohttp.ClientSession(f"http://127.0.0.1:{server.port}") as client,
            aiohttp.ClientSession("http://localhost", connector=connector) as control,
        ):
            yield client, control
