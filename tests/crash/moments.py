"""Kills of the daemon at random moments in the middle of conversations, and the ledger that must balance afterwards.

A message must be stored once, in the order in which it was taken in, and answered once and in full; nothing may wait
in the inbox or outbox. One request in flight at a kill may be repeated; a placeholder may be left empty once a kill
and chat, because chats are answered side by side.
"""

import asyncio
import logging
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic

from gateway.app import Stores, open_stores
from gateway.config import load
from memory.messages import AssistantMessage, Message, UserMessage
from tests.crash.conversations import PLACEHOLDER, Conversations, conversations, question_in, words_of
from tests.helpers.daemon import daemon

MOST_EVENTS = 45
"""What the questions between two kills bring about, roughly."""
EARLY = 0.2
"""The share of kills that come while the daemon starts."""
ANSWER_SECONDS = 180.0
_LANDING_SECONDS = 0.05
"""What the daemon sent before it was killed is shown by then."""


@dataclass(slots=True, kw_only=True)
class Ledger:
    """What `kills` of a daemon on one kind of store left behind."""

    store: str
    kills: int = 0
    messages: int = 0
    repeats: defaultdict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    """What was in flight at a kill and is repeated. More than one in a chat is a fault; over all chats it happens where
    the platform takes longer than a second over a send, as on a busy machine."""
    left: int = 0
    faults: list[str] = field(default_factory=list)


async def kill_often(store: str, *, kills: int, seed: int) -> Ledger:
    """Talk and kill, `kills` times; then let everything be answered, stop, and look."""
    chance, ledger = Random(f"{seed} {store}"), Ledger(store=store)
    with TemporaryDirectory(prefix="mneme-crash-") as folder:
        state = Path(folder) / "state"
        async with conversations(state, chance) as talks:
            marks: list[dict[str, int]] = []
            start_seconds = 0.0
            while len(marks) < kills:
                await talks.talk()
                early = start_seconds > 0 and chance.random() < EARLY
                started = await _run_and_kill(state, talks, store, after=start_seconds if early else 0.0)
                start_seconds = started or start_seconds
                marks.append({session: len(talks.shown(session)) for session in talks.asked})
                if len(marks) % 10 == 0:
                    print(f"{store}: {len(marks)}/{kills}", file=sys.stderr)
            ledger.faults += await _run_to_the_end(state, talks, store)
            ledger.kills, ledger.messages = len(marks), len(talks.questions)
            for session in talks.asked:
                ledger.faults += _look_at_the_chat(talks, session, marks, ledger)
        await _look_at_the_stores(state, store, talks, ledger)
    ledger.faults += [
        f"kill {kill} of {kills} repeated {', '.join(parts)}"
        for kill, parts in sorted(ledger.repeats.items())
        if len({part.split()[0] for part in parts}) < len(parts) or kill > kills
    ]
    return ledger


async def _run_and_kill(state: Path, talks: Conversations, store: str, *, after: float) -> float:
    """Kill the daemon at a moment that chance picks: within `after` seconds, or else when it has started.

    Gives the seconds that the start took, 0 where it was not waited for. AssertionError when it ended by itself.
    """
    began, seconds = monotonic(), 0.0
    async with daemon(state, **talks.settings(store)) as running:
        if after:
            await asyncio.sleep(talks.chance.uniform(0, after))
        else:
            await running.ready()
            seconds = monotonic() - began
            await _happened(talks, talks.chance.randint(0, MOST_EVENTS))
        running.signal(signal.SIGKILL)
        if (code := await running.ended()) != -signal.SIGKILL:
            raise AssertionError(f"the daemon ended with {code}: {running.complained}")
    await asyncio.sleep(_LANDING_SECONDS)
    return seconds


async def _happened(talks: Conversations, events: int) -> None:
    """Return after so many more events, or when everything is answered."""
    enough = talks.events() + events
    with suppress(TimeoutError):
        async with asyncio.timeout(ANSWER_SECONDS):
            while talks.events() < enough and not talks.is_quiet():  # noqa: ASYNC110 - none tells of all three
                await asyncio.sleep(0.003)


async def _run_to_the_end(state: Path, talks: Conversations, store: str) -> list[str]:
    """Let everything be answered, and stop as an operator does."""
    async with daemon(state, **talks.settings(store)) as running:
        await running.ready()
        await talks.talk()
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_SECONDS):
                while not talks.is_answered():  # noqa: ASYNC110 - none tells of all three
                    await asyncio.sleep(0.1)
        code = await running.stop()
    return [] if code == 0 else [f"the last run ended with {code}: {running.complained}"]


