"""What lets a claim in: code holds it against the record, whatever wrote it (P10)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any

from memory.claims import chinese, english
from memory.claims.answers import answered, says_yes_alone
from memory.claims.attribution import misattributed
from memory.claims.belonging import mixed_parts, renamed, skipped_owner, value_of_another
from memory.claims.case import Case, Passage, overlap, passages
from memory.claims.claim import Claim, ClaimKind, Evidence, Status, claim_id, claim_to_json
from memory.claims.directions import changed_places, reversed_order
from memory.claims.kinship import spelled_out
from memory.claims.opposites import opposite
from memory.claims.polarity import lost_doubt, lost_negation, lost_past, not_yet_done, only_asked
from memory.claims.presence import made_up, missing_anchor
from memory.claims.proposal import MAX_TEXT_CHARS, ProposedClaim
from memory.claims.reasons import Reason
from memory.claims.roles import turned_round
from memory.claims.strength import overstated
from memory.claims.superseded import superseded
from memory.claims.text import fold, is_han, tidy
from memory.claims.trust import PEOPLE, least_trusted, speaker_of
from memory.claims.weakened import weakened
from memory.claims.words import akin, either, stems
from memory.messages import Message, Provenance

MIN_QUOTE = 4
"""Letters and digits that a quote needs; a Chinese character counts as two."""

_STOP_PHRASES = frozenset(map(fold, f"{english.STOP_PHRASES}|{chinese.STOP_PHRASES}".split("|")))
_SUGGESTIONS = either(english.SUGGESTIONS, chinese.SUGGESTIONS)
_DECISIONS = either(english.DECISIONS, chinese.DECISIONS)
_SETTLED = either(english.DECISIONS, chinese.DECISIONS, english.SETTLED, chinese.SETTLED)
_EDGES = " \n.,;:!?。、\"'()"

Failure = tuple[Reason, str]


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


def not_decided(case: Case) -> str | None:
    """Who said it, where a decision rests on words of others than people; or that it was suggested, no more."""
    others = [each for each in case.given if each.message.provenance not in PEOPLE]
    if case.kind is ClaimKind.DECISION and others and not _is_own_decision(case):
        return f"#{others[0].message.seq} was said by {others[0].speaker}"
    is_open = all(_SUGGESTIONS.search(each.text) and not _DECISIONS.search(each.text) for each in case.given)
    return "it was only suggested" if is_open and _SETTLED.search(case.text) else None


def _is_own_decision(case: Case) -> bool:
    """Whether people decided all but a word of it in words of their own, beside the assistant's that they answer."""
    own = [each for each in case.given if each.message.provenance in PEOPLE]
    others = [each for each in case.given if each not in own]
    if any(each.message.provenance is not Provenance.ASSISTANT for each in others):
        return False
    known = {use.word.stem for each in own for use in each.uses}
    lacking = [use for use in case.words if not any(akin(use.word.stem, each) for each in known)]
    is_decided = any(_DECISIONS.search(each.text) for each in own)
    return is_decided and len(lacking) <= 1 < len(case.words) - len(lacking)


CHECKS: tuple[tuple[Reason, Callable[[Case], str | None]], ...] = (
    (Reason.NOT_DECIDED, not_decided),
    (Reason.WRONG_SPEAKER, misattributed),
    (Reason.ANCHOR_MISSING, missing_anchor),
    (Reason.ROLES_CHANGED, mixed_parts),
    (Reason.ROLES_CHANGED, value_of_another),
    (Reason.ROLES_CHANGED, skipped_owner),
    (Reason.ROLES_CHANGED, turned_round),
    (Reason.ROLES_CHANGED, changed_places),
    (Reason.ROLES_CHANGED, reversed_order),
    (Reason.ROLES_CHANGED, renamed),
    (Reason.NEGATION_CHANGED, lost_negation),
    (Reason.OPPOSITE, opposite),
    (Reason.ONLY_ASKED, only_asked),
    (Reason.HEDGE_LOST, lost_doubt),
    (Reason.HEDGE_LOST, not_yet_done),
    (Reason.HEDGE_LOST, weakened),
    (Reason.SUPERSEDED, superseded),
    (Reason.PAST_LOST, lost_past),
    (Reason.OVERSTATED, overstated),
    (Reason.UNSUPPORTED, made_up),
)
"""What is asked of a claim beside its evidence, the most telling first: each gives what is wrong with it, or None."""


