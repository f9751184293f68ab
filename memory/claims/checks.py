"""What lets a claim in: code holds it against the record, whatever wrote it (P10)."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any

from memory.claims.attribution import misattribution
from memory.claims.claim import Claim, ClaimKind, Evidence, Status, claim_id, claim_to_json
from memory.claims.comparison import (
    Case,
    lost_doubt,
    lost_negation,
    lost_past,
    missing_anchor,
    not_yet,
    only_asked,
    opened_case,
    overlap,
    unsupported,
)
from memory.claims.crossing import crossed
from memory.claims.opposites import opposed
from memory.claims.passages import Passage, passages
from memory.claims.proposal import MAX_TEXT_CHARS, ProposedClaim
from memory.claims.reasons import Reason
from memory.claims.roles import misplaced
from memory.claims.text import fold, is_han, tidy
from memory.claims.trust import PEOPLE, least_trusted, speaker_of
from memory.claims.words import content
from memory.messages import Message

MIN_QUOTE = 4
"""Letters and digits that a quote needs; a Chinese character counts as two."""

_STOP_PHRASES = frozenset(
    fold(phrase)
    for phrase in re.split(
        r"\|",
        "ok|okay|yes|yeah|yep|no|nope|sure|fine|great|good|thanks|thank you|thx|perfect|sounds good|got it|i see|all right|alright"
        "|hello|good morning|good evening|of course|no problem|you're welcome|cool|nice|right|exactly|done|agreed|will do|go ahead"
        "|that is right|that's right|i agree|me too|good idea|very good|well done|please do|as usual|see you"
        "|好|好的|好吧|好啊|可以|行|行吧|嗯|嗯嗯|是的|对|对的|没错|没问题|谢谢|多谢|知道了|明白|明白了|收到|当然|同意|不客气|你好|您好|早上好|晚安|再见|没事|好主意|太好了|辛苦了",
    )
)
_EDGES = " \n.,;:!?。、\"'()"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A claim that is not believed, why, and what of it is wrong. `claim.status` is rejected."""

    claim: Claim
    reason: Reason
    detail: str

    @property
    def explanation(self) -> str:
        """What a repair request tells the model."""
        return f"{self.reason.meaning} ({self.detail})" if self.detail else self.reason.meaning


def rejection_to_json(rejection: Rejection) -> dict[str, Any]:
    """The stored claim with its `reason`, and the `detail` beside it."""
    return claim_to_json(rejection.claim) | {"reason": rejection.reason.value, "detail": rejection.detail}


def check(
    proposal: ProposedClaim, *, messages: Mapping[int, Message], session: str, zone: tzinfo
) -> Claim | Rejection:
    """The claim that the proposal makes, or why it isn't one.

    `messages` are those of the summarised range by `seq`, all of one session; nothing else is evidence. `zone` is
    where the people are: "tomorrow" is a day there. Speaker, time and provenance are taken from the record.
    """
    given: list[Passage] = []
    failure = _refused(proposal, session=session)
    if failure is None:
        for evidence in proposal.evidence:
            found = _passage(proposal, evidence, messages=messages, zone=zone)
            if not isinstance(found, Passage):
                failure = found
                break
            given.append(found)
    if failure is None:
        failure = _compared(proposal, given=given, messages=messages, zone=zone)
    if failure is None:
        return _claim(proposal, messages=messages, session=session, status=Status.ACTIVE)
    return Rejection(
        claim=_claim(proposal, messages=messages, session=session, status=Status.REJECTED),
        reason=failure[0],
        detail=failure[1],
    )


Failure = tuple[Reason, str]


def _refused(proposal: ProposedClaim, *, session: str) -> Failure | None:
    """What is wrong before any message is looked at."""
    if proposal.session and proposal.session != session:
        return Reason.OTHER_SESSION, proposal.session
    if not any(char.isalnum() for char in proposal.text):
        return Reason.EMPTY, ""
    if len(proposal.text) > MAX_TEXT_CHARS:
        return Reason.TOO_LONG, f"{len(proposal.text)} of at most {MAX_TEXT_CHARS} characters"
    return None if proposal.evidence else (Reason.NO_EVIDENCE, "")


