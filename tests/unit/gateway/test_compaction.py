import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from channels.messages import InboundMessage, OutboundMessage, SessionKey
from gateway.jobs.compaction import SCAN_SECONDS, AfterTurn, CompactionCommands, IdleCompaction
from gateway.jobs.consolidate import CONSOLIDATE, Consolidate, consolidation_job
from gateway.jobs.telling import Teller
from gateway.journal.base import Job, JobStatus
from gateway.journal.in_memory import InMemoryJournal
from gateway.journal.origin import origin_of
from gateway.replies import Say
from gateway.replies import say as say_ours
from gateway.service.clock import ManualClock
from gateway.service.metrics import Metrics
from gateway.turns.commands import CommandContext
from memory.consolidation import Reason
from memory.errors import StoreUnavailable
from memory.messages import Message
from memory.sessions.manager import SessionManager
from memory.sessions.session import Session
from memory.sessions.stores.in_memory import InMemoryStore
from tests.helpers.consolidating import AUDIENCE, KEY, Workshop, workshop
from tests.helpers.conversations import answer, new_session, say

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def talk(turns: int, *, tokens: int = 10) -> list[Message]:
    """So many questions and answers."""
    return [
        message
        for n in range(turns)
        for message in (
            say(f"My key {n} opens door {100 + n}.", turn=f"t{n}", tokens=tokens),
            answer("Noted.", turn=f"t{n}", tokens=tokens),
        )
    ]


def session_with(messages: list[Message]) -> Session:
    session = new_session(KEY, audience=AUDIENCE)
    for message in messages:
        session.add(message)
    return session


# ---------------------------------------------------------------- after a turn

AFTER = AfterTurn(trigger=0.75, max_messages=500)


@pytest.mark.parametrize(("used", "jobs"), [(749, 0), (750, 1), (2000, 1)])
def test_a_turn_past_the_trigger_asks_for_one_job(used: int, jobs: int) -> None:
    session = session_with(talk(2))
    asked = AFTER.after_turn(session, used_tokens=used, input_tokens=1000, overhead_tokens=100)

    assert len(asked) == jobs


def test_what_the_view_left_out_counts_too() -> None:
    session = session_with(talk(40))

    assert AFTER.after_turn(session, used_tokens=200, input_tokens=1000, overhead_tokens=100)


def test_the_estimate_is_calibrated() -> None:
    session = session_with(talk(2))
    session.calibration.factor = 2.0

    assert AFTER.after_turn(session, used_tokens=380, input_tokens=1000, overhead_tokens=100)
    assert not AFTER.after_turn(session, used_tokens=370, input_tokens=1000, overhead_tokens=100)


def test_more_messages_than_a_view_may_have_ask_for_a_job_too() -> None:
    session = session_with(talk(6, tokens=1))

    assert AfterTurn(trigger=0.75, max_messages=10).after_turn(
        session, used_tokens=10, input_tokens=1000, overhead_tokens=0
    )


def test_a_turn_that_made_no_request_asks_for_nothing() -> None:
    assert not AFTER.after_turn(session_with(talk(40)), used_tokens=0, input_tokens=0, overhead_tokens=0)


def test_the_same_turn_asks_for_the_same_job() -> None:
    session = session_with(talk(40))
    [first] = AFTER.after_turn(session, used_tokens=900, input_tokens=1000, overhead_tokens=50)
    [second] = AFTER.after_turn(session, used_tokens=900, input_tokens=1000, overhead_tokens=50)

    assert first.id == second.id == f"consolidate/{KEY}/80"
    assert (first.lock, first.queueing_lock) == (KEY, f"consolidate:{KEY}")


# ---------------------------------------------------------------- idle


def idle(
    sessions: SessionManager, journal: InMemoryJournal, *, clock: ManualClock, minutes: float = 15
) -> IdleCompaction:
    return IdleCompaction(sessions, journal, minutes=minutes, keep_recent=8, clock=clock)


async def stored(sessions: SessionManager, key: str, *, turns: int = 10) -> None:
    async with sessions.checkout(key, audience=AUDIENCE) as session:
        for message in talk(turns):
            session.add(message)
        await sessions.save(session)