def check(
    proposal: ProposedClaim, *, messages: Mapping[int, Message], session: str, zone: tzinfo
) -> Claim | Rejection:
    """The claim that the proposal makes, or why it isn't one.

    `messages` are those of the summarised range by `seq`, all of one session; nothing else is evidence. `zone` is
    where the people are: "tomorrow" is a day there. Speaker, time and provenance are taken from the record.
    """
    failure = _refused(proposal, session=session) or _compared(proposal, messages=messages, zone=zone)
    claim = _claim(
        proposal,
        messages=messages,
        session=session,
        status=Status.REJECTED if failure else Status.ACTIVE,
    )
    return Rejection(claim=claim, reason=failure[0], detail=failure[1]) if failure else claim


def _refused(proposal: ProposedClaim, *, session: str) -> Failure | None:
    """What is wrong before any message is looked at."""
    if proposal.session and proposal.session != session:
        return Reason.OTHER_SESSION, proposal.session
    if not any(char.isalnum() for char in proposal.text):
        return Reason.EMPTY, ""
    if len(proposal.text) > MAX_TEXT_CHARS:
        return Reason.TOO_LONG, f"{len(proposal.text)} of at most {MAX_TEXT_CHARS} characters"
    return None if proposal.evidence else (Reason.NO_EVIDENCE, "")


def _compared(proposal: ProposedClaim, *, messages: Mapping[int, Message], zone: tzinfo) -> Failure | None:
    """The first thing that is wrong with the evidence, or with the claim beside it."""
    text = tidy(proposal.text)
    given: list[Passage] = []
    for evidence in proposal.evidence:
        message = messages.get(evidence.seq)
        if message is None or message.erased:
            return Reason.OUT_OF_RANGE, f"#{evidence.seq}"
        found = passages(evidence, message=message, zone=zone)
        told = answered(message, messages=messages, zone=zone) if found else None
        if told and says_yes_alone(evidence.quote):
            given.append(told)
            continue
        given += [told] if told else []
        weakness = _weakness(evidence) or (None if found else Reason.QUOTE_MISSING)
        if weakness:
            return weakness, f"#{evidence.seq}: {evidence.quote}"
        # The place of the quote that fits the claim best, the first among equals.
        given.append(
            found[0] if len(found) == 1 else max(found, key=lambda each: overlap(text, passage=each))
        )
    case = Case(
        text=spelled_out(text, " ".join(each.text for each in given)),
        kind=proposal.kind,
        given=tuple(given),
        speakers=frozenset(map(speaker_of, messages.values())),
        messages=tuple(each for _, each in sorted(messages.items()) if not each.erased),
    )
    return next(((reason, wrong) for reason, ask in CHECKS if (wrong := ask(case)) is not None), None)


def _weakness(evidence: Evidence) -> Reason | None:
    if sum(2 if is_han(char) else 1 for char in evidence.quote if char.isalnum()) < MIN_QUOTE:
        return Reason.QUOTE_TOO_SHORT
    text = tidy(evidence.quote)
    says = stems(text) or any(char.isdigit() for char in text)
    return None if says and fold(text).strip(_EDGES) not in _STOP_PHRASES else Reason.QUOTE_SAYS_NOTHING


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
        speaker=", ".join(dict.fromkeys(map(speaker_of, known))),
        at=max((each.at for each in known or messages.values()), default=datetime.min.replace(tzinfo=UTC)),
        provenance=least_trusted(each.provenance for each in known),
        status=status,
        supersedes=proposal.supersedes,
    )
