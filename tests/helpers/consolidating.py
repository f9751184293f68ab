"""A consolidation on stores in memory and an archive on disk, with a scripted model as summariser."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gateway.jobs.summarizer import LLMSummarizer
from gateway.llm.scripted import Answer, ScriptedLLM
from gateway.service.clock import ManualClock
from memory.archive.entry import Entry
from memory.archive.record import History
from memory.claims.claim import Claim
from memory.claims.summary import Summary, summary_from_dict
from memory.consolidation import Consolidation, CoolDowns, Limits, Reason, Report
from memory.messages import Message
from memory.sessions.manager import SessionManager
from memory.sessions.session import Session
from memory.sessions.stores.base import SessionStore
from memory.sessions.stores.in_memory import InMemoryStore
from tests.helpers.summarizing import quoting

KEY = "telegram:42"
AUDIENCE = "person-ann"


@dataclass(slots=True, kw_only=True)
class Workshop:
    """Everything that a consolidation touches."""

    store: SessionStore
    sessions: SessionManager
    history: History
    llm: ScriptedLLM
    consolidation: Consolidation
    clock: ManualClock

    async def say(self, messages: Sequence[Message], *, key: str = KEY, audience: str = AUDIENCE) -> None:
        """Store the messages."""
        async with self.sessions.checkout(key, audience=audience) as session:
            for message in messages:
                session.add(message)
            await self.sessions.save(session)

    async def run(
        self, reason: Reason = Reason.COMPACT, *, key: str = KEY, to_seq: int | None = None
    ) -> Report:
        """Consolidate."""
        return await self.consolidation.run(key, reason=reason, to_seq=to_seq)

    async def session(self, key: str = KEY) -> Session:
        """As it stands on the disk."""
        session = await self.store.load(key, limit=1000)
        assert session is not None
        return session

    async def summary(self, key: str = KEY) -> Summary:
        """What is remembered."""
        return summary_from_dict((await self.session(key)).summary)

    async def claims(self, key: str = KEY) -> list[str]:
        """The texts of what is remembered."""
        return [claim.text for claim in (await self.summary(key)).claims]

    async def entries(self, audience: str = AUDIENCE) -> Sequence[Entry]:
        """The archive."""
        return await self.history.entries(audience)


def workshop(
    state: Path,
    *answers: Answer,
    otherwise: Answer | None = quoting,
    window: int = 8192,
    store: SessionStore | None = None,
    limits: Limits | None = None,
    seconds: float = 30.0,
) -> Workshop:
    """A consolidation whose summariser plays these answers, and then quotes faithfully."""
    store = store or InMemoryStore()
    sessions = SessionManager(store)
    history = History(state)
    llm = ScriptedLLM(*answers, otherwise=otherwise, window=window)
    clock = ManualClock()
    consolidation = Consolidation(
        sessions,
        history,
        LLMSummarizer(llm, seconds=seconds),
        limits=limits or Limits(),
        cooldowns=CoolDowns(state, now=clock.now),
        window=llm.window,
        zone=lambda _audience: UTC,
        # Entries that are older than their session are another one's.
        now=lambda: datetime.now(UTC),
    )
    return Workshop(
        store=store, sessions=sessions, history=history, llm=llm, consolidation=consolidation, clock=clock
    )


def texts(claims: Sequence[Claim]) -> list[str]:
    """What they say."""
    return [claim.text for claim in claims]
