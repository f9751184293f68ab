"""A terminal chat through the running daemon: the same screen, with a socket where the gateway would be."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from channels.terminal import Answer, Screen
from gateway.cli.command import CommandFailed
from gateway.cli.daemon import control_session

_PATIENCE_SECONDS = 30.0
"""How long a daemon may be away (a restart takes a few) before we give up on it."""
_PAUSE_SECONDS = 0.3
_REMEMBERED = 100

Connect = Callable[[], AbstractAsyncContextManager[aiohttp.ClientWebSocketResponse]]


class RemoteChat:
    """Reads from the screen, sends, waits for the answer, until the input ends.

    A connection that is lost is made anew, and what has no answer yet is sent again under its id: it is the same
    message, whatever became of the first one.
    """

    def __init__(self, screen: Screen, *, connect: Connect, patience: float = _PATIENCE_SECONDS) -> None:
        self._screen = screen
        self._connect = connect
        self._patience = patience
        self._asked: dict[str, str] | None = None
        """The message that has no answer yet."""
        self._answered = asyncio.Event()
        self._connected = asyncio.Event()
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._written = ""
        self._shown = deque[tuple[str, str]](maxlen=_REMEMBERED)
        self._stopping: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Chat; CommandFailed when the daemon is gone and does not come back."""
        self._screen.interrupts(self._interrupt)
        listening = asyncio.create_task(self._listen())
        talking = asyncio.create_task(self._talk())
        try:
            await asyncio.wait({listening, talking}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (listening, talking):
                task.cancel()
            results = await asyncio.gather(listening, talking, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                raise result

    async def _talk(self) -> None:
        while (text := await self._screen.read()) is not None:
            if text.strip():
                await self._ask(text)

    async def _ask(self, text: str) -> None:
        self._answered.clear()
        self._asked = {"type": "message", "id": str(time.time_ns()), "text": text}
        await self._connected.wait()
        await self._send(self._asked)
        await self._answered.wait()

    async def _send(self, frame: dict[str, str]) -> None:
        """What gets lost here is sent again with the next connection."""
        if self._socket is not None and not self._socket.closed:
            try:
                await self._socket.send_json(frame)
            except ConnectionError:
                await self._socket.close()

    def _interrupt(self) -> None:
        stop = asyncio.get_running_loop().create_task(self._send({"type": "stop"}))
        self._stopping.add(stop)
        stop.add_done_callback(self._stopping.discard)

    async def _listen(self) -> None:
        """Hear what the daemon says, over one connection after the other."""
        lost_at = time.monotonic()
        while True:
            try:
                async with self._connect() as socket:
                    await self._hear(socket)
                lost_at = time.monotonic()
            except (aiohttp.ClientError, OSError) as error:
                if time.monotonic() - lost_at > self._patience:
                    raise CommandFailed("the daemon is gone; what has no answer yet is kept") from error
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _hear(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._connected.set()
        try:
            if self._asked is not None:
                await self._send(self._asked)
            async for data in socket:
                if data.type is aiohttp.WSMsgType.TEXT:
                    self._take(data.json())
        finally:
            self._connected.clear()
            self._socket = None

    def _take(self, frame: dict[str, Any]) -> None:
        ours = self._asked["id"] if self._asked is not None else None
        match frame["type"]:
            case "delta" if frame["id"] == ours:
                self._written = self._written[: frame["at"]] + frame["text"]
                self._screen.stream(self._written)
            case "reply":
                self._reply(frame, is_ours=ours in frame["ids"])
            case "error" if frame["id"] == ours:
                self._screen.answer(Answer(text=frame["message"]))
                self._end()

    def _reply(self, frame: dict[str, Any], *, is_ours: bool) -> None:
        """Show an answer, ours or an earlier one that waited; one that comes again has been seen."""
        if (place := (frame["turn"], frame["text"])) not in self._shown:
            self._shown.append(place)
            if is_ours:
                self._screen.answer(Answer(text=frame["text"], turn=frame["turn"], seq=frame["seq"]))
            else:
                self._screen.show(frame["text"])
        if is_ours:
            self._end()

    def _end(self) -> None:
        self._written, self._asked = "", None
        self._answered.set()


@asynccontextmanager
async def connect_to(state: Path, key: str) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """A socket to the daemon of this state directory, in the session of this key."""
    async with (
        control_session(state, seconds=_PATIENCE_SECONDS) as http,
        http.ws_connect("/ws", params={"key": key}, heartbeat=20.0) as socket,
    ):
        yield socket