async def test_a_session_that_fell_silent_is_compacted_and_others_are_not() -> None:
    sessions, journal = SessionManager(InMemoryStore()), InMemoryJournal()
    await stored(sessions, "telegram:1")
    await stored(sessions, "telegram:short", turns=4)
    await stored(sessions, "subagent:x")
    clock = ManualClock(datetime.now(UTC))
    early = await idle(sessions, journal, clock=clock).scan()
    await clock.advance(15 * 60 + 1)
    started = await idle(sessions, journal, clock=clock).scan()
    jobs = await journal.list_jobs()

    assert (early, started) == (0, 1)
    assert [(job.session, job.payload["reason"]) for job in jobs] == [("telegram:1", "idle")]


async def test_a_session_in_use_and_one_that_waits_for_its_job_are_passed_over() -> None:
    sessions, journal = SessionManager(InMemoryStore()), InMemoryJournal()
    await stored(sessions, "telegram:busy")
    await stored(sessions, "telegram:waiting")
    await journal.enqueue(
        consolidation_job("telegram:waiting", reason=Reason.COMPACT, job_id="1", now=NOW, told=True)
    )
    clock = ManualClock(datetime.now(UTC) + timedelta(hours=1))
    async with sessions.checkout("telegram:busy"):
        started = await idle(sessions, journal, clock=clock).scan()

    assert started == 0


async def test_what_was_tried_without_effect_is_not_tried_every_minute() -> None:
    sessions, journal = SessionManager(InMemoryStore()), InMemoryJournal()
    await stored(sessions, "telegram:1")
    clock = ManualClock(datetime.now(UTC) + timedelta(hours=1))
    scanner = idle(sessions, journal, clock=clock)
    await scanner.scan()
    job = await journal.claim(now=clock.now(), kinds=[CONSOLIDATE])
    assert job is not None
    await journal.finish(job.id, status=JobStatus.SUCCEEDED)

    assert await scanner.scan() == 0


class BadJobs(InMemoryJournal):
    """Can't tell of one session's jobs."""

    async def list_jobs(
        self, *, session: str | None = None, unfinished: bool = False, limit: int = 200
    ) -> list[Job]:
        if session == "telegram:bad":
            raise StoreUnavailable("no")
        return await super().list_jobs(session=session, unfinished=unfinished, limit=limit)


async def test_one_session_that_fails_does_not_stop_the_scan() -> None:
    sessions, journal = SessionManager(InMemoryStore()), BadJobs()
    for key in ("telegram:1", "telegram:bad", "telegram:2"):
        await stored(sessions, key)
    clock = ManualClock(datetime.now(UTC) + timedelta(hours=1))

    assert await idle(sessions, journal, clock=clock).scan() == 2


async def test_it_looks_once_a_minute_and_zero_turns_it_off() -> None:
    sessions, journal = SessionManager(InMemoryStore()), InMemoryJournal()
    await stored(sessions, "telegram:1")
    clock = ManualClock(datetime.now(UTC) + timedelta(hours=1))
    running = asyncio.create_task(idle(sessions, journal, clock=clock).run())
    await clock.slept_on()
    await clock.advance(SCAN_SECONDS - 1)
    before = len(await journal.list_jobs())
    await clock.advance(1)
    after = len(await journal.list_jobs())
    running.cancel()
    await asyncio.wait([running])
    await idle(sessions, journal, clock=clock, minutes=0).run()

    assert (before, after) == (0, 1)


async def test_idle_compaction_leaves_the_last_eight_messages_and_then_costs_nothing(tmp_path: Path) -> None:
    shop = workshop(tmp_path)
    await shop.say(talk(20))
    await shop.run(Reason.IDLE)
    asked = len(shop.llm.prompts)
    again = await shop.run(Reason.IDLE)
    session = await shop.session()

    assert [message.seq for message in session.visible()] == list(range(33, 41))
    assert again.rounds == 0
    assert len(shop.llm.prompts) == asked


# ---------------------------------------------------------------- commands


def message(text: str, *, message_id: str = "telegram:42/7") -> InboundMessage:
    return InboundMessage(
        id=message_id,
        channel="telegram",
        chat_id="42",
        sender_id="1001",
        text=text,
        received_at=NOW,
        session_key=SessionKey(KEY),
        person="ann",
    )


