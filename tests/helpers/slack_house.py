"""A whole gateway on Slack: the strict server, Slack's own libraries, a scripted model, real stores."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from channels.adapter import ChannelAdapter
from channels.messages import Scope
from channels.slack.adapter import SlackAdapter
from gateway.app import Stores
from gateway.app.channels import known_threads
from gateway.llm.client import LLMClient
from tests.helpers import slack_running
from tests.helpers.house import House, house
from tests.helpers.slack_server import BOT_USER, SlackServer

ME = f"<@{BOT_USER}>"
"""How people mention the bot."""

PEOPLE = '[people.ann]\nslack = "U1"\nrole = "owner"\n\n[people.bob]\nslack = "U2"\nrole = "member"\n\n[access]\npairing = false\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackHouse:
    """The house, and the workspace that its people write in."""

    house: House
    slack: SlackServer

    async def calm(self) -> None:
        """Wait until every payload is acknowledged, everything is answered, and what can be sent is sent."""
        deliveries = self.slack.sockets.deliveries
        await self.slack.until(lambda: all(delivery.acknowledged for delivery in deliveries), within=30)
        await self.house.calm()

    async def stored(self, key: str) -> list[str]:
        """The words of a session, in order, whoever's."""
        messages = await self.house.gateway.stores.sessions.read(key, from_seq=1, to_seq=1000)
        return [message.content for message in messages]


@asynccontextmanager
async def slack_house(
    state: Path,
    slack: SlackServer,
    llm: LLMClient | None = None,
    *,
    toml: str = PEOPLE,
    overrides: Mapping[str, str] | None = None,
) -> AsyncIterator[SlackHouse]:
    """A running gateway whose one platform is this workspace."""
    (state / "mneme.toml").write_text(toml)
    overrides = {"memory__idle_compact_minutes": "0", **(overrides or {})}

    scope = Scope(overrides.get("sessions__scope", "thread"))

    def connect(stores: Stores) -> ChannelAdapter:
        return SlackAdapter(slack_running.settings(slack), knows_thread=known_threads(stores, scope=scope))

    async with house(state, llm, connect=connect, overrides=overrides) as inside:
        yield SlackHouse(house=inside, slack=slack)
