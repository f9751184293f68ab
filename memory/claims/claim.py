"""What a claim is: one remembered fact, decision or open question, with its evidence, and its stored form."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

from memory.messages import Provenance

Kind = TypeVar("Kind", bound=StrEnum)


class ClaimKind(StrEnum):
    """What is remembered."""

    FACT = "fact"
    DECISION = "decision"
    QUESTION = "question"


CLAIM_LISTS = {
    "key_facts": ClaimKind.FACT,
    "decisions": ClaimKind.DECISION,
    "open_questions": ClaimKind.QUESTION,
}
"""The lists in which claims stand wherever they are stored or asked for, and what each holds."""


class Status(StrEnum):
    """How a claim stands: in the summary, replaced by a newer one, archived for age, or never believed."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    AGED = "aged"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A message of the claim's session, and the words of it that the claim rests on."""

    seq: int
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One thing that may be believed because its evidence says so (P10).

    `id` is a hash in 16 hexadecimal digits. `speaker`, `at` and `provenance` come from the record, never from a
    model: who said it, when the newest of the evidence was said (UTC), and whose words the least trusted of the
    evidence are (P14). `supersedes` holds ids, or beginnings of ids, of claims that this one replaces.
    """

    id: str
    session: str
    kind: ClaimKind
    text: str
    evidence: tuple[Evidence, ...]
    speaker: str
    at: datetime
    provenance: Provenance
    status: Status = Status.ACTIVE
    supersedes: tuple[str, ...] = ()


def claim_id(session: str, *, from_seq: int, to_seq: int, text: str) -> str:
    """The same 64 bits for the same words about the same stretch of a session, however often it is summarised."""
    spelled = "\x00".join((session, str(from_seq), str(to_seq), text))
    return hashlib.sha256(spelled.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def claim_to_json(claim: Claim) -> dict[str, Any]:
    """The stored form; `supersedes` stands in it only where there is something to supersede."""
    document: dict[str, Any] = {
        "id": claim.id,
        "session": claim.session,
        "kind": claim.kind.value,
        "text": claim.text,
        "evidence": [{"seq": each.seq, "quote": each.quote} for each in claim.evidence],
        "speaker": claim.speaker,
        "at": claim.at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        "provenance": claim.provenance.value,
        "status": claim.status.value,
    }
    if claim.supersedes:
        document["supersedes"] = list(claim.supersedes)
    return document


def claim_from_json(document: object) -> Claim | None:
    """The claim of a stored form, or None where what makes it a claim is missing or of another type.

    A provenance that nobody knows counts as the least trusted one; an unknown status as aged, so that a claim
    from a newer version is kept but not told to the model.
    """
    if not isinstance(document, Mapping):
        return None
    evidence = evidence_from_json(document.get("evidence"))
    kind = _member(ClaimKind, document.get("kind"))
    at = _time(document.get("at"))
    texts = [document.get(name) for name in ("id", "session", "text")]
    if (
        not evidence
        or kind is None
        or at is None
        or not all(isinstance(each, str) and each for each in texts)
    ):
        return None
    speaker, supersedes = document.get("speaker"), document.get("supersedes")
    return Claim(
        id=str(texts[0]),
        session=str(texts[1]),
        kind=kind,
        text=str(texts[2]),
        evidence=evidence,
        speaker=speaker if isinstance(speaker, str) else "",
        at=at,
        provenance=_member(Provenance, document.get("provenance")) or Provenance.WEB,
        status=_member(Status, document.get("status", Status.ACTIVE.value)) or Status.AGED,
        supersedes=tuple(each for each in supersedes if isinstance(each, str))
        if isinstance(supersedes, list)
        else (),
    )


def evidence_from_json(document: object) -> tuple[Evidence, ...]:
    """What of a list can be read as evidence; the rest is left out."""
    if not isinstance(document, list):
        return ()
    found = []
    for each in document:
        seq, quote = (each.get("seq"), each.get("quote")) if isinstance(each, Mapping) else (None, None)
        if isinstance(seq, int) and not isinstance(seq, bool) and isinstance(quote, str):
            found.append(Evidence(seq=seq, quote=quote))
    return tuple(found)


def _member(kind: type[Kind], value: object) -> Kind | None:
    try:
        return kind(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _time(value: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    if at is None:
        return None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