def context(session: Session, text: str, *, message_id: str = "telegram:42/7") -> CommandContext:
    return CommandContext(
        session=session,
        message=message(text, message_id=message_id),
        argument="",
        role="owner",
        language="en",
    )


async def test_compact_starts_one_job_however_often_the_command_arrives() -> None:
    journal = InMemoryJournal()
    commands = CompactionCommands(journal, keep_recent=8)
    session = session_with(talk(10))
    first = await commands.compact(context(session, "/compact"))
    session.last_consolidated = 12
    second = await commands.compact(context(session, "/compact"))

    assert first == second
    assert len(await journal.list_jobs()) == 1


async def test_compact_with_nothing_to_do_says_so() -> None:
    journal = InMemoryJournal()
    commands = CompactionCommands(journal, keep_recent=8)

    assert "short enough" in str(await commands.compact(context(session_with(talk(4)), "/compact")))
    assert await journal.list_jobs() == []


async def test_new_has_everything_said_before_consolidated() -> None:
    journal = InMemoryJournal()
    session = session_with(talk(3))
    await CompactionCommands(journal, keep_recent=8).new(context(session, "/new"))
    [job] = await journal.list_jobs()

    assert session.view_from == 7
    assert (job.payload["reason"], job.payload["to_seq"]) == ("new", 6)


async def test_new_in_an_empty_session_starts_no_job() -> None:
    journal = InMemoryJournal()
    await CompactionCommands(journal, keep_recent=8).new(context(session_with([]), "/new"))

    assert await journal.list_jobs() == []


# ---------------------------------------------------------------- the job


class Counted(Metrics):
    """Remembers what was counted."""

    def __init__(self) -> None:
        self.kept = self.rejected = 0

    def claims(self, *, kept: int = 0, rejected: int = 0) -> None:
        self.kept += kept
        self.rejected += rejected


def handler(
    shop: Workshop, journal: InMemoryJournal, delivered: list[OutboundMessage], metrics: Counted | None = None
) -> Consolidate:
    return Consolidate(
        shop.consolidation,
        shop.sessions,
        Teller(journal, split=lambda _channel, text: [text], deliver=delivered.extend),
        metrics=metrics or Metrics(),
    )


def told_job(pointer: int = 0) -> Job:
    return consolidation_job(
        KEY,
        reason=Reason.COMPACT,
        job_id="telegram:42/7/compact",
        now=NOW,
        told=True,
        origin=origin_of(message("/compact"), language="zh"),
        pointer=pointer,
    )


async def test_who_asked_is_told_once_in_their_language_also_after_a_crash(tmp_path: Path) -> None:
    shop, journal, delivered = workshop(tmp_path), InMemoryJournal(), list[OutboundMessage]()
    await shop.say(talk(10))
    does = handler(shop, journal, delivered)
    await does.run(told_job())
    await does.run(told_job())
    due = await journal.due()

    assert [(entry.message.chat_id, entry.message.text) for entry in due] == [
        ("42", "已总结 12 条消息，保留了 6 个要点。原来的消息仍然可以查到。")
    ]
    assert len({part.text for part in delivered}) == 1


async def test_a_job_that_nobody_asked_for_tells_nobody_and_is_counted(tmp_path: Path) -> None:
    shop, journal, metrics = workshop(tmp_path), InMemoryJournal(), Counted()
    await shop.say(talk(10))
    job = replace(told_job(), payload={"reason": "idle"})
    done = await handler(shop, journal, [], metrics).run(job)

    assert done.status is JobStatus.SUCCEEDED
    assert done.data == {"messages": 12, "claims": 6, "rejected": 0}
    assert (metrics.kept, metrics.rejected) == (6, 0)
    assert await journal.due() == []


async def test_a_job_that_is_given_up_says_so(tmp_path: Path) -> None:
    shop, journal = workshop(tmp_path), InMemoryJournal()
    await shop.say(talk(10))
    done = await handler(shop, journal, []).give_up(told_job(), StoreUnavailable("full"))
    [entry] = await journal.due()

    assert (done.status, done.error) == (JobStatus.FAILED, "StoreUnavailable")
    assert entry.message.text == say_ours(Say.JOB_FAILED, "zh", label="/compact")
