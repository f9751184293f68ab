"""How many jobs of a kind run at once, and who waits behind whom."""

from collections.abc import Sequence
from dataclasses import dataclass

from gateway.journal.base import Job, JobStatus

MANY = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """At most `at_once` jobs of a kind run, of one session at most `per_session`."""

    at_once: int = 1
    per_session: int = MANY


def place_in_line(newest_first: Sequence[Job], job_id: str, *, limit: Limit) -> int:
    """0 for a job that runs, is about to, or has ended; else its number among those of its session that wait.

    `newest_first` is what the journal lists of the session. Other sessions are left out of it on purpose: nothing
    that one audience does may be read off what another one is told (P13).
    """
    job = next((job for job in newest_first if job.id == job_id), None)
    if job is None or job.status is not JobStatus.TODO:
        return 0
    same = [other for other in reversed(newest_first) if other.kind == job.kind]
    free = min(limit.at_once, limit.per_session) - sum(o.status is JobStatus.DOING for o in same)
    line = sorted((other for other in same if other.status is JobStatus.TODO), key=lambda other: other.run_at)
    return max(0, line.index(job) + 1 - free)
