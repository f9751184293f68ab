"""Places between two durable steps at which a test may kill the process.

`MNEME_CRASH_AT=respond.before` kills at the first visit, `respond.before:3` at the third. The kill is
SIGKILL: nothing is flushed, no handler runs, as in a power cut.
"""

import os
import signal
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


def _armed() -> tuple[str, int]:
    name, _, nth = os.environ.get("MNEME_CRASH_AT", "").partition(":")
    return name, int(nth) if nth.isdigit() else 1


_name, _visits_left = _armed()


def reach(point: CrashPoint) -> None:
    """Die here if the environment says so; otherwise one comparison of strings."""
    global _visits_left  # noqa: PLW0603 - the process dies once, so its countdown is the process's
    if point == _name:
        _visits_left -= 1
        if _visits_left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
