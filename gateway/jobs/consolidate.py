"""The jobs of the kind `consolidate`: what asks for one, and how it is done."""

from datetime import datetime
from typing import Any

import structlog

from gateway.jobs.handler import JobResult
from gateway.jobs.telling import Teller, is_told, language_of
from gateway.journal.base import Job, JobStatus
from gateway.replies import Say, say
from gateway.service.metrics import Metrics
from memory.claims.summary import summary_from_dict
from memory.consolidation import Consolidation, Reason, Report
from memory.sessions.manager import SessionManager

CONSOLIDATE = "consolidate"
"""The kind of these jobs."""

log = structlog.get_logger(__name__)


def consolidation_job(
    session: str, *, reason: Reason, job_id: str, now: datetime, told: bool = False, **payload: Any
) -> Job:
    """A job that consolidates the session, one at a time and one waiting for each session.

    One that somebody wants to be `told` of waits beside the others, so that its end is told for certain.
    """
    return Job(
        id=job_id,
        kind=CONSOLIDATE,
        session=session,
        payload={"reason": reason.value, **payload},
        lock=session,
        queueing_lock=f"{CONSOLIDATE}:{session}" + (":told" if told else ""),
        run_at=now,
        created_at=now,
    )


class Consolidate:
    """The handler. What was applied before a crash is not done again; who asked for it is told once what came of it."""

    def __init__(
        self,
        consolidation: Consolidation,
        sessions: SessionManager,
        teller: Teller,
        *,
        metrics: Metrics,
    ) -> None:
        self._consolidation = consolidation
        self._sessions = sessions
        self._teller = teller
        self._metrics = metrics

    async def run(self, job: Job) -> JobResult:
        """Consolidate. A store that can't be written is raised, to be tried again."""
        payload = job.payload
        report = await self._consolidation.run(
            job.session,
            reason=Reason(payload["reason"]),
            overhead_tokens=payload.get("overhead_tokens", 0),
            to_seq=payload.get("to_seq"),
        )
        self._note(job, report)
        if is_told(job):
            await self._teller.tell(job, await self._outcome(job))
        return JobResult(
            data={"messages": report.messages, "claims": report.kept, "rejected": report.rejected}
        )

    async def give_up(self, job: Job, error: Exception | None) -> JobResult:
        """Nothing is lost: the messages stay where they are, and the next reason to consolidate takes them."""
        if is_told(job):
            await self._teller.tell(job, say(Say.JOB_FAILED, language_of(job), label="/compact"))
        status = JobStatus.CANCELLED if error is None else JobStatus.FAILED
        return JobResult(status=status, error=None if error is None else type(error).__name__)

    def _note(self, job: Job, report: Report) -> None:
        self._metrics.claims(kept=report.kept, rejected=report.rejected)
        if report.failures:
            log.warning("summarizer_failed", session=job.session, reasons=report.failures)
        log.info(
            "session_consolidated",
            session=job.session,
            reason=job.payload["reason"],
            rounds=report.rounds,
            messages=report.messages,
            kept=report.kept,
            extracted=report.extracted,
            rejected=report.rejected,
        )

    async def _outcome(self, job: Job) -> str:
        """How far it has come since the command, whoever did it and before whatever crash."""
        session = await self._sessions.look(job.session)
        pointer = job.payload["pointer"]
        if session is None or session.last_consolidated <= pointer:
            return say(Say.NOTHING_TO_COMPACT, language_of(job))
        kept = summary_from_dict(session.summary).claims
        return say(
            Say.COMPACTED,
            language_of(job),
            messages=session.last_consolidated - pointer,
            claims=sum(any(each.seq > pointer for each in claim.evidence) for claim in kept),
        )
