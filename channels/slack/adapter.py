"""Slack as a channel; its libraries are loaded, in a thread, when it is first used."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING

from aiohttp import web

from channels.adapter import Abilities, ChannelHealth, Load, Receive, Sent
from channels.messages import Attachment, OutboundMessage
from channels.slack.files import Files
from channels.slack.rendering import split
from channels.slack.settings import SlackSettings
from channels.slack.threads import KnowsThread, knows_none

if TYPE_CHECKING:
    from channels.slack.workspace import Workspace


def _utc_now() -> datetime:
    return datetime.now(UTC)


class SlackAdapter:
    """One workspace. `knows_thread` says of a thread from before this start whether it is a conversation of ours.

    `load` gives the content of a file to send. Slack has no way to send once: a post whose answer got lost may be repeated.
    """

    abilities = Abilities(edits=True, streams=True)

    def __init__(
        self,
        settings: SlackSettings,
        *,
        knows_thread: KnowsThread = knows_none,
        load: Load | None = None,
        now: Callable[[], datetime] = _utc_now,
    ) -> None:
        self.name = settings.name
        self.workspace = settings.workspace
        self.path = f"/slack/events/{settings.workspace}" if settings.workspace else "/slack/events"
        self._settings = settings
        self._knows_thread = knows_thread
        self._load = load
        self._now = now
        self._files = Files(settings)
        self._loaded: Workspace | None = None

    async def run(self, receive: Receive) -> None:
        """Listen until cancelled; an envelope is acknowledged after `receive` returned. Raises ChannelRefused."""
        await (await self._opened()).run(receive)

    async def handle(self, request: web.Request) -> web.Response:
        """Answer a POST to `path` in HTTP mode; 401 unless it is signed by Slack."""
        return await (await self._opened()).events.request(request)

    async def send(self, message: OutboundMessage) -> Sent:
        """Post a part, or edit its placeholder into it; raise DeliveryFailed (later) or DeliveryRejected (never)."""
        return await (await self._opened()).send(message)

    def split(self, text: str) -> list[str]:
        """Parts of Markdown that are at most 3,900 characters each, once rendered for Slack."""
        return split(text)

    async def open_stream(self, message: OutboundMessage) -> str | None:
        """Post a placeholder; its `ts`."""
        return await (await self._opened()).streams.open(message)

    async def update_stream(self, message: OutboundMessage) -> None:
        """Show what is written so far; left out where it comes faster than Slack takes it."""
        await (await self._opened()).streams.update(message)

    async def typing(self, message: OutboundMessage) -> None:
        """Slack shows apps typing in no ordinary chat."""

    async def fetch(self, attachment: Attachment) -> bytes:
        """The content of a file that somebody sent; raises DeliveryFailed (later) or DeliveryRejected (never)."""
        return await self._files.fetch(attachment)

    def health(self) -> ChannelHealth:
        """Good while Slack answers who we are and, in Socket Mode, a socket answers pings."""
        return self._loaded.watch.health() if self._loaded else ChannelHealth(ok=False, error="not started")

    async def close(self) -> None:
        """Sockets end with `run`, and each call of the Web API opens and closes a connection of its own."""

    async def _opened(self) -> "Workspace":
        if self._loaded is None:
            module = await asyncio.to_thread(import_module, "channels.slack.workspace")
            if self._loaded is None:
                self._loaded = module.Workspace(
                    self._settings, knows_thread=self._knows_thread, load=self._load, now=self._now
                )
        return self._loaded
