"""A whole gateway in the test's process: loopback channel, scripted model, real stores in a directory of its own."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from channels.adapter import ChannelAdapter
from channels.loopback import LoopbackAdapter
from gateway.app import Gateway, Stores, open_stores
from gateway.config import Settings, load
from gateway.llm.client import LLMClient
from gateway.llm.scripted import ScriptedLLM
from gateway.tools.tool import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """What a scenario needs at hand."""

    gateway: Gateway
    loopback: LoopbackAdapter

    async def ask(self, text: str, *, chat_id: str = "main") -> str:
        """Say something and wait for the text of the reply."""
        return await self.loopback.ask(text, chat_id=chat_id)

    async def calm(self) -> None:
        """Wait until everything is answered and delivered, and no job is left to run now."""
        await self.gateway.drain()
        await self.gateway.background.worker.drain()
        await self.gateway.drain()


def settings_for(state: Path, **overrides: str) -> Settings:
    """The defaults, without HTTP; `sessions__store="jsonl"` sets sessions.store."""
    environ = {"MNEME_GATEWAY__HTTP": "", "MNEME_LLM__PROVIDER": "rote", "TZ": "UTC"}
    environ["MNEME_ACCESS__MESSAGES_PER_MINUTE"] = "0"  # tests write faster than people do
    environ |= {f"MNEME_{name.upper()}": value for name, value in overrides.items()}
    return load(state=state, environ=environ)


@asynccontextmanager
async def house(
    state: Path,
    llm: LLMClient | None = None,
    *,
    adapters: Sequence[ChannelAdapter] = (),
    connect: Callable[[Stores], ChannelAdapter] | None = None,
    tools: Sequence[Tool] = (),
    overrides: Mapping[str, str] | None = None,
) -> AsyncIterator[House]:
    """A running gateway; leaving the block drains and stops it. `connect` makes an adapter that asks the stores."""
    loopback = LoopbackAdapter()
    settings = settings_for(state, **(overrides or {}))
    async with open_stores(settings) as stores:
        model = llm or ScriptedLLM(otherwise=lambda prompt: f"heard: {prompt.newest}")
        connected = [connect(stores)] if connect is not None else []
        gateway = Gateway(
            settings, stores, adapters=[loopback, *adapters, *connected], llm=model, tools=tools
        )
        leave = asyncio.Event()

        async def left() -> None:
            await leave.wait()

        running = asyncio.create_task(gateway.run(left))
        try:
            yield House(gateway=gateway, loopback=loopback)
        finally:
            leave.set()
            await running
