"""Order under load: many messages at once into many sessions, over both stores, and every one in its place."""

import asyncio
import itertools
import tempfile
from pathlib import Path

from gateway.service import logs
from memory.messages import AssistantMessage, UserMessage
from tests.helpers.house import house

SESSIONS = 20
MESSAGES = 30
ROUNDS = 4


def order(_cases: int) -> list[str]:
    """Send 30 messages at once into each of 20 sessions, several times over; `_cases` is the other sections' number."""
    disordered = missing = 0
    for store in ("sqlite", "jsonl"):
        for turn in range(ROUNDS):
            wrong, lost = asyncio.run(_flood(store, busy="collect" if turn % 2 else "queue"))
            disordered += wrong
            missing += lost
    sent = 2 * ROUNDS * SESSIONS * MESSAGES
    return [
        f"{disordered} out of order, {missing} lost or doubled",
        f"{sent:,} messages in {SESSIONS} sessions at once",
    ]


async def _flood(store: str, *, busy: str) -> tuple[int, int]:
    with tempfile.TemporaryDirectory(prefix="mneme-proof-") as folder:
        logs.configure(file=Path(folder) / "log.jsonl")
        overrides = {"sessions__store": store, "sessions__busy": busy}
        async with house(Path(folder) / "state", overrides=overrides) as inside:
            texts = [f"m{number:02}" for number in range(MESSAGES)]
            await asyncio.gather(
                *(
                    inside.loopback.say(text, chat_id=f"chat{chat}", message_id=text)
                    for text in texts
                    for chat in range(SESSIONS)
                )
            )
            await inside.calm()
            wrong = lost = 0
            for chat in range(SESSIONS):
                kept = await inside.gateway.stores.sessions.read(
                    f"loopback:chat{chat}", from_seq=1, to_seq=1000
                )
                said = [message.content for message in kept if isinstance(message, UserMessage)]
                answered = {message.turn for message in kept if isinstance(message, AssistantMessage)}
                asked = {message.turn for message in kept if isinstance(message, UserMessage)}
                wrong += sum(left > right for left, right in itertools.pairwise(said))
                lost += abs(len(said) - len(set(said))) + len(set(texts) ^ set(said)) + len(asked ^ answered)
        logs.close()
    return wrong, lost
