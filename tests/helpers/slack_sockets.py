"""Socket Mode of the strict Slack: envelopes with a deadline, refreshes, refusals, sockets that fall silent."""

import asyncio
import itertools
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aiohttp import WSMsgType, web

if TYPE_CHECKING:
    from tests.helpers.slack_server import SlackServer

RETRIES = 3


@dataclass(slots=True, eq=False)
class Delivery:
    """One payload on its way: `tries` counts the envelopes that carried it, `answer` is what came back."""

    kind: str
    payload: dict[str, Any]
    tries: int = 0
    acknowledged: bool = False
    answer: dict[str, Any] | None = None
    given_up: bool = False
    timer: asyncio.TimerHandle | None = field(default=None, repr=False)


class SocketMode:
    """Connections and what goes over them. `deaf`, `mute`, `brief` and `refuse` count the next connects that go so."""

    def __init__(self, server: "SlackServer", *, ack_seconds: float) -> None:
        self._server = server
        self.ack_seconds = ack_seconds
        self.deaf = 0
        self.mute = 0
        self.refuse = 0
        self.brief = 0
        self.connects = 0
        self.refused = 0
        self.live: list[web.WebSocketResponse] = []
        self._hearing: list[web.WebSocketResponse] = []
        self.deliveries: list[Delivery] = []
        self._requests: list[web.Request] = []
        self._tickets: set[str] = set()
        self._envelopes: dict[str, Delivery] = {}
        self._undelivered: list[Delivery] = []
        self._numbers = itertools.count(1)
        self._tasks: set[asyncio.Task[None]] = set()

    def ticket(self) -> str:
        """An address that is good for one connection."""
        ticket = f"ticket-{next(self._numbers)}"
        self._tickets.add(ticket)
        return f"ws://{self._server.address}/socket?ticket={ticket}"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """One connection, from hello to its end."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.Response(status=403)
        self._tickets.discard(ticket)
        if self.refuse:
            self.refuse -= 1
            self.refused += 1
            self._server.changed()
            return web.Response(status=503)
        deaf, mute = self.deaf > 0, self.mute > 0
        self.deaf, self.mute = max(self.deaf - 1, 0), max(self.mute - 1, 0)
        socket = web.WebSocketResponse(autoping=False)
        await socket.prepare(request)
        if not mute:
            await socket.send_json({"type": "hello", "num_connections": len(self.live) + 1})
        if self.brief:
            self.brief -= 1
            await socket.send_json({"type": "disconnect", "reason": "too_many_websockets"})
        self.connects += 1
        self.live.append(socket)
        self._requests.append(request)
        self._server.changed()
        if not deaf:
            self._hearing.append(socket)
            self._flush()
        try:
            async for frame in socket:
                if frame.type is WSMsgType.PING and socket in self._hearing:
                    await socket.pong(frame.data)
                elif frame.type is WSMsgType.TEXT:
                    self._answered(json.loads(frame.data))
        finally:
            self.live.remove(socket)
            self._requests.remove(request)
            self._hearing = [other for other in self._hearing if other is not socket]
            self._server.changed()
        return socket

    def deliver(self, kind: str, payload: dict[str, Any]) -> Delivery:
        """Send a payload until it is acknowledged, over whatever socket is open."""
        delivery = Delivery(kind, payload)
        self.deliveries.append(delivery)
        self._undelivered.append(delivery)
        self._flush()
        return delivery

    def redeliver(self, delivery: Delivery) -> Delivery:
        """The same payload again, as Slack does minutes later."""
        return self.deliver(delivery.kind, delivery.payload)

    async def disconnect(self, reason: str = "refresh_requested") -> None:
        """Tell every connection to be replaced."""
        for socket in self.live:
            await socket.send_json({"type": "disconnect", "reason": reason})

    async def drop(self) -> None:
        """Cut every connection without a goodbye."""
        for request in self._requests:
            if request.transport is not None:
                request.transport.abort()

    def deafen(self) -> None:
        """Every connection stays open and falls silent."""
        self._hearing.clear()

    async def close(self) -> None:
        """Close what is open and stop every deadline."""
        for delivery in self.deliveries:
            if delivery.timer is not None:
                delivery.timer.cancel()
        for socket in list(self.live):
            await socket.close()

    def _flush(self) -> None:
        while self._undelivered and self._hearing:
            self._send(self._undelivered.pop(0))

    def _send(self, delivery: Delivery) -> None:
        number = next(self._numbers)
        socket = self._hearing[number % len(self._hearing)]
        envelope = {
            "type": delivery.kind,
            "envelope_id": f"envelope-{number}",
            "payload": delivery.payload,
            "accepts_response_payload": delivery.kind != "events_api",
        }
        if delivery.tries:
            envelope |= {"retry_attempt": delivery.tries, "retry_reason": "timeout"}
        delivery.tries += 1
        self._envelopes[f"envelope-{number}"] = delivery
        loop = asyncio.get_running_loop()
        delivery.timer = loop.call_later(self.ack_seconds, self._overdue, delivery)
        task = loop.create_task(socket.send_json(envelope))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._server.changed()

    def _overdue(self, delivery: Delivery) -> None:
        if delivery.acknowledged:
            return
        if delivery.tries > RETRIES:
            delivery.given_up = True
        else:
            self._undelivered.append(delivery)
            self._flush()
        self._server.changed()

    def _answered(self, answer: dict[str, Any]) -> None:
        delivery = self._envelopes.get(answer["envelope_id"])
        if delivery is not None:
            delivery.acknowledged = True
            delivery.answer = answer
            if delivery.timer is not None:
                delivery.timer.cancel()
        self._server.changed()
