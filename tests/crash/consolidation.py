"""A program that consolidates one session in two runs and may be killed at any step of it.

`python -m tests.crash.consolidation DIRECTORY STORE` stores what is missing of a conversation and consolidates it.
Every request to the model leaves a line in `asked.log`.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gateway.jobs.summarizer import LLMSummarizer
from gateway.llm.client import Prompt
from gateway.llm.scripted import ScriptedLLM
from memory.archive.record import History
from memory.consolidation import Consolidation, CoolDowns, Limits, Reason
from memory.database import Database
from memory.messages import AssistantMessage, UserMessage
from memory.sessions.manager import SessionManager
from memory.sessions.stores.jsonl import JsonlStore
from memory.sessions.stores.sqlite import SESSIONS_SCHEMA, SqliteStore
from tests.helpers.summarizing import lines_of, quoting

KEY = "telegram:42"
AUDIENCE = "person-ann"
TURNS = 10
STOPS = (8, 16)
"""The two runs put away what was said up to here."""


@asynccontextmanager
async def sessions_in(directory: Path, store: str) -> AsyncIterator[SessionManager]:
    """The sessions of a state directory."""
    if store == "jsonl":
        sessions = SessionManager(JsonlStore(directory / "sessions"))
        yield sessions
        await sessions.close()
        return
    database = await Database.open(directory / "mneme.db", schemas=[SESSIONS_SCHEMA])
    try:
        yield SessionManager(SqliteStore(database))
    finally:
        await database.close()


async def fill(sessions: SessionManager) -> None:
    """Say what was not said yet."""
    async with sessions.checkout(KEY, audience=AUDIENCE) as session:
        for number in range(session.last_seq // 2, TURNS):
            at = datetime.now(UTC) + timedelta(minutes=number)
            told = f"My key {number} opens door {100 + number}."
            session.add(UserMessage(content=told, at=at, turn=f"t{number}", sender="ann"))
            session.add(AssistantMessage(content="Noted.", at=at, turn=f"t{number}"))
        await sessions.save(session)


async def main(directory: Path, store: str) -> None:
    """Fill and consolidate, from wherever an earlier run came to."""

    def answered(prompt: Prompt) -> str:
        with (directory / "asked.log").open("a") as log:
            log.write(f"{[line.seq for line in lines_of(prompt)]}\n")
        return quoting(prompt)

    llm = ScriptedLLM(otherwise=answered)
    async with sessions_in(directory, store) as sessions:
        await fill(sessions)
        consolidation = Consolidation(
            sessions,
            History(directory),
            LLMSummarizer(llm),
            limits=Limits(),
            cooldowns=CoolDowns(directory, now=lambda: datetime.now(UTC)),
            window=llm.window,
            zone=lambda _audience: UTC,
        )
        for stop in STOPS:
            await consolidation.run(KEY, reason=Reason.NEW, to_seq=stop)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
