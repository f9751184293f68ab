"""The world of the soak: platforms, a model, people who write on them, and an operator who erases."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from gateway.cli.daemon import daemon_at
from gateway.operations.operation import OperationFailed
from tests.bench.soak_ledger import Ledger, Reminded, Said
from tests.bench.soak_mind import LOOK_UP, SPAWN
from tests.helpers.daemon import model_at
from tests.helpers.model_server import ModelServer
from tests.helpers.slack_server import SlackServer
from tests.helpers.telegram_server import TelegramServer

CHATS = range(1001, 1009)
SLACK = {"D1": "U1", "D2": "U2"}
BUSY = ("collect", "queue", "steer", "interrupt")


@dataclass(slots=True)
class World:
    """The platforms, the model, and what was said; `alive` is set while a daemon runs."""

    state: Path
    rng: Random
    telegram: TelegramServer
    slack: SlackServer
    model: ModelServer
    busy: str = BUSY[0]
    alive: asyncio.Event = field(default_factory=asyncio.Event)
    faults: list[str] = field(default_factory=list)
    ledger: Ledger = field(init=False)

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.texts)

    @property
    def settings(self) -> Mapping[str, str]:
        """The settings of the next daemon."""
        return {
            "channels__telegram__token": self.telegram.token,
            "channels__telegram__base_url": self.telegram.base_url,
            "channels__slack__bot_token": self.slack.bot_token,
            "channels__slack__app_token": self.slack.app_token,
            "channels__slack__base_url": self.slack.base_url,
            "sessions__busy": self.busy,
            **model_at(self.model.base_url, llm__api_key=self.model.key, llm__context_window="8192"),
        }

    def texts(self, chat: str) -> list[str]:
        """What the daemon shows in a chat."""
        return self.slack.channel(chat).shown() if chat in SLACK else self.telegram.chat(int(chat)).texts

    async def say(self, chat: str, text: str) -> None:
        """A person writes."""
        if chat in SLACK:
            self.slack.say(chat, SLACK[chat], text)
        else:
            await self.telegram.say(int(chat), text)

    async def ask(self, chat: str, words: str = "") -> None:
        """A question with a mark of its own."""
        number = len(self.ledger.said)
        secret = f"plum{self.rng.getrandbits(40):010x}"
        mark = f"[q:{number}]"
        interrupted = self.busy == "interrupt"
        self.ledger.said.append(Said(mark=mark, chat=chat, secret=secret, may_be_interrupted=interrupted))
        await self.say(chat, f"{mark} My word number {number} is {secret}. {words}".strip())


async def person(world: World, chat: str, *, until: float) -> None:
    """Write as people do: now and then, sometimes several things at once, sometimes a command."""
    while (left := until - time.monotonic()) > 0:
        await asyncio.sleep(min(left, world.rng.expovariate(1.0)))
        match world.rng.choices(["ask", "burst", "tool", "spawn", "remind", "command"], [10, 3, 3, 1, 1, 2])[
            0
        ]:
            case "ask":
                await world.ask(chat)
            case "burst":
                for _ in range(3):
                    await world.ask(chat)
            case "tool":
                await world.ask(chat, LOOK_UP)
            case "spawn":
                await world.ask(chat, SPAWN)
            case "remind":
                mark = f"[r:{len(world.ledger.reminded)}]"
                world.ledger.reminded.append(Reminded(mark=mark, chat=chat))
                await world.say(chat, f"{'!' if chat in SLACK else '/'}remind 1m {mark}")
            case _:
                name = world.rng.choice(["compact", "new", "dream", "status", "memory", "tasks"])
                await world.say(chat, f"{'!' if chat in SLACK else '/'}{name}")


async def operator(world: World, *, until: float) -> None:
    """Have a message forgotten now and then, as soon as a daemon is there to do it."""
    while (left := until - time.monotonic()) > 0:
        await asyncio.sleep(min(left, 4.0))
        seen = set(world.ledger.open())
        done = [each for each in world.ledger.said if each.mark not in seen and not each.forgotten]
        await world.alive.wait()
        if done:
            await forget(world, world.rng.choice(done))


async def forget(world: World, said: Said) -> None:
    """Find the message by its word, where a daemon is there to do it, and erase it."""
    try:
        async with daemon_at(world.state) as running:
            if running is None:
                return
            audience = f"person-{'u' + said.chat[1:] if said.chat in SLACK else 'p' + said.chat}"
            found = await running.perform("memory-search", {"query": said.secret, "audience": audience})
            ref = next((hit["ref"] for hit in found["hits"] if said.mark in hit["text"]), None)
    except (OperationFailed, OSError):
        return
    if ref is not None:
        said.forgotten = True
        await _erase(world, ref)


async def _erase(world: World, ref: str) -> None:
    """Ask until it is done: a daemon that dies meanwhile may have done it or not."""
    reason = "no daemon came"
    for _ in range(100):
        try:
            async with daemon_at(world.state) as running:
                if running is not None:
                    await running.perform("memory-forget", {"ref": ref})
                    return
        except (OperationFailed, OSError) as error:
            reason = str(error)
        await asyncio.sleep(0.5)
    world.faults.append(f"{ref} could not be forgotten: {reason}")
