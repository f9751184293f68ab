"""Places between two durable steps at which a test may kill the process.

`MNEME_CRASH_AT=respond.before` kills at the first visit, `respond.before:3` at the third. The kill is
SIGKILL: nothing is flushed, no handler runs, as in a power cut.
"""

import os
import signal
from collections import Counter
from enum import StrEnum


class CrashPoint(StrEnum):
    """Every name that `MNEME_CRASH_AT` takes, in the order of one message's walk."""

    ACCEPT_BEFORE = "accept.before"
    ACCEPT_AFTER = "accept.after"
    ROUND_BEFORE = "round.before"
    ROUND_AFTER = "round.after"
    RESULT_BEFORE = "result.before"
    RESULT_AFTER = "result.after"
    ANSWER_BEFORE = "answer.before"
    ANSWER_AFTER = "answer.after"
    RESPOND_BEFORE = "respond.before"
    RESPOND_AFTER = "respond.after"
    PLACEHOLDER_BEFORE = "placeholder.before"
    PLACEHOLDER_AFTER = "placeholder.after"
    SEND_BEFORE = "send.before"
    SEND_AFTER = "send.after"
    SENT_AFTER = "sent.after"
    JOB_CLAIM_AFTER = "job.claim.after"
    JOB_FINISH_BEFORE = "job.finish.before"
    JOB_FINISH_AFTER = "job.finish.after"
    ARCHIVE_BEFORE = "archive.before"
    ARCHIVE_AFTER = "archive.after"
    POINTER_AFTER = "pointer.after"
    DREAM_WRITE_AFTER = "dream.write.after"
    DREAM_COMMIT_AFTER = "dream.commit.after"
    DREAM_CURSOR_AFTER = "dream.cursor.after"


visits: Counter[str] = Counter()
"""How often each point was reached in this process, for whoever plans kills."""

_target = ("", 0)


def arm(at: str) -> None:
    """Die at this point from now on, `NAME` or `NAME:VISIT`; "" spares the process."""
    global _target  # noqa: PLW0603 - the process dies once, so the place is the process's
    name, _, nth = at.partition(":")
    _target = (name, int(nth) if nth.isdigit() else 1)


def reach(point: CrashPoint) -> None:
    """Die here if the process is armed for it."""
    visits[point] += 1
    if (point, visits[point]) == _target:
        os.kill(os.getpid(), signal.SIGKILL)


arm(os.environ.get("MNEME_CRASH_AT", ""))
