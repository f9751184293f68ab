"""The scheduled jobs of nanobot as reminders of ours, or why one can't be."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from gateway.config.cadence import parse_cadence
from gateway.tools.when import SHORTEST

_GROUPS: Mapping[str, tuple[str, ...]] = {"telegram": ("-",), "slack": ("C", "G")}
"""By channel, how the ids of its groups begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A job: what is to be done, where the answer goes, when it is due next, and what repeats it."""

    id: str
    text: str
    channel: str
    chat_id: str
    is_group: bool
    next_at: datetime
    repeats: str | None
    timezone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotTaken:
    """A job that stays where it is."""

    name: str
    reason: str


class _Unusable(Exception):
    """The text says why."""


def read_jobs(document: object, *, now: datetime, zone: ZoneInfo) -> Iterator[Planned | NotTaken]:
    """Every job of jobs.json."""
    jobs = document.get("jobs") if isinstance(document, dict) else None
    for number, job in enumerate(jobs if isinstance(jobs, list) else [], start=1):
        raw = _mapping(job)
        name = str(raw.get("name") or raw.get("id") or f"job {number}")
        try:
            yield _planned(raw, now=now, zone=zone)
        except _Unusable as error:
            yield NotTaken(name=name, reason=str(error))


def _planned(job: Mapping[str, Any], *, now: datetime, zone: ZoneInfo) -> Planned:
    payload = _mapping(job.get("payload"))
    text = payload.get("message")
    if job.get("enabled") is False:
        raise _Unusable("it is switched off")
    if payload.get("kind", "agent_turn") != "agent_turn" or not isinstance(text, str) or not text.strip():
        raise _Unusable("it asks for nothing in words")
    channel, chat_id = _place(payload)
    zone = _zone(_mapping(job.get("schedule")), zone)
    next_at, repeats = _times(job, now=now, zone=zone)
    return Planned(
        id=f"nanobot/{job.get('id') or text}",
        text=text,
        channel=channel,
        chat_id=chat_id,
        is_group=chat_id.startswith(_GROUPS[channel]),
        next_at=next_at,
        repeats=repeats,
        timezone=zone.key,
    )


def _place(payload: Mapping[str, Any]) -> tuple[str, str]:
    """The chat that it was made in; older jobs name where they deliver, newer ones their session."""
    session = str(_either(payload, "sessionKey", "session_key") or "").partition(":")
    channel = _either(payload, "originChannel", "origin_channel") or payload.get("channel") or session[0]
    chat_id = _either(payload, "originChatId", "origin_chat_id") or payload.get("to") or session[2]
    if not channel or not chat_id:
        raise _Unusable("it names no chat for its answer")
    if channel not in _GROUPS:
        raise _Unusable(f"its chat is on {channel}, and only {' and '.join(_GROUPS)} are here")
    return str(channel), str(chat_id)


def _zone(schedule: Mapping[str, Any], zone: ZoneInfo) -> ZoneInfo:
    name = schedule.get("tz")
    if not name:
        return zone
    try:
        return ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise _Unusable(f'there is no time zone "{name}"') from error


def _times(job: Mapping[str, Any], *, now: datetime, zone: ZoneInfo) -> tuple[datetime, str | None]:
    schedule = _mapping(job.get("schedule"))
    if schedule.get("kind") == "at":
        at = _moment(_either(schedule, "atMs", "at_ms"))
        if at is None or at <= now:
            raise _Unusable("its time is over")
        return at, None
    cadence = parse_cadence(_repeats(schedule))
    due = cadence.next_after(now, zone=zone) if cadence else None
    second = cadence.next_after(due, zone=zone) if cadence and due else None
    if due is None or second is None:
        raise _Unusable("its schedule can't be read")
    if second - due < SHORTEST:
        raise _Unusable("it repeats more often than every minute")
    planned = _moment(_either(_mapping(job.get("state")), "nextRunAtMs", "next_run_at_ms"))
    is_step = schedule.get("kind") == "every"
    return (planned if is_step and planned and planned > now else due), _repeats(schedule)


def _repeats(schedule: Mapping[str, Any]) -> str:
    if schedule.get("kind") == "every":
        step = _either(schedule, "everyMs", "every_ms")
        return f"every {int(step) // 1000}s" if isinstance(step, int | float) and step > 0 else ""
    return str(schedule.get("expr") or "")


def _moment(milliseconds: object) -> datetime | None:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return None
    try:
        return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=milliseconds)
    except (OverflowError, ValueError):
        return None


def _either(raw: Mapping[str, Any], camel: str, snake: str) -> Any:
    """Nanobot writes camelCase and reads both."""
    return raw.get(camel, raw.get(snake))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