def _passage(
    proposal: ProposedClaim, evidence: Evidence, *, messages: Mapping[int, Message], zone: tzinfo
) -> Passage | Failure:
    """The place of the quote that fits the claim best, the first among equals."""
    message = messages.get(evidence.seq)
    if message is None or message.erased:
        return Reason.OUT_OF_RANGE, f"#{evidence.seq}"
    weak = _weakness(evidence.quote)
    if weak:
        return weak, f"#{evidence.seq}: {evidence.quote}"
    found = list(passages(evidence, message=message, zone=zone))
    if not found:
        return Reason.QUOTE_MISSING, f"#{evidence.seq}: {evidence.quote}"
    if len(found) == 1:
        return found[0]
    text = tidy(proposal.text)
    return max(found, key=lambda each: overlap(text, passage=each, zone=zone))


def _weakness(quote: str) -> Reason | None:
    weight = sum(2 if is_han(char) else 1 for char in quote if char.isalnum())
    if weight < MIN_QUOTE:
        return Reason.QUOTE_TOO_SHORT
    text = tidy(quote)
    if fold(quote).strip(_EDGES) in _STOP_PHRASES:
        return Reason.QUOTE_SAYS_NOTHING
    has_meaning = any(True for _ in content(text)) or any(char.isdigit() for char in text)
    return None if has_meaning else Reason.QUOTE_SAYS_NOTHING


def _compared(
    proposal: ProposedClaim, *, given: Sequence[Passage], messages: Mapping[int, Message], zone: tzinfo
) -> Failure | None:
    """The first comparison that fails, the most telling ones first."""
    speakers = frozenset(speaker_of(each) for each in messages.values())
    case = opened_case(tidy(proposal.text), kind=proposal.kind, given=given, speakers=speakers, zone=zone)
    for reason, compare in _COMPARISONS:
        detail = compare(case)
        if detail is not None:
            return reason, detail
    return None


def _undecided(case: Case) -> str | None:
    if case.kind is not ClaimKind.DECISION:
        return None
    others = [each for each in case.given if each.message.provenance not in PEOPLE]
    return f"#{others[0].message.seq} was said by {others[0].speaker}" if others else None


_COMPARISONS: tuple[tuple[Reason, Callable[[Case], str | None]], ...] = (
    (Reason.NOT_DECIDED, _undecided),
    (
        Reason.WRONG_SPEAKER,
        lambda case: misattribution(case.text, given=case.given, speakers=case.speakers),
    ),
    (Reason.ANCHOR_MISSING, missing_anchor),
    (Reason.ANCHOR_CROSSED, lambda case: crossed(case.text, claimed=case.claimed, given=case.given)),
    (Reason.ROLES_CHANGED, lambda case: misplaced(case.text, claimed=case.claimed, given=case.given)),
    (Reason.NEGATION_CHANGED, lost_negation),
    (Reason.OPPOSITE, lambda case: opposed(case.text, " ".join(each.text for each in case.given))),
    (Reason.ONLY_ASKED, only_asked),
    (Reason.HEDGE_LOST, lost_doubt),
    (Reason.HEDGE_LOST, not_yet),
    (Reason.PAST_LOST, lost_past),
    (Reason.UNSUPPORTED, unsupported),
)


def _claim(
    proposal: ProposedClaim, *, messages: Mapping[int, Message], session: str, status: Status
) -> Claim:
    known = [message for each in proposal.evidence if (message := messages.get(each.seq))]
    return Claim(
        id=claim_id(
            session, from_seq=min(messages, default=0), to_seq=max(messages, default=0), text=proposal.text
        ),
        session=session,
        kind=proposal.kind,
        text=proposal.text,
        evidence=proposal.evidence,
        speaker=", ".join(dict.fromkeys(speaker_of(each) for each in known)),
        at=max((each.at for each in known), default=_newest(messages)),
        provenance=least_trusted(each.provenance for each in known),
        status=status,
        supersedes=proposal.supersedes,
    )


def _newest(messages: Mapping[int, Message]) -> datetime:
    return max((each.at for each in messages.values()), default=datetime.min.replace(tzinfo=UTC))
