"""Every channel with its platform, for the contract suite: a person who writes, and what that person sees."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

from channels.adapter import ChannelAdapter
from channels.loopback import LoopbackAdapter
from channels.messages import OutboundMessage
from channels.slack.adapter import SlackAdapter
from channels.slack.entities import unescape
from tests.helpers.slack_running import settings
from tests.helpers.slack_server import SlackServer
from tests.helpers.telegram_running import adapter_for
from tests.helpers.telegram_server import TelegramServer
from tests.helpers.web_rig import web_channel


@dataclass(slots=True, kw_only=True)
class Rig:
    """`say` is what a person does while the adapter runs, `shown` what they see in the chat `chat_id`."""

    adapter: ChannelAdapter
    chat_id: str
    say: Callable[[str], Awaitable[object]]
    shown: Callable[[], list[str]]
    turns: int = field(default=0)

    def part(self, text: str, *, placeholder: str | None = None, number: int = 0) -> OutboundMessage:
        """One part of the answer to the newest turn."""
        return OutboundMessage(
            id=f"{self.adapter.name}:{self.chat_id}/turn {self.turns}",
            channel=self.adapter.name,
            chat_id=self.chat_id,
            text=text,
            part=number,
            placeholder=placeholder,
        )


@asynccontextmanager
async def loopback() -> AsyncIterator[Rig]:
    """No platform at all."""
    adapter = LoopbackAdapter()
    yield Rig(
        adapter=adapter,
        chat_id="main",
        say=adapter.say,
        shown=lambda: [message.text for message in adapter.sent()],
    )


@asynccontextmanager
async def telegram() -> AsyncIterator[Rig]:
    """The real library against the Bot API server."""
    async with TelegramServer().serving() as server, adapter_for(server) as adapter:
        server.chat(7)
        yield Rig(
            adapter=adapter,
            chat_id="7",
            say=lambda text: server.say(7, text),
            shown=lambda: list(server.chat(7).texts),
        )


@asynccontextmanager
async def slack() -> AsyncIterator[Rig]:
    """Slack's own SDK against the strict Slack, over Socket Mode."""

    async def say(text: str) -> str:
        return server.say("D1", "U1", text)

    async with SlackServer() as server:
        chat = server.channel("D1")
        yield Rig(
            adapter=SlackAdapter(settings(server)),
            chat_id="D1",
            say=say,
            shown=lambda: [unescape(text) for text in chat.shown()],
        )


@asynccontextmanager
async def web() -> AsyncIterator[Rig]:
    """Our own server and a client's socket."""
    async with web_channel() as (adapter, client):
        yield Rig(adapter=adapter, chat_id="desk", say=client.say, shown=client.shown)


RIGS: dict[str, Callable[[], AbstractAsyncContextManager[Rig]]] = {
    "loopback": loopback,
    "slack": slack,
    "telegram": telegram,
    "web": web,
}
