"""The jobs of the kind `dream`: when one is due, what asks for one, and how it is done."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import structlog

from gateway.config.cadence import Cadence
from gateway.errors import LLMUnavailable
from gateway.jobs.dreamer import Dreams
from gateway.jobs.handler import JobResult
from gateway.jobs.telling import Teller, is_told, language_of
from gateway.journal.base import Job, JobStatus
from gateway.replies import Say, say
from gateway.service.clock import Clock
from memory.audience import audiences_in
from memory.errors import StoreError
from memory.longterm.dream import DreamReport
from memory.longterm.notebook import Notebook
from memory.longterm.versions import Revision

DREAM = "dream"
"""The kind of these jobs."""

LOOK_SECONDS = 60.0
"""The longest rest: the machine's clock may be set, or the machine sleep, while we wait for a time of day."""

_MOST_TOLD = 20
_COUNT = re.compile(r" [+-](\d+)")

log = structlog.get_logger(__name__)


def dream_job(audience: str, *, job_id: str, now: datetime, session: str = "", **payload: Any) -> Job:
    """A job that dreams for the audience; one runs at a time, and one waits for the clock and one for each session.

    One that a session waits for stands beside the others, so that its end is told for certain.
    """
    return Job(
        id=job_id,
        kind=DREAM,
        session=session,
        payload={"audience": audience, **payload},
        lock=audience,
        queueing_lock=f"{DREAM}:{audience}" + (f":{session}" if session else ""),
        run_at=now,
        created_at=now,
    )


class DreamJobs:
    """The handler; without `dreams`, where no language model is, it says so. What was committed is not done again."""

    def __init__(self, dreams: Dreams | None, notebook: Notebook, teller: Teller) -> None:
        self._dreams = dreams
        self._notebook = notebook
        self._teller = teller

    async def run(self, job: Job) -> JobResult:
        """Dream. A store that can't be written is raised, to be tried again; a model that is away waits for its time."""
        if self._dreams is None:
            return await self._ended(job, Say.DREAM_NEEDS_MODEL)
        try:
            report = await self._dreams.run(job.payload["audience"])
        except LLMUnavailable as error:
            return await self.give_up(job, error)
        counts = _counts(report)
        is_whole = not (counts["failures"] or counts["aside"])
        (log.info if is_whole else log.warning)("dream_finished", audience=report.audience, **counts)
        if is_told(job):
            await self._teller.tell(job, await self._outcome(job, report))
        return JobResult(data=counts)

    async def give_up(self, job: Job, error: Exception | None) -> JobResult:
        """Nothing is lost: the entries stay, and the next Dream reads them."""
        await self._ended(job, Say.DREAM_FAILED)
        if error is None:
            return JobResult(status=JobStatus.CANCELLED)
        log.warning("dream_failed", audience=job.payload.get("audience"), error=type(error).__name__)
        return JobResult(status=JobStatus.FAILED, error=type(error).__name__)

    async def _ended(self, job: Job, sentence: Say) -> JobResult:
        if is_told(job):
            await self._teller.tell(job, say(sentence, language_of(job)))
        return JobResult()

    async def _outcome(self, job: Job, report: DreamReport) -> str:
        """Every change since the command, whoever made it and before whatever crash; each can be taken back."""
        known = await self._notebook.versions.log(job.payload["audience"], limit=_MOST_TOLD)
        made = [each for each in reversed(known) if each.cursor > job.payload["cursor"]]
        told = [_told(each, language=language_of(job)) for each in made]
        failed = bool(report.aside) or any(batch.failure for batch in report.batches)
        if failed or not told:
            told.append(say(Say.DREAM_FAILED if failed else Say.DREAM_NOTHING, language_of(job)))
        return "\n".join(told)


class Dreaming:
    """Enqueues a job for each audience whose archive holds something that is due to be read.

    An entry is due at the first time of the cadence after it was made, so that no restart puts it off, and what fell
    due while nobody ran is done at the start. Where nothing is new, nothing is done and no model is asked.
    """

    def __init__(
        self,
        state: Path,
        dreams: Dreams | None,
        *,
        cadence: Cadence,
        zone: ZoneInfo,
        enqueue: Callable[[Job], Awaitable[object]],
        clock: Clock,
    ) -> None:
        self._state = state
        self._dreams = dreams
        self._cadence = cadence
        self._zone = zone
        self._enqueue = enqueue
        self._clock = clock

    async def run(self) -> None:
        """Enqueue what falls due, until cancelled; ends at once where Dream is off or there is no language model."""
        while (wake := await self.scan()) is not None:
            while (left := wake - self._clock.now()) > timedelta():
                await self._clock.sleep(min(LOOK_SECONDS, left.total_seconds()))

    async def scan(self) -> datetime | None:
        """Enqueue what is due, and when to look again: before that, nothing that comes in meanwhile can fall due."""
        now = self._clock.now()
        wake = self._cadence.next_after(now, zone=self._zone)
        if wake is None or self._dreams is None:
            return None
        for audience in await asyncio.to_thread(audiences_in, self._state):
            try:
                due = await self._due(audience, self._dreams)
                if due is not None and due <= now:
                    await self._enqueue(
                        dream_job(audience, job_id=f"{DREAM}/{audience}/{now:%Y%m%dT%H%M%SZ}", now=now)
                    )
                elif due is not None:
                    wake = min(wake, due)
            except StoreError as error:
                log.warning("dream_not_planned", audience=audience, error=str(error))
        return wake

    async def _due(self, audience: str, dreams: Dreams) -> datetime | None:
        entry = await dreams.oldest_news(audience)
        return None if entry is None else self._cadence.next_after(entry.at, zone=self._zone)


def _counts(report: DreamReport) -> dict[str, Any]:
    return {
        "batches": len(report.batches),
        "accepted": sum(len(batch.accepted) for batch in report.batches),
        "refused": sum(len(batch.refused) for batch in report.batches),
        "failures": [batch.failure for batch in report.batches if batch.failure],
        "aside": len(report.aside),
    }


def _told(revision: Revision, *, language: str) -> str:
    changes = sum(map(int, _COUNT.findall(revision.title)))
    return say(Say.DREAM_DONE, language, changes=changes, revision=revision.id[:8])
