"""The summary of a session: its claims in three lists, how new ones join them, and what has to leave for room."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from memory.claims.anchors import AnchorKind, mentions
from memory.claims.claim import CLAIM_LISTS, Claim, ClaimKind, Status, claim_from_json, claim_to_json
from memory.claims.lines import line_tokens
from memory.claims.text import fold, tidy
from memory.claims.trust import is_less_trusted

MIN_PREFIX = 4
"""Ids are shown short; fewer characters than these name no claim."""

_MOST_EVIDENCE = 8
"""A claim that is repeated for a year needs no year of quotes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What of a session's older messages stays in view; each list oldest first, all claims active."""

    key_facts: tuple[Claim, ...] = ()
    decisions: tuple[Claim, ...] = ()
    open_questions: tuple[Claim, ...] = ()

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All of them, list by list."""
        return self.key_facts + self.decisions + self.open_questions

    def keeping(self, is_kept: Callable[[Claim], bool]) -> "Summary":
        """The summary with those of its claims alone for which it is true."""
        return _summary(filter(is_kept, self.claims))


def merge(
    summary: Summary, new_claims: Iterable[Claim], *, budget_tokens: int
) -> tuple[Summary, tuple[Claim, ...]]:
    """The summary with the new claims, and what the archive has to tell of it.

    That is the new claims, each naming only what it did take the place of, and then every claim that left: superseded,
    or aged out for room. A claim leaves only when a new one names its id, or oldest first when the lines of the summary
    exceed `budget_tokens`. Words of less trust supersede no fact and no decision of more trust (P14). A claim that is
    there already adds its evidence to the one that is there.
    """
    kept = {claim.id: claim for claim in summary.claims}
    known = {_sameness(claim): claim.id for claim in kept.values()}
    told: list[Claim] = []
    left: list[Claim] = []
    for proposed in new_claims:
        old = kept.get(proposed.id) or kept.get(known.get(_sameness(proposed), ""))
        others = [each for each in kept.values() if old is None or each.id != old.id]
        claim = replace(proposed, supersedes=tuple(dict.fromkeys(_superseded(proposed, others))))
        left.extend(replace(kept.pop(each), status=Status.SUPERSEDED) for each in claim.supersedes)
        told.append(claim)
        if old:
            known.pop(_sameness(old), None)
        joined = _joined(old, claim) if old else claim
        kept[joined.id] = joined
        known[_sameness(joined)] = joined.id
    aged = list(_aged(list(kept.values()), budget_tokens))
    left.extend(replace(kept.pop(claim.id), status=Status.AGED) for claim in aged)
    return _summary(kept.values()), (*told, *left)


def summary_to_dict(summary: Summary) -> dict[str, Any]:
    """What `Session.summary` holds."""
    return {name: [claim_to_json(claim) for claim in getattr(summary, name)] for name in CLAIM_LISTS}


def summary_from_dict(document: Mapping[str, Any]) -> Summary:
    """The summary of a stored form; what in it is no active claim is left out, for the archive has it."""
    claims = []
    for name, kind in CLAIM_LISTS.items():
        items = document.get(name)
        for item in items if isinstance(items, list) else ():
            claim = claim_from_json(item)
            if claim is not None and claim.kind is kind and claim.status is Status.ACTIVE:
                claims.append(claim)
    return _summary({claim.id: claim for claim in claims}.values())


def _summary(claims: Iterable[Claim]) -> Summary:
    ordered = sorted(claims, key=_age)
    facts, decisions, questions = (
        tuple(claim for claim in ordered if claim.kind is kind) for kind in CLAIM_LISTS.values()
    )
    return Summary(key_facts=facts, decisions=decisions, open_questions=questions)


def _age(claim: Claim) -> tuple[datetime, int, str]:
    return claim.at, max((each.seq for each in claim.evidence), default=0), claim.id


@lru_cache(maxsize=4096)  # a summary's claims are compared again at every consolidation
def _sameness(claim: Claim) -> tuple[ClaimKind, str, frozenset[str]]:
    """What two claims share that say the same: their words and, where these say "tomorrow", the day."""
    words = "".join(char if char.isalnum() else " " for char in fold(claim.text))
    found = mentions(tidy(claim.text), said_at=claim.at, zone=UTC)
    values = frozenset(min(each.reads) for each in found if each.kind is not AnchorKind.NAME)
    return claim.kind, " ".join(words.split()), values


def _superseded(claim: Claim, kept: Sequence[Claim]) -> Iterator[str]:
    """The ids that the claim replaces; a beginning that several share names none of them."""
    for prefix in claim.supersedes:
        named = [
            each for each in kept if len(prefix) >= MIN_PREFIX and each.id.startswith(prefix.lstrip("#"))
        ]
        if len(named) == 1 and _may_replace(claim, named[0]):
            yield named[0].id


def _may_replace(claim: Claim, old: Claim) -> bool:
    if old.session != claim.session:
        return False
    is_answer = old.kind is ClaimKind.QUESTION and claim.kind is not ClaimKind.QUESTION
    return is_answer or not is_less_trusted(claim.provenance, than=old.provenance)


def _joined(old: Claim, new: Claim) -> Claim:
    """The claim that is there, as new as its repetition where that is as trusted; with the evidence of both."""
    if is_less_trusted(new.provenance, than=old.provenance):
        return old
    evidence = tuple(dict.fromkeys(old.evidence + new.evidence))
    if len(evidence) > _MOST_EVIDENCE:
        evidence = evidence[:1] + evidence[1 - _MOST_EVIDENCE :]
    return replace(old, evidence=evidence, at=max(old.at, new.at))


def _aged(claims: Sequence[Claim], budget_tokens: int) -> Iterator[Claim]:
    """The oldest, until the rest fits."""
    costs = {claim.id: line_tokens(claim) for claim in claims}
    total = sum(costs.values())
    for claim in sorted(claims, key=_age):
        if total <= budget_tokens:
            return
        total -= costs[claim.id]
        yield claim