def _look_at_the_chat(
    talks: Conversations, session: str, marks: list[dict[str, int]], ledger: Ledger
) -> Iterator[str]:
    """Whether every answer is there in full, in order; counts what is there twice, by the kill that cut off the first."""
    parts: dict[str, str] = {}
    places: dict[str, int] = {}
    left: Counter[int] = Counter()

    def kill_after(place: int) -> int:
        return 1 + sum(mark.get(session, 0) <= place for mark in marks)

    for place, text in enumerate(talks.shown(session)):
        part = text.split()[0]
        if text == PLACEHOLDER:
            left[kill_after(place)] += 1
        elif part in parts:
            ledger.repeats[kill_after(places[part])].append(f"{session} {part}")
        parts.setdefault(part, text)
        places[part] = place
    parts.pop(PLACEHOLDER, None)
    ledger.left += left.total()
    for kill, count in left.items():
        if count > 1 or kill > len(marks):
            yield f"{session}: at kill {kill}, {count} placeholders were left"
    words = [word for text in parts.values() for word in text.split()]
    for question in talks.asked[session]:
        if [word for word in words if word.startswith(f"{question}.")] != words_of(question):
            yield f"{session}: {question} is not answered in full"


async def _look_at_the_stores(state: Path, store: str, talks: Conversations, ledger: Ledger) -> None:
    settings = load(state=state, environ={"MNEME_SESSIONS__STORE": store, "MNEME_LLM__PROVIDER": "rote"})
    async with open_stores(settings) as stores:
        waiting, owed = await stores.journal.waiting(), await stores.journal.entries()
        if waiting or owed:
            ledger.faults.append(f"{len(waiting)} messages wait, {len(owed)} parts are owed")
        for session in talks.asked:
            ledger.faults += await _look_at_the_session(stores, session, talks)


async def _look_at_the_session(stores: Stores, session: str, talks: Conversations) -> list[str]:
    """Every message once, one answer each; on Telegram in the order of the asking, on both answered in that of the store."""
    messages = await stores.sessions.read(session, from_seq=1, to_seq=100_000)
    stored = [question_in(message.content) for message in messages if isinstance(message, UserMessage)]
    asked = talks.asked[session]
    faults = []
    # Slack delivers again what was not acknowledged, after what was said later.
    if (stored if session.startswith("telegram:") else sorted(stored)) != (
        asked if session.startswith("telegram:") else sorted(asked)
    ):
        faults.append(f"{session}: asked {asked}, stored {stored}")
    first = [text.split()[0] for text in talks.shown(session) if text.split()[0].endswith(".0")]
    if list(dict.fromkeys(first)) != [f"{question}.0" for question in stored]:
        faults.append(f"{session}: stored {stored}, answered {first}")
    faults += [
        f"{session}: turn {turn} has {count} answers" for turn, count in _answers(messages) if count > 1
    ]
    if [message.seq for message in messages] != list(range(1, 2 * len(asked) + 1)):
        faults.append(
            f"{session}: {len(messages)} messages for {len(asked)} questions, or gaps in their numbers"
        )
    return faults


def _answers(messages: list[Message]) -> list[tuple[str | None, int]]:
    return list(Counter(m.turn for m in messages if isinstance(m, AssistantMessage)).items())


def print_ledgers(ledgers: list[Ledger]) -> None:
    """A table, a line for each store."""
    heads = ("kills", "messages", "in-flight repeats", "most at one kill", "empty placeholders", "faults")
    print(f"{'store':8}", *heads)
    for ledger in ledgers:
        counts = [len(parts) for parts in ledger.repeats.values()]
        repeats, most = sum(counts), max(counts, default=0)
        row = (ledger.kills, ledger.messages, repeats, most, ledger.left, len(ledger.faults))
        print(f"{ledger.store:8}", *(f"{cell:>{len(head)}}" for cell, head in zip(row, heads, strict=True)))


async def kill_at_moments(stores: tuple[str, ...], *, kills: int, seed: int) -> list[Ledger]:
    """Both kinds of store side by side."""
    # The platforms' servers complain of every request that a kill cut off.
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)
    return list(await asyncio.gather(*(kill_often(store, kills=kills, seed=seed) for store in stores)))
