"""The contract of what does the jobs of one kind."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from channels.messages import InboundMessage
from gateway.journal.base import Job, JobStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """What came of a job; `inbound` is a message to the session that it was done for."""

    status: JobStatus = JobStatus.SUCCEEDED
    data: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None
    inbound: InboundMessage | None = None


class JobHandler(Protocol):
    """Does the jobs of one kind. A job may run again after a crash: it goes on from what it has written."""

    async def run(self, job: Job) -> JobResult:
        """Do it. What is raised is tried again later, LLMRejected apart; a cancelled one is resumed by the next start."""

    async def give_up(self, job: Job, error: Exception | None) -> JobResult:
        """The last word on a job that will not be tried again: it failed with `error`, or, with None, was cancelled."""
