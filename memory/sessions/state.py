"""What a session is beside its messages, as one JSON object: the metadata line and the marks of a session file."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from memory.sessions.codec import format_time, parse_time, whole_number
from memory.sessions.session import Calibration, Mark, MarkKind, Session

METADATA = "metadata"
MARKS = frozenset(MarkKind)

_VERSION = 1
_KNOWN = {
    "_type",
    "version",
    "key",
    "audience",
    "created_at",
    "updated_at",
    "metadata",
    "last_consolidated",
    "last_seq",
    "tokens",
    "view_from",
    "hidden",
    "summary",
    "calibration",
    "erasures",
}
# They follow from the messages, or drift with every turn and are right again after the next: none of them is
# worth a write of its own.
_DRIFTING = ("updated_at", "last_seq", "tokens", "calibration")


def metadata_to_dict(session: Session, *, erasures: int = 0) -> dict[str, Any]:
    """The metadata line; `last_seq` and `tokens` count what stands before it in a file."""
    return {
        "_type": METADATA,
        "version": _VERSION,
        "key": session.key,
        "audience": session.audience,
        "created_at": format_time(session.created_at),
        "updated_at": format_time(session.updated_at),
        "metadata": session.metadata,
        "last_consolidated": session.last_consolidated,
        "last_seq": session.last_seq,
        "tokens": session.tokens,
        "view_from": session.view_from,
        "hidden": [list(span) for span in session.hidden],
        "summary": session.summary,
        "calibration": {
            "factor": session.calibration.factor,
            "window_cap": session.calibration.window_cap,
        },
        "erasures": erasures,
    } | {name: value for name, value in session.extra.items() if name not in _KNOWN}


def lasting_state(session: Session) -> dict[str, Any]:
    """The part of the metadata whose change has to be saved; of the calibration that is the smaller window alone."""
    state = metadata_to_dict(session)
    del state["erasures"]  # the store's own count
    for name in _DRIFTING:
        del state[name]
    return state | {"window_cap": session.calibration.window_cap}


def session_from_metadata(raw: Mapping[str, Any], *, key: str, last_seq: int, tokens: int) -> Session:
    """The session of a metadata line and of what was counted in its messages; what makes no sense is left at its start.

    A pointer that is no number of an existing message becomes 0: nothing counts as archived that may not be.
    """
    now = datetime.now(UTC)
    created_at = parse_time(raw.get("created_at")) or now
    pointer = whole_number(raw.get("last_consolidated"))
    return Session(
        key=key,
        audience=_text(raw.get("audience")),
        created_at=created_at,
        updated_at=parse_time(raw.get("updated_at")) or now,
        last_seq=last_seq,
        last_consolidated=pointer if pointer <= last_seq else 0,
        view_from=whole_number(raw.get("view_from")) or 1,
        hidden=_spans(raw.get("hidden")),
        summary=_object(raw.get("summary")),
        calibration=_calibration(_object(raw.get("calibration"))),
        tokens=tokens,
        metadata=_object(raw.get("metadata")),
        extra={name: value for name, value in raw.items() if name not in _KNOWN},
    )


def mark_to_dict(mark: Mark) -> dict[str, Any]:
    """The line of a mark."""
    place = (
        {"seq": mark.from_seq}
        if mark.kind is MarkKind.VIEW_FROM
        else {"from_seq": mark.from_seq, "to_seq": mark.to_seq}
    )
    return {"_type": mark.kind.value, **place, "timestamp": format_time(mark.at)}


def mark_from_dict(raw: Mapping[str, Any]) -> Mark:
    """The mark of a line; ValueError where it is none."""
    kind = MarkKind(str(raw.get("_type")))
    from_seq = whole_number(raw.get("seq" if kind is MarkKind.VIEW_FROM else "from_seq"))
    if not from_seq:
        raise ValueError(f"a mark {kind.value} without a number")
    at = parse_time(raw.get("timestamp")) or datetime.now(UTC)
    return Mark(kind=kind, from_seq=from_seq, to_seq=whole_number(raw.get("to_seq")), at=at)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _object(value: object) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _spans(value: object) -> list[tuple[int, int]]:
    pairs = [item for item in value if isinstance(item, list)] if isinstance(value, list) else []
    return [(whole_number(pair[0]), whole_number(pair[1])) for pair in pairs if len(pair) == 2]


def _calibration(raw: Mapping[str, Any]) -> Calibration:
    factor = raw.get("factor")
    usable = isinstance(factor, (int, float)) and math.isfinite(factor) and factor > 0
    return Calibration(
        factor=float(factor) if usable and factor is not None else 1.0,
        window_cap=whole_number(raw.get("window_cap")),
    )
