"""The summary of a session as a part of its prompt: the same bytes from one consolidation, or one midnight, to the next."""

from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from memory.claims.rendering import render
from memory.claims.summary import Summary, summary_from_dict
from memory.sessions.session import Session
from memory.view.budget import Budget

_texts: OrderedDict[str, tuple[Mapping[str, Any], tuple[object, ...], str]] = OrderedDict()
_TEXTS_KEPT = 256
"""About as many as sessions are hot: a summary is read and counted once, not at every turn."""


def summary_text(session: Session, *, budget: Budget, zone: ZoneInfo, now: datetime) -> str:
    """What is remembered of the messages that are out of view; "" where nothing is, or since the last /new."""
    if not session.summary:
        return ""
    # Ages are in days, and change at midnight alone: a prompt that differs at every turn defeats the provider's cache.
    day = datetime.combine(now.astimezone(zone), time.max, tzinfo=zone)
    shape = (session.view_from, day, zone, budget.summary_tokens)
    known = _texts.get(session.key)
    # A summary is replaced and never changed in place, so the same object says the same.
    if known is not None and known[0] is session.summary and known[1] == shape:
        _texts.move_to_end(session.key)
        return known[2]
    summary = _since(session.view_from, summary_from_dict(session.summary))
    text = render(summary, now=day, zone=zone, max_tokens=budget.summary_tokens)
    _texts[session.key] = (session.summary, shape, text)
    _texts.move_to_end(session.key)
    if len(_texts) > _TEXTS_KEPT:
        _texts.popitem(last=False)
    return text


def _since(view_from: int, summary: Summary) -> Summary:
    """The claims that rest on something said since: what /new puts out of sight stays in memory, and out of the prompt."""
    if view_from <= 1:
        return summary
    return summary.keeping(lambda claim: any(each.seq >= view_from for each in claim.evidence))
