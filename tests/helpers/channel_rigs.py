"""Every channel with its platform, for the contract suite: a person who writes, and what that person sees."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

from channels.adapter import ChannelAdapter, Receive
from channels.loopback import LoopbackAdapter
from channels.messages import InboundMessage, OutboundMessage
from channels.slack.adapter import SlackAdapter
from channels.slack.entities import unescape
from channels.terminal import Answer, TerminalAdapter
from tests.helpers.slack_running import settings
from tests.helpers.slack_server import SlackServer
from tests.helpers.telegram_running import adapter_for
from tests.helpers.telegram_server import TelegramServer
from tests.helpers.web_rig import web_channel


@dataclass(slots=True, kw_only=True)
class Rig:
    """`say` is what a person does while the adapter runs, `shown` what they see in the chat `chat_id`.

    `connections` counts what is open on the platform's side.
    """

    adapter: ChannelAdapter
    chat_id: str
    say: Callable[[str], Awaitable[object]]
    shown: Callable[[], list[str]]
    connections: Callable[[], int] = lambda: 0
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


class Keyboard:
    """A terminal's screen whose lines come from the test."""

    def __init__(self) -> None:
        self.lines: asyncio.Queue[str] = asyncio.Queue()
        self.shown: list[str] = []

    async def read(self) -> str | None:
        """The next line."""
        return await self.lines.get()

    def stream(self, text: str) -> None:
        """What is on its way is not kept."""

    def answer(self, answer: Answer) -> None:
        """What is awaited is shown as everything else."""
        self.show(answer.text)

    def show(self, text: str) -> None:
        """Only what says something is seen."""
        self.shown += [text] if text else []

    def interrupts(self, on_interrupt: Callable[[], None]) -> None:
        """Nobody interrupts."""


class AnsweringTerminal(TerminalAdapter):
    """Answers each line at once and without a word: a terminal reads the next line when the last is answered."""

    async def run(self, receive: Receive) -> None:
        """Receive, and answer."""

        async def received(message: InboundMessage) -> None:
            await receive(message)
            await self.send(
                OutboundMessage(
                    id=message.id, channel=self.name, chat_id=message.chat_id, text="", answers=(message.id,)
                )
            )

        await super().run(received)


@asynccontextmanager
async def terminal() -> AsyncIterator[Rig]:
    """A person at a keyboard."""
    keyboard = Keyboard()
    yield Rig(
        adapter=AnsweringTerminal(keyboard),
        chat_id="main",
        say=keyboard.lines.put,
        shown=lambda: keyboard.shown,
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
            connections=server.connections,
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
            connections=server.connections,
        )


@asynccontextmanager
async def web() -> AsyncIterator[Rig]:
    """Our own server and a client's socket."""
    async with web_channel() as (adapter, client):
        yield Rig(
            adapter=adapter,
            chat_id="desk",
            say=client.say,
            shown=client.shown,
            connections=lambda: int(client.is_connected),
        )


RIGS: dict[str, Callable[[], AbstractAsyncContextManager[Rig]]] = {
    "loopback": loopback,
    "slack": slack,
    "telegram": telegram,
    "terminal": terminal,
    "web": web,
}
