"""One line of the summary: a claim with its references, date, speaker and id, that nothing in it can break out of."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache

from memory import tokens
from memory.claims.claim import Claim, ClaimKind
from memory.claims.trust import PEOPLE
from memory.messages import reference

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]+")
_OWN_MARKS = re.compile(r"\[(\s*(?:record of the conversation|end of the record)[^\]]*)\]?", re.IGNORECASE)
_NEWEST_SHOWN = 2
_SHOWN_ID = 8
"""Characters of an id that a model needs to name a claim."""


@lru_cache(maxsize=4096)
def line_tokens(claim: Claim) -> int:
    """What the claim costs in a rendered summary, its age included."""
    return tokens.count(line(claim, now=claim.at, zone=claim.at.tzinfo)) + 6


def oneline(text: str) -> str:
    """Words that can't leave their line, hide their direction, or pass for our own marks; else as they are."""
    plain = " ".join(_CONTROLS.sub(" ", text).split())
    return _OWN_MARKS.sub(r"(\1)", plain)


def line(claim: Claim, *, now: datetime, zone: tzinfo | None) -> str:
    """`- [telegram:42#17] 2026-03-12 Ann: … (id 7f3a90c1)`; a question of a person's in their own words."""
    refs = " ".join(f"[{reference(oneline(claim.session), seq)}]" for seq in _seqs(claim))
    day = claim.at.astimezone(zone).date().isoformat()
    speaker = oneline(claim.speaker) or claim.provenance.value
    if claim.provenance not in PEOPLE and speaker != claim.provenance.value:
        speaker += f" ({claim.provenance.value})"
    text = oneline(claim.text)
    if claim.kind is ClaimKind.QUESTION:
        day += f", {_age(now - claim.at)}"
        text = _asked(claim, text)
    return f"- {refs} {day}, {speaker}: {text} (id {claim.id[:_SHOWN_ID]})"


def _seqs(claim: Claim) -> Sequence[int]:
    """The first, where it comes from, and the newest; what was said again in between is told by `memory why`."""
    seqs = sorted({each.seq for each in claim.evidence})
    return [*seqs[:1], *seqs[1:][-_NEWEST_SHOWN:]]


def _asked(claim: Claim, text: str) -> str:
    """What a person asked stands verbatim: a rewording of an ask is not their ask."""
    quote = oneline(claim.evidence[-1].quote) if claim.evidence and claim.provenance in PEOPLE else ""
    return text if not quote or quote == text else f'{text} – in their words: "{quote}"'


def _age(past: timedelta) -> str:
    days = past.days
    return "today" if days < 1 else "1 day ago" if days == 1 else f"{days} days ago"
