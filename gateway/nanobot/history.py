"""The summaries of nanobot as a session of their own: found by search, quoted by reference, never taken for a fact.

They name no messages as their evidence, so no claim is made of them. The session counts as consolidated: neither
consolidation nor Dream goes through it.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from memory.messages import Provenance
from memory.sessions.codec import format_time, parse_time

KEY = "imported:nanobot-history"

_STAMP = re.compile(r"\[(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})(?::\d{2})?\]")
# A block of raw messages has stamped lines of its own, but no blank line before them.
_BORDER = re.compile(r"\n\s*\n(?=\[\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One summary, and when it was written."""

    at: datetime
    text: str


def read_markdown(data: bytes, *, otherwise: datetime, zone: ZoneInfo) -> Iterator[Recorded]:
    """The entries of HISTORY.md; one without a time of its own has that of the one before, the first `otherwise`."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").strip()
    at = otherwise
    for piece in _BORDER.split(text):
        entry = piece.strip()
        stamp = _STAMP.match(entry)
        at = (_local(f"{stamp[1]} {stamp[2]}", zone) if stamp else None) or at
        if entry:
            yield Recorded(at=at, text=entry)


def read_lines(data: bytes, *, otherwise: datetime, zone: ZoneInfo) -> Iterator[Recorded]:
    """The entries of history.jsonl; lines that say nothing are passed over."""
    for line in data.decode("utf-8", "replace").split("\n"):
        try:
            raw = json.loads(line)
        except ValueError:
            continue
        content = raw.get("content") if isinstance(raw, dict) else None
        if isinstance(content, str) and content.strip():
            yield Recorded(at=_local(raw.get("timestamp"), zone) or otherwise, text=content.strip())


def session_lines(entries: Sequence[Recorded]) -> list[str]:
    """The file of the session, as `sessions import` reads it."""
    metadata = {"_type": "metadata", "key": KEY, "metadata": {}, "last_consolidated": len(entries)}
    times = {"created_at": format_time(entries[0].at), "updated_at": format_time(entries[-1].at)}
    rows = [
        {
            "role": "user",
            "content": entry.text,
            "timestamp": format_time(entry.at),
            "sender": "nanobot",
            "provenance": Provenance.FILE.value,
        }
        for entry in entries
    ]
    return [json.dumps(row, ensure_ascii=False) for row in (metadata | times, *rows)]


def _local(text: object, zone: ZoneInfo) -> datetime | None:
    """A time as nanobot writes it: in the machine's zone, when it names none."""
    try:
        at = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    if at is None or at.tzinfo is not None:
        return parse_time(text)
    return at.replace(tzinfo=zone)
