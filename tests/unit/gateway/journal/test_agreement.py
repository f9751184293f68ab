"""The journal in memory and the one on the disk do the same, whatever is asked of them in whatever order."""

import asyncio
import tempfile
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from gateway.journal.base import JobStatus, Journal
from gateway.journal.in_memory import InMemoryJournal
from tests.helpers.journals import (
    NOON,
    everything,
    inbound,
    job,
    outbound,
    pairing,
    reminder,
    sqlite_journal,
)

# Few names, so that they meet.
NAMES = st.sampled_from(["a", "b", "c", "d"])
MAYBE = st.none() | NAMES
LISTS = st.lists(NAMES, max_size=3)
TEXTS = st.text(st.characters() | st.characters(categories=["Cs"]), max_size=5)
TIMES = st.integers(min_value=-3, max_value=3).map(lambda minutes: NOON + timedelta(minutes=minutes))
JOBS = st.builds(
    job,
    NAMES,
    kind=st.sampled_from(["dream", "subagent"]),
    session=NAMES,
    label=TEXTS,
    lock=MAYBE,
    queueing_lock=MAYBE,
    run_at=TIMES,
    payload=st.dictionaries(TEXTS, TEXTS | st.none() | st.integers(-9, 9), max_size=2),
)
REPLIES = st.builds(outbound, NAMES, st.integers(0, 1), text=TEXTS)
MESSAGES = st.builds(inbound, NAMES, session=NAMES, delivery_id=MAYBE, text=TEXTS, edit_of=MAYBE)
PARTS = st.sampled_from(["a/0", "b/0", "b/1"])
ENDS = st.sampled_from([JobStatus.SUCCEEDED, JobStatus.FAILED, JobStatus.CANCELLED])


class Agreement(RuleBasedStateMachine):
    """Each step is done to both, and both must answer and look alike."""

    @initialize()
    def start(self) -> None:
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        self.memory: Journal = InMemoryJournal()
        self.open()
        # Something is there to meet from the first step on.
        self.both("accept", inbound("a", session="a"))
        self.both(
            "respond", answered=[], replies=[outbound("b"), outbound("b", 1)], jobs=[job("a"), job("b")]
        )
        self.both("failed", "b/0", error="502", next_at=NOON)
        self.both("dead", "b/0", error="blocked")
        self.both("claim", now=NOON)

    def open(self) -> None:
        self.stack = AsyncExitStack()
        opening = self.stack.enter_async_context(sqlite_journal(Path(self.folder.name) / "mneme.db"))
        self.disk = self.runner.run(opening)

    def both(self, method: str, *args: Any, **kwargs: Any) -> None:
        async def answer(journal: Journal) -> Any:
            try:
                return await getattr(journal, method)(*args, **kwargs)
            except ValueError as error:
                return str(error)

        expected = self.runner.run(answer(self.memory))

        assert self.runner.run(answer(self.disk)) == expected

    @rule()
    def reopen(self) -> None:
        self.runner.run(self.stack.aclose())
        self.open()

    @rule(message=MESSAGES)
    def accept(self, message: Any) -> None:
        self.both("accept", message)

    @rule(message=MESSAGES)
    def replace(self, message: Any) -> None:
        self.both("replace", message)

    @rule(answered=LISTS, replies=st.lists(REPLIES, max_size=3), jobs=st.lists(JOBS, max_size=2))
    def respond(self, answered: Any, replies: Any, jobs: Any) -> None:
        self.both("respond", answered=answered, replies=replies, jobs=jobs)

    @rule(turn=NAMES, platform_id=NAMES)
    def placeholder(self, turn: str, platform_id: str) -> None:
        self.both("placeholder", turn, platform_id)

    @rule(part=PARTS)
    def sent(self, part: str) -> None:
        self.both("sent", part)

    @rule(part=PARTS)
    def retry(self, part: str) -> None:
        self.both("retry", part)

    @rule(part=PARTS)
    def drop(self, part: str) -> None:
        self.both("drop", part)

    @rule(part=PARTS, error=TEXTS, next_at=TIMES)
    def failed(self, part: str, error: str, next_at: Any) -> None:
        self.both("failed", part, error=error, next_at=next_at)

    @rule(part=PARTS, error=TEXTS)
    def dead(self, part: str, error: str) -> None:
        self.both("dead", part, error=error)

    @rule(work=JOBS)
    def enqueue(self, work: Any) -> None:
        self.both("enqueue", work)

    @rule(
        now=TIMES,
        sessions=LISTS,
        kinds=st.lists(st.sampled_from(["dream", "subagent"]), max_size=1),
    )
    def claim(self, now: Any, sessions: Any, kinds: Any) -> None:
        self.both("claim", now=now, busy_sessions=sessions, kinds=kinds)

    @rule(work=NAMES, status=ENDS, error=st.none() | TEXTS, inbound=st.none() | MESSAGES)
    def finish(self, work: str, status: Any, error: Any, inbound: Any) -> None:
        self.both("finish", work, status=status, result={"text": error}, error=error, inbound=inbound)

    @rule(work=NAMES, run_at=TIMES, error=TEXTS)
    def reschedule(self, work: str, run_at: Any, error: str) -> None:
        self.both("reschedule", work, run_at=run_at, error=error)

    @rule()
    def release(self) -> None:
        self.both("release")

    @rule(name=NAMES, text=TEXTS, next_at=TIMES)
    def remind(self, name: str, text: str, next_at: Any) -> None:
        self.both("remind", reminder(name, text=text, next_at=next_at))

    @rule(name=NAMES, message=MESSAGES, next_at=st.none() | TIMES)
    def fire(self, name: str, message: Any, next_at: Any) -> None:
        self.both("fire", name, inbound=message, next_at=next_at)

    @rule(name=NAMES)
    def forget_reminder(self, name: str) -> None:
        self.both("forget_reminder", name)

    @rule(code=NAMES, sender_id=NAMES, now=TIMES)
    def offer(self, code: str, sender_id: str, now: Any) -> None:
        self.both("offer", pairing(code, sender_id=sender_id), now=now)

    @rule(code=NAMES, name=TEXTS, now=TIMES)
    def approve(self, code: str, name: str, now: Any) -> None:
        self.both("approve", code, name=name, role="member", now=now)

    @rule(sender_id=NAMES)
    def revoke(self, sender_id: str) -> None:
        self.both("revoke", "telegram", sender_id)

    @invariant()
    def looks_alike(self) -> None:
        if not hasattr(self, "disk"):
            return
        expected = self.runner.run(everything(self.memory))

        assert self.runner.run(everything(self.disk)) == expected

    @rule(name=NAMES)
    def look(self, name: str) -> None:
        self.both("accepted", name)
        self.both("placeholder_of", name)
        self.both("waiting", session_key=name, after=1, limit=2)

    def teardown(self) -> None:
        if hasattr(self, "stack"):
            self.runner.run(self.stack.aclose())
            self.runner.close()
            self.folder.cleanup()


TestAgreement = Agreement.TestCase
TestAgreement.settings = settings(
    deadline=None, max_examples=10, stateful_step_count=40, suppress_health_check=[HealthCheck.too_slow]
)
