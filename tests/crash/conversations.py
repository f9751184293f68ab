"""People who talk to the daemon on a strict Telegram and a strict Slack, whatever becomes of it, and what they see."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.helpers.daemon import model_at
from tests.helpers.model_server import ModelServer
from tests.helpers.slack_house import ME
from tests.helpers.slack_server import TEAM, SlackServer
from tests.helpers.telegram_house import people_toml
from tests.helpers.telegram_server import TelegramServer

PEOPLE = (1001, 1002)
GROUP = -100200
CHANNEL = "C1"
PLACEHOLDER = "…"
LONG, SHORT = 700, 3
"""Words of an answer: more than one message holds, and a line."""

_CONFIGURATION = f"""
workspaces = ["slack:{TEAM}"]
messages_per_minute = 0

[memory]
idle_compact_minutes = 0
"""


def words_of(question: str) -> list[str]:
    """What a question is answered with: each word once, so that any part of it tells which part it is."""
    count = LONG if int(question[1:]) % 3 == 2 else SHORT
    return [f"{question}.{number}" for number in range(count)]


def question_in(text: str) -> str:
    """The newest question in a text."""
    found: list[str] = re.findall(r"question (q\d+)", text)
    return found[-1] if found else ""


def _answer(asked: dict[str, Any]) -> str:
    question = question_in(str(asked["messages"][-1]["content"]))
    return " ".join(words_of(question)) if question else "{}"


@dataclass(slots=True, kw_only=True)
class Conversations:
    """Everybody who talks. `asked` holds the questions of a session, in the order in which they were asked."""

    telegram: TelegramServer
    slack: SlackServer
    model: ModelServer
    chance: Random
    asked: dict[str, list[str]] = field(default_factory=dict)
    _count: int = 0

    @property
    def questions(self) -> list[str]:
        """All of them."""
        return [question for asked in self.asked.values() for question in asked]

    def settings(self, store: str) -> dict[str, str]:
        """Of a daemon that serves them."""
        return {
            "sessions__store": store,
            "sessions__busy": "queue",
            "channels__telegram__token": self.telegram.token,
            "channels__telegram__base_url": self.telegram.base_url,
            "channels__slack__bot_token": self.slack.bot_token,
            "channels__slack__app_token": self.slack.app_token,
            "channels__slack__base_url": self.slack.base_url,
            **model_at(self.model.base_url, llm__context_window="1000000"),
        }

    def events(self) -> int:
        """How much has happened, as far as the platforms and the model saw it."""
        return len(self.telegram.calls) + len(self.slack.methods.calls) + len(self.model.requests)

    async def talk(self) -> None:
        """Somebody asks something in each kind of place; what Slack gave up delivering it delivers anew."""
        for person in PEOPLE:
            await self.telegram.say(person, self._next(f"telegram:{person}"))
        marked: dict[str, Any] = {"entities": [{"type": "mention", "offset": 0, "length": 10}]}
        await self.telegram.say(GROUP, f"@mneme_bot {self._next(f'telegram:{GROUP}')}", **marked)
        for delivery in self.slack.sockets.deliveries:
            if delivery.given_up and not delivery.acknowledged:
                delivery.given_up, delivery.tries = False, 0
                self.slack.sockets.redeliver(delivery)
        self.slack.say("D1", "U1", self._next("slack:D1"))
        threads = [root for root in self._threads() if PLACEHOLDER not in "".join(self.shown(root))]
        if threads and self.chance.random() < 0.5:
            root = self.chance.choice(threads)
            self.slack.say(
                CHANNEL, "U2", self._next(root), thread_ts=root.partition("#")[2], announce=("message",)
            )
        else:
            self._open_thread()

    def shown(self, session: str) -> list[str]:
        """What the bot's messages in the place of a session say now, in order."""
        platform, _, place = session.partition(":")
        if platform == "telegram":
            return self.telegram.chat(int(place)).texts
        chat, _, thread = place.partition("#")
        return self.slack.channel(chat).shown(thread or None)

    def is_answered(self) -> bool:
        """Whether everything that was asked is answered in full."""
        return self._ends_are_shown(1_000_000)

    def is_quiet(self) -> bool:
        """Whether what was asked last in each place is answered."""
        return self._ends_are_shown(1)

    def _ends_are_shown(self, newest: int) -> bool:
        return all(
            {text.split()[-1] for text in self.shown(session)}
            >= {words_of(question)[-1] for question in asked[-newest:]}
            for session, asked in self.asked.items()
        )

    def _threads(self) -> list[str]:
        """Threads that have begun and were answered in."""
        return [session for session in self.asked if "#" in session and self.shown(session)]

    def _open_thread(self) -> None:
        question = self._number()
        root = self.slack.say(CHANNEL, "U2", f"{ME} question {question}")
        self.asked[f"slack:{CHANNEL}#{root}"] = [question]

    def _next(self, session: str) -> str:
        question = self._number()
        self.asked.setdefault(session, []).append(question)
        return f"question {question}"

    def _number(self) -> str:
        self._count += 1
        return f"q{self._count}"


@asynccontextmanager
async def conversations(state: Path, chance: Random) -> AsyncIterator[Conversations]:
    """The platforms and the model, up for as long as the block lasts; `state` is configured for them."""
    state.mkdir(mode=0o700, exist_ok=True)
    (state / "mneme.toml").write_text(people_toml(PEOPLE, groups=[GROUP]).rstrip() + _CONFIGURATION)
    async with (
        TelegramServer().serving() as telegram,
        SlackServer(ack_seconds=1.0) as slack,
        ModelServer(otherwise=_answer, window=1_000_000) as model,
    ):
        yield Conversations(telegram=telegram, slack=slack, model=model, chance=chance)
