"""The summary of a session as a part of its prompt: the same bytes from one consolidation, or one midnight, to the next."""

from datetime import datetime, time
from functools import lru_cache
from zoneinfo import ZoneInfo

from memory.claims.claim import Claim
from memory.claims.rendering import render
from memory.claims.summary import Summary, summary_from_dict
from memory.sessions.session import Session
from memory.view.budget import Budget

FRAME_TOKENS = 150
"""What stands around the claims, whose own room is the budget that they were merged to."""


def summary_text(session: Session, *, budget: Budget, zone: ZoneInfo, now: datetime) -> str:
    """What is remembered of the messages that are out of view; "" where nothing is, or since the last /new."""
    if not session.summary:
        return ""
    summary = _since(session.view_from, summary_from_dict(session.summary))
    # Ages are in days, and change at midnight alone: a prompt that differs at every turn defeats the provider's cache.
    day = datetime.combine(now.astimezone(zone), time.max, tzinfo=zone)
    return _rendered(summary, now=day, zone=zone, max_tokens=budget.summary_tokens + FRAME_TOKENS)


def _since(view_from: int, summary: Summary) -> Summary:
    """The claims that rest on something said since: what /new puts out of sight stays in memory, and out of the prompt."""
    if view_from <= 1:
        return summary
    return Summary(
        key_facts=_newer(view_from, summary.key_facts),
        decisions=_newer(view_from, summary.decisions),
        open_questions=_newer(view_from, summary.open_questions),
        through_seq=summary.through_seq,
    )


def _newer(view_from: int, claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    return tuple(claim for claim in claims if any(each.seq >= view_from for each in claim.evidence))


@lru_cache(maxsize=256)
def _rendered(summary: Summary, *, now: datetime, zone: ZoneInfo, max_tokens: int) -> str:
    """Counting the lines takes longer than everything else, so about as many are kept as sessions are hot."""
    return render(summary, now=now, zone=zone, max_tokens=max_tokens)
