"""The web as a channel: chats over sockets, and single requests that wait for their answer."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from aiohttp import WSMsgType, web

from channels.adapter import Abilities, ChannelHealth, Receive, Sent
from channels.errors import DeliveryFailed, NotAccepted
from channels.messages import InboundMessage, OutboundMessage, SessionKey
from channels.web.frames import BadFrame, Said, Stop, ack_frame, error_frame, parse_frame
from channels.web.names import all_requests, message_id, stop_id
from channels.web.socket import PATIENCE, Socket
from channels.web.waiting import Waiter, Waiters

Crowded = Callable[[str], AbstractAsyncContextManager[bool]]
"""Whether a person has too many unanswered messages for one more, which is taken in within the block."""

PROTOCOL = "mneme"
"""What a browser offers beside the token that it can't put into a header."""
HEARTBEAT = 20.0
"""Seconds between pings: a client that is gone without a word is noticed after half as long again."""
NO_ANSWER = (
    "no answer is kept under this key or id: its message was stopped, failed, forgotten, or was a command; "
    "a new message takes a new one"
)
"""What is said of a message that is sent again and whose answer is gone."""
LARGEST_FRAME = 1 << 20
"""In bytes, as for the bodies of requests; a larger frame ends the conversation (close code 1009)."""


class Answers(Protocol):
    """What was accepted and answered before."""

    async def accepted(self, message_id: str) -> bool | None:
        """None: never seen. False: waiting. True: answered."""

    async def answer_to(self, message: InboundMessage) -> OutboundMessage | None:
        """The stored answer to a message that is answered; None where none was stored."""

    async def is_other(self, message: InboundMessage) -> bool:
        """Whether other words were accepted under the id of this message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest:
    """Who writes, and in which chat; without a `session_key` the chat makes the session."""

    sender_id: str
    chat_id: str
    session_key: SessionKey | None = None


class WebAdapter:
    """Serves the sockets that somebody opened for it, and whoever waits on a single message.

    An answer goes to every socket of its chat. While none is open it waits for the next one, unless all that it
    answers came as single requests: those are fetched from the store by asking again.
    `unavailable` are the errors of `receive` that say "not now". `crowded` keeps floods out. `patience` is how many seconds a client may take for one frame.
    """

    def __init__(
        self,
        *,
        answers: Answers,
        name: str = "web",
        unavailable: tuple[type[Exception], ...] = (),
        crowded: Crowded = lambda _: nullcontext(enter_result=False),
        patience: float = PATIENCE,
    ) -> None:
        self.name = name
        self.abilities = Abilities(streams=True, idempotent_send=True, asides=False)
        self.answers = answers
        self._unavailable = unavailable
        self._crowded = crowded
        self._patience = patience
        self._receive: Receive | None = None
        self._sockets: dict[str, set[Socket]] = defaultdict(set)
        self._arrivals: dict[str, asyncio.Event] = {}
        self._waiters = Waiters()

    async def run(self, receive: Receive) -> None:
        """Take what is said until cancelled; answers still go out afterwards."""
        self._receive = receive
        try:
            await asyncio.Event().wait()
        finally:
            self._receive = None

    async def converse(self, request: web.Request, guest: Guest) -> web.WebSocketResponse:
        """Open a socket for a guest who may be here, and serve it until they leave."""
        connection = web.WebSocketResponse(
            heartbeat=HEARTBEAT, max_msg_size=LARGEST_FRAME, protocols=(PROTOCOL,), compress=False
        )
        await connection.prepare(request)
        socket = Socket(connection, transport=request.transport, patience=self._patience)
        with self._present(guest.chat_id, socket):
            async for data in connection:
                if data.type is WSMsgType.TEXT:
                    await self._hear(data.data, guest, socket)
                elif data.type is WSMsgType.BINARY:
                    await socket.send(error_frame(None, "a frame is text"))
        return connection

    def waiting(self, message: str) -> AbstractContextManager[Waiter]:
        """Wait for the answer to this message, for as long as the block lasts."""
        return self._waiters.waiting(message)

    def message(self, guest: Guest, *, id: str, text: str) -> InboundMessage:  # noqa: A002 - the message's own word
        """What a guest says, under a message id."""
        return InboundMessage(
            id=id,
            channel=self.name,
            chat_id=guest.chat_id,
            sender_id=guest.sender_id,
            text=text,
            received_at=datetime.now(UTC),
            session_key=guest.session_key or SessionKey(""),
        )

    async def take(self, message: InboundMessage) -> None:
        """Hand a message on; when this returns it is durable. Raises NotAccepted when it can't be taken now."""
        if self._receive is None:
            raise NotAccepted("not listening now")
        try:
            await self._receive(message)
        except self._unavailable as error:
            raise NotAccepted("the message can't be kept now") from error

    async def close(self) -> None:
        """Send every client away; they may come again."""
        self._waiters.leave()
        await asyncio.gather(
            *(socket.close() for sockets in list(self._sockets.values()) for socket in list(sockets))
        )

    async def send(self, message: OutboundMessage) -> Sent:
        """Send a finished answer to whoever is there; nobody: DeliveryFailed, until somebody comes."""
        self.answered([message])
        sockets = list(self._sockets.get(message.chat_id, ()))
        taken = await asyncio.gather(*(socket.reply(message) for socket in sockets))
        if any(taken) or all_requests(message.answers, channel=self.name, chat_id=message.chat_id):
            return Sent(ids=(f"{message.id}/{message.part}",))
        arrival = self._arrivals.setdefault(message.chat_id, asyncio.Event())
        raise DeliveryFailed("no socket of this chat is open", until=arrival)

    def answered(self, messages: Sequence[OutboundMessage]) -> None:
        """Let go whoever waits for these answers, whatever else waits in their chat."""
        for message in messages:
            for waiter in self._waiters.on(message):
                waiter.answered(message)

    def split(self, text: str) -> list[str]:
        """A socket takes any length."""
        return [text]

    async def open_stream(self, message: OutboundMessage) -> str | None:
        """There is nothing to edit: what is written appears as it comes."""
        return None

    async def update_stream(self, message: OutboundMessage) -> None:
        """Show what is written so far."""
        for waiter in self._waiters.on(message):
            waiter.wrote(message.text)
        sockets = list(self._sockets.get(message.chat_id, ()))
        await asyncio.gather(*(socket.stream(message) for socket in sockets))

    async def typing(self, message: OutboundMessage) -> None:
        """Clients know that they wait."""

    def health(self) -> ChannelHealth:
        """There is no platform to lose; sockets prove themselves by answering pings."""
        return ChannelHealth(ok=True, last_round_trip=datetime.now(UTC))

    async def _hear(self, data: str, guest: Guest, socket: Socket) -> None:
        try:
            match parse_frame(data):
                case Said() as said:
                    await self._hear_message(said, guest, socket)
                case Stop():
                    stop = stop_id(self.name, guest.chat_id, str(time.time_ns()))
                    await self.take(self.message(guest, id=stop, text="/stop"))
        except BadFrame as error:
            await socket.send(error_frame(error.id, str(error)))
        except NotAccepted as error:
            await socket.send(error_frame(None, str(error)))

    async def _hear_message(self, said: Said, guest: Guest, socket: Socket) -> None:
        """Acknowledge what is durable; what was answered before is answered again, from the store."""
        message = self.message(guest, id=message_id(self.name, guest.chat_id, said.id), text=said.text)
        with socket.taking(message.id):
            known = await self.answers.accepted(message.id)
            problem = await self._accept(message) if known is None else None
            if problem is None and await self.answers.is_other(message):
                problem = f'the id "{said.id}" is that of another message'
            await socket.send(error_frame(said.id, problem) if problem else ack_frame(said.id))
        if known and problem is None:
            await self._repeat(message, said, socket)

    async def _repeat(self, message: InboundMessage, said: Said, socket: Socket) -> None:
        """Answer again, or say that there is nothing to wait for."""
        answer = await self.answers.answer_to(message)
        if answer is None:
            await socket.send(error_frame(said.id, NO_ANSWER))
        else:
            await socket.reply(answer)

    async def _accept(self, message: InboundMessage) -> str | None:
        """Take a new message in; why it isn't, if it isn't."""
        try:
            async with self._crowded(message.sender_id) as is_crowded:
                if is_crowded:
                    return "too many messages wait for an answer; send it again later"
                await self.take(message)
        except NotAccepted as error:
            return str(error)
        if await self.answers.accepted(message.id) is None:
            return "you may not write here"
        return None

    @contextmanager
    def _present(self, chat_id: str, socket: Socket) -> Iterator[None]:
        self._sockets[chat_id].add(socket)
        if (arrival := self._arrivals.pop(chat_id, None)) is not None:
            arrival.set()
        try:
            yield
        finally:
            self._sockets[chat_id].discard(socket)
            if not self._sockets[chat_id]:
                del self._sockets[chat_id]
