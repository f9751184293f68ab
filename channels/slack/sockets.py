"""Socket Mode: connections to Slack that are replaced when they end, fall silent, or are to be refreshed."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from time import monotonic, time
from typing import Any

import aiohttp
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest

from channels.errors import ChannelRefused, DeliveryFailed
from channels.slack.api import SlackApi, quiet_logger
from channels.slack.faults import Fault, mapped, pause
from channels.slack.settings import SlackSettings

HandleEnvelope = Callable[[AsyncBaseSocketModeClient, SocketModeRequest], Awaitable[None]]
"""Takes an envelope in and acknowledges it, or doesn't: then Slack delivers it again."""

# A connection that ends sooner was none: sockets that Slack ends at once are not opened at once again.
_STEADY_SECONDS = 10.0
_LOOK_SECONDS = 1.0
_PONG_SECONDS = 0.02
# How long we wait for the other side's goodbye; one that fell silent never says it.
_GOODBYE = aiohttp.ClientWSTimeout(ws_close=1.0)


class Sockets:
    """Connections that are each replaced for ever; `changed` is called when one opened or ended."""

    def __init__(
        self, api: SlackApi, *, settings: SlackSettings, handle: HandleEnvelope, changed: Callable[[], None]
    ) -> None:
        self._api = api
        self._settings = settings
        self._handle = handle
        self._changed = changed
        self._live: set[_Socket] = set()
        self._error = "no socket is open yet"

    async def run(self) -> None:
        """Keep one connection until cancelled; raise ChannelRefused."""
        refused: ChannelRefused | None = None
        async with asyncio.TaskGroup() as group:
            try:
                await self._stay_connected(group)
            except ChannelRefused as error:
                refused = error  # as it is, and not in the group's wrapping
        if refused is not None:
            raise refused

    async def trouble(self) -> str | None:
        """Why no event can reach us, or None while a connection answers our pings."""
        alive = [await socket.is_connected() for socket in self._live]
        return None if any(alive) else self._error

    async def _stay_connected(self, group: asyncio.TaskGroup) -> None:
        current: _Socket | None = None
        failures = 0
        try:
            while True:
                try:
                    following = await self._open(group)
                except (DeliveryFailed, Fault) as error:
                    self._error = str(error)
                    self._changed()
                    await asyncio.sleep(pause(failures, first=self._settings.retry_seconds, error=error))
                    failures += 1
                    continue
                # The old one goes last, so that a refresh leaves no gap.
                await self._close(current)
                current = following
                self._changed()
                began = monotonic()
                await current.until_ended()
                self._error = "the socket ended"
                if monotonic() - began > _STEADY_SECONDS:
                    failures = 0
                else:
                    await asyncio.sleep(pause(failures, first=self._settings.retry_seconds))
                    failures += 1
        finally:
            await self._close(current)

    async def _open(self, group: asyncio.TaskGroup) -> "_Socket":
        address = await self._api.open_socket()
        socket = _Socket(self._api, settings=self._settings, handle=self._handle, group=group)
        async with AsyncExitStack() as undo:
            undo.push_async_callback(socket.end)
            with mapped():
                async with asyncio.timeout(self._settings.request_seconds):
                    await socket.begin(address)
            undo.pop_all()
        self._live.add(socket)
        return socket

    async def _close(self, socket: "_Socket | None") -> None:
        if socket is not None:
            self._live.discard(socket)
            await socket.end()


class _Socket(SocketModeClient):
    """The SDK's client for the length of one connection.

    The SDK reconnects by itself, but for ever to an address that is good for one connection, and not at all
    when fetching a new one fails. Here a connection that ends says so, and whoever opened it opens another.
    """

    def __init__(
        self, api: SlackApi, *, settings: SlackSettings, handle: HandleEnvelope, group: asyncio.TaskGroup
    ) -> None:
        super().__init__(
            app_token=settings.app_token,
            logger=quiet_logger(),
            web_client=api.client,
            auto_reconnect_enabled=False,
            ping_interval=settings.ping_seconds,
            on_error_listeners=[self._on_end],
            on_close_listeners=[self._on_end],
        )
        self.proxy = settings.proxy or None
        self._group = group
        self._greeted = asyncio.Event()
        self._ended = asyncio.Event()
        self.message_listeners.append(self._on_message)
        self.socket_mode_request_listeners.append(handle)

    async def begin(self, address: str) -> None:
        """Connect, once, and wait for the greeting and the answer to a ping: one that stays silent is none."""
        self.current_session = await self.aiohttp_client_session.ws_connect(
            address, autoping=False, heartbeat=self.ping_interval, proxy=self.proxy, timeout=_GOODBYE
        )
        self.message_receiver = asyncio.ensure_future(self.receive_messages())
        await self._greeted.wait()
        await self.current_session.ping(b"sdk-ping-pong:%f" % time())
        while self.last_ping_pong_time is None:  # noqa: ASYNC110 - the SDK tells nobody that a pong came
            await asyncio.sleep(_PONG_SECONDS)
        self.current_session_monitor = asyncio.ensure_future(self.monitor_current_session())

    async def end(self) -> None:
        """Close the connection and whatever the SDK runs for it, even when cancelled meanwhile."""
        self.closed = True
        for task in (self.message_processor, self.message_receiver, self.current_session_monitor):
            if task is not None:
                task.cancel()
        try:
            if self.current_session is not None:
                await self.current_session.close()
        finally:
            await self.aiohttp_client_session.close()

    async def until_ended(self) -> None:
        """Return when the connection broke, stopped answering pings, or is to be replaced."""
        while not self._ended.is_set() and await self.is_connected():
            with suppress(TimeoutError):
                async with asyncio.timeout(min(_LOOK_SECONDS, self.ping_interval)):
                    await self._ended.wait()

    async def connect_to_new_endpoint(self, force: bool = False) -> None:
        """Slack asks for another connection; opening it is for whoever opened this one."""
        self._ended.set()

    async def process_message(self) -> None:
        """Handle one frame beside the others, in a task that somebody waits for."""
        raw = await self.message_queue.get()
        message = json.loads(raw)
        if isinstance(message, dict):
            self._group.create_task(self.run_message_listeners(message, raw))

    async def _on_message(
        self, _client: AsyncBaseSocketModeClient, message: dict[str, Any], _raw: str | None
    ) -> None:
        if message.get("type") == "hello":
            self._greeted.set()

    async def _on_end(self, _frame: aiohttp.WSMessage) -> None:
        self._ended.set()
