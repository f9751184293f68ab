"""Non-interference (P13): two worlds that differ in one person's private words alone ask the same of the model for others.

Both worlds run the same random script of messages by Ann, by Bob and in a group that both are in. What Ann writes
privately differs between the worlds; every request in Bob's and the group's name, summaries included, must not.
The owner's private chat is among the secrets: Ann is the owner.
"""

import asyncio
import multiprocessing
import random
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from channels.loopback import LoopbackAdapter
from channels.messages import ChatKind
from gateway.llm.client import Prompt
from gateway.llm.scripted import ScriptedLLM
from gateway.service import logs
from tests.helpers.house import House, house

ANN, BOB, GROUP = "1001", "1002", "-100"
TOML = f"""
[people.ann]
telegram = "{ANN}"
role = "owner"
[people.bob]
telegram = "{BOB}"
[access]
groups = ["telegram:{GROUP}"]
[channels.telegram]
groups = "all"
"""
MESSAGES_A_PAIR = 250
"""Shared messages in one pair of worlds: enough for consolidation to run several times."""

_TIMES = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?")
TOPICS = [
    "the harbour",
    "a red bicycle",
    "the dentist",
    "flight 7",
    "the password",
    "Lisbon",
    "tea",
    "the invoice",
]


@dataclass(frozen=True, slots=True)
class Step:
    """One message: who writes where, and what; Ann's private words have a version for each world."""

    sender: str
    chat: str
    texts: tuple[str, str]


def script(rng: random.Random, *, shared: int) -> list[Step]:
    """Messages in random order; about as many private ones of Ann as shared ones."""
    steps = []
    while shared:
        if rng.random() < 0.4:
            words = [
                f"{rng.choice(TOPICS)} is {rng.randrange(10_000)}. {rng.choice(TOPICS)}?" for _ in range(2)
            ]
            steps.append(Step(ANN, ANN, (words[0], words[1])))
        else:
            sender = rng.choice([ANN, BOB])
            chat = GROUP if sender == ANN or rng.random() < 0.4 else BOB
            text = f"What about {rng.choice(TOPICS)} and {rng.choice(TOPICS)}? I think {rng.randrange(100)}."
            steps.append(Step(sender, chat, (text, text)))
            shared -= 1
    return steps


def worlds(cases: int) -> list[str]:
    """As many shared messages as `cases` / 20 (10,000 by default), each in two worlds."""
    wanted = max(1, cases // 20)
    pairs = max(1, round(wanted / MESSAGES_A_PAIR))
    with multiprocessing.Pool(2) as pool:
        found = pool.map(_pair, [(seed, min(wanted, MESSAGES_A_PAIR)) for seed in range(pairs)])
    compared = sum(count for count, _ in found)
    different = sum(faults for _, faults in found)
    silent = sum(count == 0 for count, _ in found)
    return [
        f"{different} requests differ, {silent} worlds without a request",
        f"{compared:,} requests compared",
    ]


def _pair(job: tuple[int, int]) -> tuple[int, int]:
    seed, shared = job
    steps = script(random.Random(seed), shared=shared)
    one, other = (asyncio.run(_world(steps, number)) for number in (0, 1))
    return len(one), sum(a != b for a, b in zip(one, other, strict=False)) + abs(len(one) - len(other))


async def _world(steps: Sequence[Step], number: int) -> list[str]:
    """Play the script; the requests of everybody but Ann's private chat, in order by session."""
    llm = ScriptedLLM(otherwise=lambda prompt: f"About that: {len(prompt.newest)}.", window=2048)
    with tempfile.TemporaryDirectory(prefix="mneme-proof-") as folder:
        state = Path(folder) / "state"
        state.mkdir()
        (state / "mneme.toml").write_text(TOML)
        logs.configure(file=Path(folder) / "log.jsonl")
        telegram = LoopbackAdapter("telegram")
        async with house(state, llm, adapters=[telegram]) as inside:
            for place, step in enumerate(steps):
                await _say(inside, telegram, step, text=step.texts[number], place=place)
        logs.close()
    shown = [_shown(prompt) for prompt in llm.prompts if prompt.session != f"telegram:{ANN}"]
    return sorted(shown, key=lambda text: text.partition("\n")[0])


async def _say(inside: House, telegram: LoopbackAdapter, step: Step, *, text: str, place: int) -> None:
    kind = ChatKind.GROUP if step.chat == GROUP else ChatKind.DIRECT
    await telegram.say(text, chat_id=step.chat, sender_id=step.sender, chat_kind=kind, message_id=f"{place}")
    await inside.calm()
    await inside.gateway.stores.index.caught_up()


def _shown(prompt: Prompt) -> str:
    """A request as bytes would show it; times are held fixed, for the worlds are played one after the other."""
    parts = [prompt.session, prompt.system, repr(prompt.schema), str(prompt.max_output), prompt.model]
    parts += [f"{type(message).__name__} {message.content}" for message in prompt.messages]
    parts += [f"{passage.ref} {passage.text}" for passage in prompt.passages]
    parts += [tool.name for tool in prompt.tools]
    return _TIMES.sub("<time>", "\n".join(parts))
