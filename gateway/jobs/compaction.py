"""What asks for a consolidation: a turn past the trigger, `/compact`, `/new`, and a session that fell silent."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import structlog

from gateway.jobs.consolidate import CONSOLIDATE, consolidation_job
from gateway.journal.base import Job, Jobs
from gateway.journal.origin import origin_of
from gateway.replies import Say, say
from gateway.service.clock import Clock
from gateway.turns.commands import CommandContext, CommandResult, Handler, begin_anew
from memory.consolidation import Reason, end_for_recent, shown_tokens
from memory.errors import StoreError
from memory.sessions.manager import SessionManager
from memory.sessions.session import Session
from memory.sessions.stores.base import SessionHead

SCAN_SECONDS = 60.0
"""Between two looks for silent sessions."""

_SUBAGENT = "subagent:"
"""Begins the keys of sessions that end by themselves."""

log = structlog.get_logger(__name__)


class AfterTurn:
    """The `Housekeeping` of turns: one job when a session's requests come to cost too much."""

    def __init__(self, *, trigger: float, max_messages: int) -> None:
        self._trigger = trigger
        self._max_messages = max_messages

    def after_turn(
        self, session: Session, *, used_tokens: int, input_tokens: int, overhead_tokens: int = 0
    ) -> Sequence[Job]:
        """A job when the next request would be past the trigger, or would leave something out."""
        if input_tokens <= 0:
            return ()  # an answer that was stored before a crash: nothing was asked
        visible = session.visible()
        due_tokens = max(used_tokens, overhead_tokens + sum(shown_tokens(message) for message in visible))
        is_full = due_tokens * session.calibration.factor >= input_tokens * self._trigger
        if not is_full and len(visible) <= self._max_messages:
            return ()
        job = consolidation_job(
            session.key,
            reason=Reason.BUDGET,
            job_id=f"{CONSOLIDATE}/{session.key}/{session.last_seq}",
            now=datetime.now(UTC),
            overhead_tokens=overhead_tokens,
        )
        return (job,)


class CompactionCommands:
    """`/compact` consolidates all but the last messages, `/new` all of what it puts out of sight."""

    def __init__(self, jobs: Jobs, *, keep_recent: int) -> None:
        self._jobs = jobs
        self._keep_recent = keep_recent

    def handlers(self) -> Mapping[str, Handler]:
        """For `Commands`, by name."""
        return {"compact": self.compact, "new": self.new}

    async def compact(self, context: CommandContext) -> CommandResult:
        """Start; the job says what came of it. A repeated command finds the job that it started."""
        session = context.session
        job = consolidation_job(
            session.key,
            reason=Reason.COMPACT,
            job_id=f"{context.message.id}/compact",
            now=datetime.now(UTC),
            told=True,
            origin=origin_of(context.message, language=context.language),
            pointer=session.last_consolidated,
        )
        is_due = end_for_recent(session.visible(), keep=self._keep_recent) > 0
        put_away = min(session.view_from - 1, session.last_seq) > session.last_consolidated
        if not is_due and not put_away and await self._jobs.job(job.id) is None:
            return say(Say.NOTHING_TO_COMPACT, context.language)
        await self._jobs.enqueue(job)
        return say(Say.COMPACTING, context.language)

    async def new(self, context: CommandContext) -> CommandResult:
        """Begin anew, and have what was said before consolidated."""
        session = context.session
        said = await begin_anew(context)
        if session.last_seq > session.last_consolidated:
            job = consolidation_job(
                session.key,
                reason=Reason.NEW,
                job_id=f"{context.message.id}/new",
                now=datetime.now(UTC),
                to_seq=session.view_from - 1,
            )
            await self._jobs.enqueue(job)
        return said


class IdleCompaction:
    """Looks every minute for sessions that fell silent and have more in view than the last messages."""

    def __init__(
        self,
        sessions: SessionManager,
        jobs: Jobs,
        *,
        minutes: float,
        keep_recent: int,
        clock: Clock,
    ) -> None:
        self._sessions = sessions
        self._jobs = jobs
        self._silence = timedelta(minutes=minutes)
        self._keep_recent = keep_recent
        self._clock = clock

    async def run(self) -> None:
        """Scan until cancelled; ends at once where idle compaction is off."""
        while self._silence:
            await self._clock.sleep(SCAN_SECONDS)
            await self.scan()

    async def scan(self) -> int:
        """Enqueue a job for each session that is due; how many. One that fails stops no other."""
        started = 0
        for head in await self._sessions.heads():
            try:
                started += self._is_due(head) and await self._start(head)
            except StoreError as error:
                log.warning("idle_compaction_failed", session=head.key, error=str(error))
        return started

    def _is_due(self, head: SessionHead) -> bool:
        if head.key.startswith(_SUBAGENT) or not head.audience or self._sessions.locked(head.key):
            return False
        is_silent = self._clock.now() - head.updated_at >= self._silence
        return is_silent and head.last_seq - head.last_consolidated > self._keep_recent

    async def _start(self, head: SessionHead) -> bool:
        """Enqueue, named by what there is to do: what was tried without effect is not tried again every minute."""
        unfinished = await self._jobs.list_jobs(session=head.key, unfinished=True)
        if any(job.kind == CONSOLIDATE for job in unfinished):
            return False
        job = consolidation_job(
            head.key,
            reason=Reason.IDLE,
            job_id=f"{CONSOLIDATE}/{head.key}/{head.last_consolidated}-{head.last_seq}",
            now=self._clock.now(),
        )
        return await self._jobs.enqueue(job)
