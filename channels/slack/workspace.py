"""One Slack workspace at work; the room behind the adapter that loads Slack's own libraries."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

from channels.adapter import Load, Receive, Sent
from channels.errors import ChannelRefused, DeliveryFailed
from channels.messages import OutboundMessage
from channels.payloads import Json, mapping, text_of
from channels.slack.api import SlackApi
from channels.slack.events import Events
from channels.slack.listener import Listener
from channels.slack.outbound import Outbound
from channels.slack.people import People
from channels.slack.settings import SlackSettings
from channels.slack.sockets import Sockets
from channels.slack.streams import Streams
from channels.slack.threads import KnowsThread, Threads
from channels.slack.watch import Watch

_GONE = frozenset({"app_uninstalled", "team_access_revoked", "tokens_revoked"})


class Workspace:
    """Listens while `run` runs, sends at any time."""

    def __init__(
        self,
        settings: SlackSettings,
        *,
        knows_thread: KnowsThread,
        load: Load | None,
        now: Callable[[], datetime],
    ) -> None:
        self._settings = settings
        self._api = SlackApi(settings)
        self._threads = Threads(knows_thread)
        self._people = People(self._api, patience=settings.lookup_seconds)
        self.events = Events(settings, accept=self._accept)
        self._listener: Listener | None = None
        self.watch = Watch(self._api, every=settings.probe_seconds, retry=settings.retry_seconds, now=now)
        self.streams = Streams(Outbound(self._api, load=load), every=settings.stream_seconds)

    async def run(self, receive: Receive) -> None:
        """Listen until cancelled; raise ChannelRefused when Slack refuses the token or the app is gone."""
        identity = await self.watch.identify()
        self._listener = Listener(
            self._settings, identity=identity, receive=receive, people=self._people, threads=self._threads
        )
        try:
            await self._listen()
        except ChannelRefused as refused:
            self.watch.failed(str(refused))
            raise
        finally:
            self._listener = None

    async def send(self, message: OutboundMessage) -> Sent:
        """Send a part; the thread it goes to is ours from then on."""
        sent = await self.streams.finish(message)
        if message.thread_id is not None:
            self._threads.join(message.chat_id, thread_ts=message.thread_id)
        return sent

    async def _listen(self) -> None:
        refused: asyncio.Future[ChannelRefused] = asyncio.get_running_loop().create_future()
        sockets = Sockets(
            self._api, settings=self._settings, handle=self.events.envelope, changed=self.watch.poke
        )
        async with asyncio.TaskGroup() as group:
            works = [self.watch.run(sockets.trouble if self._settings.socket_mode else _hears)]
            if self._settings.socket_mode:
                works += [sockets.run() for _ in range(self._settings.connections)]
            tasks = [group.create_task(_reporting(work, refused)) for work in works]
            error = await refused
            for task in tasks:
                task.cancel()
        raise error

    async def _accept(self, body: Json) -> None:
        if self._listener is None:
            raise DeliveryFailed("nobody listens yet")
        if text_of(mapping(body.get("event")).get("type")) in _GONE:
            # Whether it is we who are gone, the next round trip tells.
            self.watch.poke()
            return
        self.watch.heard()
        await self._listener.accept(body)


async def _reporting(work: Awaitable[None], refused: "asyncio.Future[ChannelRefused]") -> None:
    """A refusal ends the channel, not the task group: its error must come out as itself."""
    try:
        await work
    except ChannelRefused as error:
        if not refused.done():
            refused.set_result(error)


async def _hears() -> str | None:
    """In HTTP mode Slack comes to us; there is no connection to lose."""
    return None
