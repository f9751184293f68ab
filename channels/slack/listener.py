"""From a payload to `receive`: read it, see whether it is said to us, hand it over in order."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from weakref import WeakValueDictionary

from channels.adapter import Receive
from channels.messages import ChatKind, InboundMessage
from channels.payloads import Json
from channels.slack.inbound import Identity, Reading, message_id, read, users_in
from channels.slack.people import People
from channels.slack.settings import SlackSettings
from channels.slack.threads import Threads


class Listener:
    """Takes payloads in while a channel runs; what `receive` raises goes to whoever would acknowledge."""

    def __init__(
        self,
        settings: SlackSettings,
        *,
        identity: Identity,
        receive: Receive,
        people: People,
        threads: Threads,
    ) -> None:
        self._settings = settings
        self._identity = identity
        self._receive = receive
        self._people = people
        self._threads = threads
        self._order: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def accept(self, body: Json) -> None:
        """Return when the payload's message is durable, or when it holds none for us."""
        message = self._read(body, {})
        if message is None:
            return
        # Looking up a name takes longer for one message than for the next; their order stays.
        async with self._order.setdefault(message.chat_id, asyncio.Lock()):
            names = await self._people.names(users_in(body) - {self._identity.user_id})
            message = self._read(body, names) or message
            await self._receive(replace(message, addressed=await self._addressed(message)))

    def _read(self, body: Json, names: Mapping[str, str]) -> InboundMessage | None:
        reading = Reading(
            channel=self._settings.name,
            identity=self._identity,
            received_at=datetime.now(UTC),
            names=names,
        )
        return read(body, reading=reading)

    async def _addressed(self, message: InboundMessage) -> bool:
        """Whether it is said to us: directly, by mention, or in a thread that we take part in."""
        if message.chat_kind is ChatKind.DIRECT:
            return True
        if message.addressed:
            if message.thread_id is not None:
                self._threads.join(message.chat_id, thread_ts=message.thread_id)
            return True
        thread = message.reply_to
        if thread is None:
            return False
        root_id = message_id(self._settings.name, self._identity.team_id, message.chat_id, thread)
        return await self._threads.ours(message, thread_ts=thread, root_id=root_id)
