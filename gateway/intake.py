"""The one way in: who speaks, which session, `/stop` at once, everything else durable and on the bus."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from math import ceil
from typing import Protocol

import structlog

from channels.messages import InboundMessage, OutboundMessage, SessionKey
from gateway.bus import Bus, rides_along
from gateway.journal.base import Journal
from gateway.replies import Say, say
from gateway.turns.commands import parse
from gateway.turns.reply import language_of, replies_to
from memory.errors import StoreUnavailable

log = structlog.get_logger(__name__)


class Turns(Protocol):
    """What `/stop` and `interrupt` need of the dispatcher."""

    def stop(self, key: SessionKey, message: InboundMessage | None = None) -> bool:
        """End the session's running turn; whether one was running."""

    def interrupt(self, message: InboundMessage) -> bool:
        """End the running turn that answers the same person; whether one was running."""


class Intake:
    """Takes every message in, from whatever channel it comes. `admit` gives it with its person set, or None."""

    def __init__(
        self,
        journal: Journal,
        bus: Bus,
        turns: Turns,
        *,
        admit: Callable[[InboundMessage], InboundMessage | None],
        session_of: Callable[[InboundMessage], Awaitable[SessionKey]],
        deliver: Callable[[list[OutboundMessage]], None],
        refused: Callable[[InboundMessage], Awaitable[None]],
        tell: Callable[[OutboundMessage], Awaitable[None]],
        language: str = "auto",
        interrupt: bool = False,
    ) -> None:
        self._journal = journal
        self._bus = bus
        self._turns = turns
        self._admit = admit
        self._session_of = session_of
        self._deliver = deliver
        self._refused = refused
        self._tell = tell
        self._told: set[str] = set()
        self._slowed: set[tuple[SessionKey, str]] = set()
        self._language = language
        self._interrupt = interrupt

    async def receive(self, message: InboundMessage) -> None:
        """Accept a message; when this returns it is durable and the platform may be told so.

        A message that is not admitted goes to `refused`, and one that was accepted before ends here. Raises
        StoreUnavailable when it can't be kept: the platform is then not told that we have it, and sends it again.
        """
        admitted = self._admit(message)
        if admitted is None:
            await self._refused(message)
            return
        try:
            admitted = replace(admitted, session_key=await self._session_of(admitted))
            await self._take(admitted)
        except StoreUnavailable:
            await self._complain(admitted)
            raise
        self._told.discard(admitted.chat_id)

    async def _take(self, message: InboundMessage) -> None:
        """Make the message durable and send it on its way."""
        if message.edit_of is not None and await self._replaced(message):
            return
        command = parse(message)
        is_stop = command is not None and command.name == "stop"
        entry = await self._journal.accept(message)
        if entry is None:
            log.debug("message_known", message=message.id)
            return
        if is_stop:
            await self._stop(message)
            return
        self._bus.publish(entry)
        await self._slow_down(message, self._bus.wait(message))
        if self._interrupt and command is None and not rides_along(message):
            self._turns.interrupt(message)

    async def _slow_down(self, message: InboundMessage, seconds: float) -> None:
        """Tell whoever writes too fast, once, when the messages that wait are answered."""
        who = (message.session_key, message.sender_id)
        if seconds <= 0:
            self._slowed.discard(who)
        elif who not in self._slowed:
            self._slowed.add(who)
            await self._tell(self._reply(message, Say.FLOOD, seconds=ceil(seconds)))

    async def _complain(self, message: InboundMessage) -> None:
        """Tell the sender, once, that nothing can be kept now."""
        if message.chat_id not in self._told:
            self._told.add(message.chat_id)
            await self._tell(self._reply(message, Say.DISK_FULL))

    async def _replaced(self, message: InboundMessage) -> bool:
        """An edit of a message whose turn has not begun takes its place."""
        return self._bus.replace(message) and await self._journal.replace(message)

    async def _stop(self, message: InboundMessage) -> None:
        """`/stop` never waits behind the turn that it should stop."""
        if self._turns.stop(message.session_key, message):
            return
        waiting = self._bus.waiting(message.session_key)
        reply = self._reply(message, Say.NOTHING_TO_STOP, waiting=waiting)
        await self._journal.respond(answered=[message.id], replies=[reply])
        self._deliver([reply])

    def _reply(self, message: InboundMessage, sentence: Say, **values: object) -> OutboundMessage:
        text = say(sentence, language_of(message, setting=self._language), **values)
        [reply] = replies_to(message, [text])
        return reply
