"""Telegram as a channel: one bot, polled or called by webhook, over python-telegram-bot."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import TYPE_CHECKING

from channels.adapter import Abilities, ChannelHealth, Load, Receive, Sent
from channels.courtesy import Pace
from channels.errors import ChannelRefused, DeliveryFailed
from channels.messages import Attachment, ChatKind, InboundMessage, OutboundMessage
from channels.payloads import Json
from channels.telegram import files, markup, outbound
from channels.telegram.inbound import Handle, callback_id, parse_update
from channels.telegram.mentions import Me
from channels.telegram.pastes import Pastes
from channels.telegram.polling import Polling
from channels.telegram.settings import TelegramSettings
from channels.telegram.webhook import Webhook

if TYPE_CHECKING:
    from channels.telegram.client import Client

_TYPING_SECONDS = 4.0
"""Telegram shows typing for five seconds."""

_PROBE_SECONDS = 30.0
"""How often a bot that is called by webhook makes a round trip of its own."""


def _client_for(settings: TelegramSettings) -> "Client":
    client: Client = import_module("channels.telegram.client").Client(settings)
    return client


def _utc_now() -> datetime:
    return datetime.now(UTC)


class TelegramAdapter:
    """One bot.

    `unavailable` are the errors of `receive` that pass (a full disk): the update stays unconfirmed and is tried
    again. `load` gives the content of a file to send. `admits` says whether a pressed button may be answered,
    so that strangers cause nothing at all. `webhook` is to be mounted by a server in webhook mode.
    """

    name = "telegram"
    abilities = Abilities(edits=True, streams=True)

    def __init__(
        self,
        settings: TelegramSettings,
        *,
        unavailable: tuple[type[Exception], ...] = (),
        load: Load | None = None,
        admits: Callable[[InboundMessage], bool] = lambda _: False,
        now: Callable[[], datetime] = _utc_now,
    ) -> None:
        self._settings = settings
        self._load = load
        self._admits = admits
        self._now = now
        self._pastes = Pastes(now)
        self._edits = Pace()
        self._actions = Pace()
        self._floods = Pace()
        self._polling = Polling(
            settings, unavailable=unavailable, polled=self._went_well, failed=self._went_wrong
        )
        self.webhook = Webhook(settings, unavailable=unavailable)
        self._client: Client | None = None
        self._connecting = asyncio.Lock()
        self._last_round_trip: datetime | None = None
        self._error: str | None = None

    async def run(self, receive: Receive) -> None:
        """Listen until cancelled; an outage of any length is waited out. Raises ChannelRefused on a bad token."""
        client = await self._connected()
        try:
            await self._serve(client, receive)
        except ChannelRefused as refused:
            self._went_wrong(str(refused))
            raise

    async def send(self, message: OutboundMessage) -> Sent:
        """Send one part; a wait that Telegram names is in DeliveryFailed.retry_after and never waited here."""
        self._floods.hand_over(message.chat_id)
        client = await self._connected()
        with self._floods.noting_limits(message.chat_id):
            try:
                ids = await outbound.send_part(client, message)
                ids += await files.send_files(client, message, self._load)
            except ChannelRefused as error:
                # The token may be put right; what is owed stays owed until then.
                raise DeliveryFailed(str(error)) from error
        self._went_well()
        return Sent(ids=ids)

    def split(self, text: str) -> list[str]:
        """The parts of a Markdown text that are one message each."""
        return markup.split(text)

    async def open_stream(self, message: OutboundMessage) -> str | None:
        """Send the message that the reply will be edited into; None when that can't be now."""
        if self._flooded(message):
            return None
        self._edits.wait(message.chat_id, seconds=self._edit_pace(message))
        sending = outbound.send_placeholder(await self._connected(), message)
        return await self._floods.preview(sending, place=message.chat_id)

    async def update_stream(self, message: OutboundMessage) -> None:
        """Show what is written so far, at the pace that Telegram allows; skipped when it is too soon."""
        if message.placeholder is None or self._flooded(message):
            return
        if not self._edits.may(message.chat_id, every=self._edit_pace(message)):
            return
        editing = outbound.edit_placeholder(await self._connected(), message)
        await self._floods.preview(editing, place=message.chat_id)

    async def typing(self, message: OutboundMessage) -> None:
        """Show that an answer is being written; skipped while Telegram shows it anyway."""
        place = f"{message.chat_id}#{message.thread_id}"
        if self._flooded(message) or not self._actions.may(place, every=_TYPING_SECONDS):
            return
        showing = outbound.show_typing(await self._connected(), message)
        await self._floods.courtesy(showing, place=message.chat_id)

    async def fetch(self, attachment: Attachment) -> bytes:
        """The content of a file that somebody sent; raises DeliveryFailed (later) or DeliveryRejected (never)."""
        client = await self._connected()
        return await client.download(attachment.remote_id or "")

    def health(self) -> ChannelHealth:
        """Good while the last round trip is younger than a poll may take and nothing has failed since."""
        settings = self._settings
        longest = timedelta(seconds=settings.poll_seconds + settings.stall_seconds + settings.longest_delay)
        last = self._last_round_trip
        fresh = last is not None and self._now() - last <= longest
        error = self._error or (None if fresh else "no round trip lately")
        return ChannelHealth(ok=error is None, last_round_trip=last, error=error)

    async def close(self) -> None:
        """Let the connections of polls and sends go."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()

    async def _serve(self, client: "Client", receive: Receive) -> None:
        me = await self._polling.patiently(client.me)
        self._went_well()

        async def handle(update: Json) -> None:
            await self._take(update, me, receive)

        if self._settings.mode == "webhook":
            await self._listen(client, handle)
        else:
            await self._polling.run(client, handle)

    async def _take(self, update: Json, me: Me, receive: Receive) -> None:
        message = parse_update(update, me=me, now=self._now(), names=self._settings.names, channel=self.name)
        if message is None:
            return
        await receive(self._pastes.joined(message))
        pressed = callback_id(update)
        if pressed is not None and self._admits(message):
            client = await self._connected()
            answering = client.call("answerCallbackQuery", callback_query_id=pressed)
            await self._floods.courtesy(answering, place=message.chat_id)

    async def _listen(self, client: "Client", handle: Handle) -> None:
        """Register the webhook and stay, probing, while the server that mounts it brings the updates."""
        self.webhook.handle_update = handle
        try:
            await self._polling.patiently(lambda: client.call("setWebhook", **self.webhook.registration))
            while True:
                await asyncio.sleep(_PROBE_SECONDS)
                await self._polling.patiently(client.me)
                self._went_well()
        finally:
            self.webhook.handle_update = None

    async def _connected(self) -> "Client":
        """The client; the vendor's library is imported in a thread, because that takes more than a second."""
        async with self._connecting:
            if self._client is None:
                self._client = await asyncio.to_thread(_client_for, self._settings)
            return self._client

    def _flooded(self, message: OutboundMessage) -> bool:
        """Telegram named a time for this chat: nothing that isn't owed goes there before."""
        return not self._floods.may(message.chat_id)

    def _edit_pace(self, message: OutboundMessage) -> float:
        direct = message.chat_kind is ChatKind.DIRECT
        return self._settings.edit_seconds if direct else self._settings.group_edit_seconds

    def _went_well(self) -> None:
        self._last_round_trip, self._error = self._now(), None

    def _went_wrong(self, reason: str) -> None:
        self._error = reason
