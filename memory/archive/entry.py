"""One consolidation as the archive keeps it: which stretch of which session, and the claims that it left."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from memory.claims.claim import CLAIM_LISTS, Claim, claim_from_json, claim_to_json
from memory.sessions.codec import format_time, parse_time, whole_number

_KNOWN = {"cursor", "timestamp", "session", "from_seq", "to_seq", "kind", "rejected", *CLAIM_LISTS}


class EntryKind(StrEnum):
    """Who chose the claims: a model, or code that took sentences as they stand (P11)."""

    MODEL = "model"
    EXTRACT = "extract"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The messages `from_seq` to `to_seq` of a session became these claims.

    `cursor` is the entry's number in its audience, 0 until the archive has it. `at` is aware and in UTC. `rejected`
    holds what the checks did not believe, each a stored claim with its `reason`: no memory, but readable.
    """

    session: str
    from_seq: int
    to_seq: int
    at: datetime
    claims: tuple[Claim, ...] = ()
    kind: EntryKind = EntryKind.MODEL
    cursor: int = 0
    rejected: tuple[Mapping[str, Any], ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


def entry_to_dict(entry: Entry) -> dict[str, Any]:
    """The line of an entry in history.jsonl."""
    return {
        "cursor": entry.cursor,
        "timestamp": format_time(entry.at),
        "session": entry.session,
        "from_seq": entry.from_seq,
        "to_seq": entry.to_seq,
        "kind": entry.kind.value,
        **{
            name: [claim_to_json(claim) for claim in entry.claims if claim.kind is kind]
            for name, kind in CLAIM_LISTS.items()
        },
        **({"rejected": list(entry.rejected)} if entry.rejected else {}),
    } | {name: value for name, value in entry.extra.items() if name not in _KNOWN}


def entry_from_dict(raw: Mapping[str, Any]) -> Entry:
    """The entry of a line; ValueError says what it lacks. A claim that can't be read is left out."""
    cursor, session = whole_number(raw.get("cursor")), raw.get("session")
    if not cursor:
        raise ValueError(f"cursor is {raw.get('cursor')!r}, expected a number from 1 on")
    if not isinstance(session, str) or not session:
        raise ValueError("names no session")
    claims = [
        claim
        for name in CLAIM_LISTS
        for document in _list(raw.get(name))
        if (claim := claim_from_json(document)) is not None
    ]
    return Entry(
        session=session,
        from_seq=whole_number(raw.get("from_seq")),
        to_seq=whole_number(raw.get("to_seq")),
        at=parse_time(raw.get("timestamp")) or datetime.fromtimestamp(0, UTC),
        claims=tuple(claims),
        kind=EntryKind.EXTRACT if raw.get("kind") == EntryKind.EXTRACT.value else EntryKind.MODEL,
        cursor=cursor,
        rejected=tuple(item for item in _list(raw.get("rejected")) if isinstance(item, Mapping)),
        extra={name: value for name, value in raw.items() if name not in _KNOWN},
    )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
