"""A whole gateway on Telegram: the Bot API server, the real library, a scripted model, real stores."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from channels.access import Allowed
from channels.messages import InboundMessage
from channels.telegram.adapter import TelegramAdapter
from gateway.app.people import access_for
from gateway.llm.client import Delta, LLMClient, Prompt
from gateway.llm.scripted import Answer, ScriptedLLM
from gateway.tools.tool import Tool
from memory.errors import StoreUnavailable
from tests.helpers import telegram_running
from tests.helpers.house import House, house, settings_for
from tests.helpers.telegram_server import TelegramServer

PEOPLE = range(1001, 1011)
"""Whom the gateway knows, by their numbers."""
FIRST = PEOPLE[0]


def people_toml(numbers: Sequence[int] = PEOPLE, *, groups: Sequence[int] = (), pairing: bool = False) -> str:
    """The configuration that lets these people, and everybody in these groups, talk; the first one is the owner."""
    lines = [
        f'[people.p{number}]\ntelegram = "{number}"\nrole = "{"owner" if number == numbers[0] else "member"}"\n'
        for number in numbers
    ]
    places = ", ".join(f'"telegram:{group}"' for group in groups)
    return "\n".join([*lines, f"[access]\npairing = {str(pairing).lower()}\ngroups = [{places}]\n"])


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramHouse:
    """The house, and the platform that its people write on."""

    house: House
    server: TelegramServer
    adapter: TelegramAdapter

    async def calm(self) -> None:
        """Wait until every update is taken in, everything is answered, and what can be sent is sent."""
        await self.server.wait_for(lambda: not self.server.pending, seconds=30)
        await self.house.calm()

    async def stored(self, key: str) -> list[str]:
        """The words of a session, in order, whoever's."""
        messages = await self.house.gateway.stores.sessions.read(key, from_seq=1, to_seq=1000)
        return [message.content for message in messages]


@asynccontextmanager
async def telegram_house(
    state: Path,
    server: TelegramServer,
    llm: LLMClient | None = None,
    *,
    toml: str = people_toml(),
    tools: Sequence[Tool] = (),
    overrides: Mapping[str, str] | None = None,
    **changes: Any,
) -> AsyncIterator[TelegramHouse]:
    """A running gateway whose one platform is this server; `changes` are settings of the adapter."""
    (state / "mneme.toml").write_text(toml)
    overrides = {"memory__idle_compact_minutes": "0", **(overrides or {})}
    access = access_for(settings_for(state, **overrides))

    def admits(message: InboundMessage) -> bool:
        return isinstance(access.decide(message), Allowed)

    adapter = TelegramAdapter(
        telegram_running.settings_for(server, **changes), unavailable=(StoreUnavailable,), admits=admits
    )
    async with house(state, llm, adapters=[adapter], tools=tools, overrides=overrides) as inside:
        yield TelegramHouse(house=inside, server=server, adapter=adapter)


class WritingLLM(ScriptedLLM):
    """Writes an answer piece by piece; after each piece it waits for `shown(session, text so far)`."""

    def __init__(
        self,
        *answers: Answer,
        otherwise: Answer | None = None,
        piece: int,
        shown: Callable[[str, str], Awaitable[object]],
    ) -> None:
        super().__init__(*answers, otherwise=otherwise, piece=piece)
        self._shown = shown

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """The next answer, at the pace of who reads it."""
        text = ""
        async for delta in super().stream(prompt):
            yield delta
            text += delta.text
            if delta.text:
                await self._shown(prompt.session, text)


async def shown_in(server: TelegramServer, session: str, text: str) -> None:
    """Return when the newest message of a Telegram chat begins so (long answers go on in others)."""
    chat = server.chat(int(session.removeprefix("telegram:").partition("#")[0]))
    start = text.strip()[:2000]
    await server.wait_for(lambda: bool(chat.texts) and chat.texts[-1].startswith(start))


async def hold(event: asyncio.Event, said: str) -> str:
    """The answer, once it may be given."""
    await event.wait()
    return said
