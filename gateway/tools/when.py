"""When something falls due, as people and models write it: `20m`, `18:30`, `friday 9am`, `2030-05-01 09:00`, `every day 09:00`, cron."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from gateway.config.cadence import Cadence, parse_cadence

SHORTEST = timedelta(minutes=1)
"""Between two times of what repeats: anything more frequent would be a flood."""

FARTHEST = timedelta(days=366 * 50)
MORNING = time(9)
"""The hour of a day that is named without one."""

_MAX_WORDS = 6
_HALF_DAY = 12
_DAY = timedelta(days=1)
_DAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
# An hour alone is one only after "at" or before "am": people buy "9 apples" tomorrow.
_CLOCK = r"(?P<clock>(?:at )?\d{1,2}:\d{2}(?: ?[ap]m)?|(?:at )?\d{1,2} ?[ap]m|at \d{1,2})"
_TIME_LEFT = re.compile(
    r"(?:at )?\d{1,3}:\d|at (?:\d{1,2}|noon|midnight)\b|(?:until|till|yesterday|today|tomorrow|tonight)\b"
    r"|(?:in|for) \d+ ?(?:m|h|d|min|minute|hour|day|week|month|year)s?\b|next (?:week|month|year)\b"
    rf"|(?:(?:on|next|every|from|except) )?(?:{'|'.join(_DAYS)})\b|every (?:day|weekday|week|month|year|hour)\b",
    re.IGNORECASE,
)
_PARTS = re.compile(r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?(?: ?(?P<half>[ap])m)?$")
_AT = re.compile(_CLOCK)
_TODAY = re.compile(rf"today {_CLOCK}")
_DATE = re.compile(rf"(?:on )?(?P<date>\d{{4}}-\d{{2}}-\d{{2}})(?:[ t]{_CLOCK})?")
_TOMORROW = re.compile(rf"tomorrow(?: {_CLOCK})?")
_AHEAD = re.compile(rf"in (?P<count>\d{{1,5}}) (?P<unit>day|week)s? {_CLOCK}")
_WEEKDAY = re.compile(rf"(?:on )?(?:next )?(?P<day>{'|'.join(_DAYS)})(?: {_CLOCK})?")
_DAILY = re.compile(rf"every (?P<day>day|weekday|[a-z]{{3,9}})(?: {_CLOCK})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """The first due time, in UTC, and what repeats it: text for `parse_cadence`, or None for once."""

    at: datetime
    repeats: str | None = None


def read_when(text: str, *, now: datetime, zone: ZoneInfo) -> tuple[When, str] | None:
    """The time that a text begins with, also one that is over, and the words after it; None when it begins with none."""
    words = text.split()
    for count in range(min(_MAX_WORDS, len(words)), 0, -1):
        when = _named(" ".join(words[:count]), now=now, zone=zone)
        if when is not None:
            rest = text.split(maxsplit=count)
            left = rest[count] if len(rest) > count else ""
            return None if goes_on(left) else (when, left)
    return None


def goes_on(left: str) -> bool:
    """Whether the words behind a time say more of it ("at 12:00 yesterday"): it was not understood, so it is none."""
    return _TIME_LEFT.match(left) is not None


def shown_when(at: datetime, *, zone: ZoneInfo) -> str:
    """A moment as it is confirmed: with the zone that it was read in, and seconds where there are any."""
    local = at.astimezone(zone)
    return f"{local:%Y-%m-%d %H:%M:%S}".removesuffix(":00") + f" {zone.key.removeprefix('Etc/')}"


def shown_after(at: datetime, *, repeats: str | None, zone: ZoneInfo) -> str:
    """The time after this one, for whoever asks what it is that repeats; "" where nothing does."""
    after = (parse_cadence(repeats) or Cadence()).next_after(at, zone=zone) if repeats else None
    return shown_when(after, zone=zone).rpartition(" ")[0] if after else ""


def _named(text: str, *, now: datetime, zone: ZoneInfo) -> When | None:
    """The time that the whole text names, also one that is over."""
    words = " ".join(text.lower().split())
    repeats = _repeated(words)
    if repeats is not None:
        at = _next(repeats, now, zone=zone)
        return None if at is None else When(at=at, repeats=repeats)
    at = _once(words, now=now, zone=zone)
    return When(at=at) if at is not None and at <= now + FARTHEST else None


def next_time(repeats: str, *, after: datetime, now: datetime, zone: ZoneInfo) -> datetime | None:
    """When a repeated one is due next: in step with `after`, its last time, unless that has been missed by now."""
    cadence = parse_cadence(repeats) or Cadence()
    due = cadence.next_after(after, zone=zone)
    return due if due is None or due > now else cadence.next_after(now, zone=zone)


def _next(repeats: str, now: datetime, *, zone: ZoneInfo) -> datetime | None:
    cadence = parse_cadence(repeats) or Cadence()
    first = cadence.next_after(now, zone=zone)
    second = first and cadence.next_after(first, zone=zone)
    if first is None or second is None or second - first < SHORTEST:
        return None
    return first


def _repeated(words: str) -> str | None:
    """The cadence that the words name, in its own spelling."""
    cadence = parse_cadence(words)
    if words != "off" and cadence is not None and words != "every day":
        return words
    match = _DAILY.fullmatch(words)
    if match is None:
        return None
    try:
        at = _clock(match)
    except ValueError:
        return None
    day = match["day"]
    if day in {"day", "weekday"}:
        return f"{at.minute} {at.hour} * * {'*' if day == 'day' else '1-5'}"
    number = next((n for n, name in enumerate(_DAYS) if day in {name, name[:3]}), None)
    return None if number is None else f"{at.minute} {at.hour} * * {number}"


def _once(words: str, *, now: datetime, zone: ZoneInfo) -> datetime | None:
    try:
        day, at = _wall_time(words, today=now.astimezone(zone).date())
        moment = _moment(day, at, zone)
        return moment if moment > now or not _AT.fullmatch(words) else _moment(day + _DAY, at, zone)
    except (ValueError, OverflowError):
        return _later(words, now=now)


def _wall_time(words: str, *, today: date) -> tuple[date, time]:
    """The day and the time of day that are named; ValueError where there are none."""
    if match := _DATE.fullmatch(words):
        return date.fromisoformat(match["date"]), _clock(match)
    if match := _TOMORROW.fullmatch(words):
        return today + _DAY, _clock(match)
    if match := _AHEAD.fullmatch(words):
        return today + _DAY * int(match["count"]) * (7 if match["unit"] == "week" else 1), _clock(match)
    if match := _WEEKDAY.fullmatch(words):
        # Sunday is 0 in cron's week, 6 in Python's.
        ahead = (_DAYS.index(match["day"]) - today.isoweekday()) % len(_DAYS)
        return today + _DAY * (ahead or len(_DAYS)), _clock(match)
    if match := _AT.fullmatch(words) or _TODAY.fullmatch(words):
        return today, _clock(match)
    raise ValueError(words)


def _later(words: str, *, now: datetime) -> datetime | None:
    """A span from now on: `20m`, `in 2 hours`."""
    span = words.removeprefix("in ")
    cadence = parse_cadence(f"every {span}") if span[:1].isdigit() else None
    return None if cadence is None or cadence.step is None else now + cadence.step


def _clock(match: re.Match[str]) -> time:
    """The time of day that is named; ValueError where there is no such hour."""
    if match["clock"] is None:
        return MORNING
    found = _PARTS.search(match["clock"])
    if found is None:
        raise ValueError(match["clock"])
    hour = int(found["hour"])
    if found["half"]:
        if not 1 <= hour <= _HALF_DAY:
            raise ValueError(match["clock"])
        hour = hour % _HALF_DAY + (_HALF_DAY if found["half"] == "p" else 0)
    return time(hour, int(found["minute"] or 0))


def _moment(day: date, at: time, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, at, tzinfo=zone).astimezone(UTC)
