"""A channel without a platform: for tests, benches and whoever embeds Mneme in a program of their own."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime

from channels.adapter import Abilities, ChannelHealth, Receive, Sent
from channels.messages import ChatKind, InboundMessage, OutboundMessage


class LoopbackAdapter:
    """`say` is what a person does, `sent` what they see; a part that is sent twice is shown once."""

    def __init__(self, name: str = "loopback") -> None:
        self.name = name
        self.abilities = Abilities(idempotent_send=True)
        self.sends = 0
        """How many sends there were, repeated ones included."""
        self._receive: asyncio.Future[Receive] | None = None
        self._shown: dict[str, dict[str, OutboundMessage]] = defaultdict(dict)
        self._replies: dict[tuple[str, str], asyncio.Future[OutboundMessage]] = {}
        self._count = 0

    async def run(self, receive: Receive) -> None:
        """Take what is said until cancelled."""
        self._door().set_result(receive)
        try:
            await asyncio.Event().wait()
        finally:
            self._receive = None

    async def say(
        self,
        text: str,
        *,
        chat_id: str = "main",
        sender_id: str = "owner",
        message_id: str | None = None,
        chat_kind: ChatKind = ChatKind.DIRECT,
        thread_id: str | None = None,
        edit_of: str | None = None,
    ) -> str:
        """Say something; returns its id when it is durable."""
        self._count += 1
        message = InboundMessage(
            id=f"{self.name}:{chat_id}/{message_id or self._count}",
            channel=self.name,
            chat_id=chat_id,
            chat_kind=chat_kind,
            thread_id=thread_id,
            sender_id=sender_id,
            text=text,
            received_at=datetime.now(UTC),
            edit_of=edit_of,
        )
        receive = await asyncio.shield(self._door())
        await receive(message)
        return message.id

    async def send(self, message: OutboundMessage) -> Sent:
        """Show a part."""
        part = f"{message.id}/{message.part}"
        self.sends += 1
        self._shown[message.chat_id].setdefault(part, message)
        for message_id in message.answers:
            reply = self._reply(message.chat_id, message_id)
            if not reply.done():
                reply.set_result(message)
        return Sent(ids=(part,))

    def sent(self, chat_id: str = "main") -> Sequence[OutboundMessage]:
        """What a chat shows, in order."""
        return tuple(self._shown[chat_id].values())

    async def reply_to(self, message_id: str, *, chat_id: str = "main") -> OutboundMessage:
        """The first part that answers this message; waits for it."""
        return await asyncio.shield(self._reply(chat_id, message_id))

    async def ask(self, text: str, *, chat_id: str = "main", sender_id: str = "owner") -> str:
        """Say something and wait for the text of the reply."""
        message_id = await self.say(text, chat_id=chat_id, sender_id=sender_id)
        return (await self.reply_to(message_id, chat_id=chat_id)).text

    def split(self, text: str) -> list[str]:
        """One part, however long."""
        return [text]

    async def open_stream(self, message: OutboundMessage) -> str | None:
        """Nothing is shown while it is written."""
        return None

    async def update_stream(self, message: OutboundMessage) -> None:
        """Nothing is shown while it is written."""

    async def typing(self, message: OutboundMessage) -> None:
        """Nothing is shown while it is written."""

    def health(self) -> ChannelHealth:
        """Always well."""
        return ChannelHealth(ok=True, last_round_trip=datetime.now(UTC))

    async def close(self) -> None:
        """There is no connection."""

    def _reply(self, chat_id: str, message_id: str) -> asyncio.Future[OutboundMessage]:
        place = chat_id, message_id
        if place not in self._replies:
            self._replies[place] = asyncio.get_running_loop().create_future()
        return self._replies[place]

    def _door(self) -> asyncio.Future[Receive]:
        if self._receive is None:
            self._receive = asyncio.get_running_loop().create_future()
        return self._receive
