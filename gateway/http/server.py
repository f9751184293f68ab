"""The server: the public address and the control socket, with the same routes and different doors."""

import asyncio
import errno
import os
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from aiohttp import web

from channels.web.adapter import WebAdapter
from gateway.errors import GatewayError
from gateway.http.api import Api
from gateway.http.bodies import LARGEST_BODY, LARGEST_OPERATION, patient
from gateway.http.connections import Runner
from gateway.http.control import Control, Perform, terminal_guest
from gateway.http.doors import ControlDoor, Door, PublicDoor
from gateway.http.guard import Handler, guard
from gateway.http.health import Health
from gateway.http.hosts import Hosts
from gateway.http.limits import Crowding, Refusals
from gateway.http.pages import Pages
from gateway.http.problems import bad_request, json_response
from gateway.http.sockets import unix_address
from gateway.http.visitors import Visitors
from gateway.service.clock import Clock
from gateway.service.prometheus import CONTENT_TYPE

_CLOSING_SECONDS = 2.0
"""What open requests get at the end: their messages are durable, and their clients ask again."""


@runtime_checkable
class Hook(Protocol):
    """A place that a platform calls: Telegram's webhook, Slack's events."""

    path: str

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Check who calls, and take in what is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpPorts:
    """What is served.

    `web` is the channel of browsers and API clients, `terminal` the one of terminals on the control socket.
    `metrics` gives the exposition for Prometheus. `names` are further host names under which we are reached.
    """

    web: WebAdapter
    terminal: WebAdapter
    visitors: Visitors
    health: Health
    crowded: Crowding
    perform: Perform
    metrics: Callable[[], Awaitable[bytes]]
    model: Callable[[], str]
    clock: Clock
    webhooks: Sequence[Hook] = ()
    names: Sequence[str] = ()


class HttpServer:
    """Listens from `open` on, until `close`. `address` None leaves the public one out."""

    def __init__(self, ports: HttpPorts, *, address: tuple[str, int] | None, control: Path) -> None:
        self._ports = ports
        self._address = address
        self._control = control
        self._runners: list[web.AppRunner] = []
        self._refusals = Refusals(clock=ports.clock)
        self.port: int | None = None
        """The port of the public address, once it is open; the system's choice where 0 was asked for."""

    async def open(self) -> None:
        """Listen; GatewayError with one line when an address can't be had."""
        try:
            await self._open_control()
            if self._address is not None:
                await self._open_public(*self._address)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Send everybody away and let go of the addresses."""
        runners, self._runners = self._runners, []
        if runners:
            await asyncio.gather(self._ports.web.close(), self._ports.terminal.close())
        for runner in reversed(runners):
            await runner.cleanup()
        if runners:
            self._control.unlink(missing_ok=True)

    # ------------------------------------------------------------------ addresses

    async def _open_public(self, host: str, port: int) -> None:
        door = PublicDoor(Hosts(host, names=self._ports.names), self._ports.visitors)
        runner = await self._serve(self._application(door))
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            why = (
                "is in use already" if error.errno == errno.EADDRINUSE else f"can't be had: {error.strerror}"
            )
            raise GatewayError(
                f"{host}:{port} {why}; gateway.http in mneme.toml sets another address"
            ) from error
        self.port = runner.addresses[0][1]

    async def _open_control(self) -> None:
        """A socket that lies there already is nobody's: the lock on the state directory is ours."""
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._control.unlink(missing_ok=True)
            with unix_address(self._control) as address:
                listening.bind(address)
            os.chmod(self._control, 0o600)  # noqa: PTH101 - beside bind, before anybody can connect
            application = self._application(ControlDoor(self._ports.visitors), control=True)
            await web.SockSite(await self._serve(application), listening).start()
        except OSError as error:
            listening.close()
            raise GatewayError(f"{self._control} can't be had: {error.strerror}") from error

    async def _serve(self, application: web.Application) -> web.AppRunner:
        runner = Runner(application, shutdown_timeout=_CLOSING_SECONDS, handler_cancellation=False)
        await runner.setup()
        self._runners.append(runner)
        return runner

    # ------------------------------------------------------------------ routes

    def _application(self, door: Door, *, control: bool = False) -> web.Application:
        ports = self._ports
        signed = frozenset(hook.path for hook in ports.webhooks)
        application = web.Application(
            middlewares=[guard(door, self._refusals, signed=signed)],
            client_max_size=LARGEST_OPERATION if control else LARGEST_BODY,
        )
        api = Api(ports.web, door=door, crowded=ports.crowded, model=ports.model)
        pages = Pages(door=door, perform=ports.perform)
        look = application.router.add_get  # HEAD too: that is how some monitors look
        look("/health", self._health)
        look("/ready", self._ready)
        look("/metrics", self._metrics)
        look("/", pages.page)
        add = application.router.add_route
        add("GET", "/v1/memory", pages.memory)
        add("GET", "/v1/models", api.models)
        add("POST", "/v1/chat/completions", api.complete)
        add("GET", "/ws", self._socket(door, control=control))
        for hook in ports.webhooks:
            add("POST", hook.path, patient(hook.handle))
        if control:
            add("POST", "/control/{operation}", Control(ports.perform).handle)
        return application

    def _socket(self, door: Door, *, control: bool) -> Handler:
        """The web chat; on the control socket also the terminal's, with `key`."""

        async def handle(request: web.Request) -> web.StreamResponse:
            if request.headers.get("Upgrade", "").lower() != "websocket":
                raise bad_request("this path is for WebSockets: ask for an upgrade, as RFC 6455 has it")
            guest = terminal_guest(request, self._ports.terminal) if control else None
            if guest is not None:
                return await self._ports.terminal.converse(request, guest)
            guest = await door.guest(request, request.query.get("session", ""))
            return await self._ports.web.converse(request, guest)

        return handle

    async def _health(self, request: web.Request) -> web.Response:
        """That this is answered says that the event loop turns."""
        return json_response({"ok": True})

    async def _ready(self, request: web.Request) -> web.Response:
        found = await self._ports.health.ready()
        document = {"ready": found.ok, "reasons": dict(found.reasons)}
        return json_response(document, status=200 if found.ok else 503)

    async def _metrics(self, request: web.Request) -> web.Response:
        return web.Response(body=await self._ports.metrics(), headers={"Content-Type": CONTENT_TYPE})
