"""How often something falls due: a cron expression, "every 2h", or never."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

_UNITS = {
    "s": 1,
    "sec": 1,
    "second": 1,
    "m": 60,
    "min": 60,
    "minute": 60,
    "h": 3600,
    "hour": 3600,
    "d": 86400,
    "day": 86400,
}
_STEP = re.compile(r"(\d*)\s*([a-z]+?)s?")
_LONGEST_DAYS = 366
_CRON_FIELDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Cadence:
    """Either a step, or a cron expression of five fields, or neither: off."""

    step: timedelta | None = None
    cron: str | None = None

    def next_after(self, moment: datetime, *, zone: ZoneInfo) -> datetime | None:
        """The first due time after `moment`, in UTC; cron fields are read in `zone`. None when it is off.

        An hour that a clock change skips falls due when the clock has moved on; a doubled one, once.
        """
        if self.step is not None:
            return moment + self.step
        if self.cron is None:
            return None
        return _next_of(self.cron, moment, zone=zone)


def parse_cadence(text: str) -> Cadence | None:
    """What `text` says ("off", "every 30 minutes", "every 2h", "0 4 * * *"), or None when it says nothing."""
    words = " ".join(text.lower().split())
    if words == "off":
        return Cadence()
    if words.startswith("every"):
        step = _step(words.removeprefix("every").strip())
        return Cadence(step=step) if step else None
    return Cadence(cron=words) if _is_cron(words) else None


def _step(words: str) -> timedelta | None:
    match = _STEP.fullmatch(words)
    if match is None or len(match[1]) > len(str(_LONGEST_DAYS * 86400)):
        return None
    unit = _UNITS.get(match[2])
    if unit is None:
        return None
    step = timedelta(seconds=int(match[1] or "1") * unit)
    return step if timedelta() < step <= timedelta(days=_LONGEST_DAYS) else None


def _is_cron(words: str) -> bool:
    """Whether it is one, and some day it names exists."""
    if len(words.split()) != _CRON_FIELDS:
        return False
    from croniter import CroniterError, croniter  # noqa: PLC0415 - as costly as all of the configuration

    try:
        croniter(words, datetime(2026, 1, 1, tzinfo=UTC)).get_next(datetime)
    except CroniterError:
        return False
    return True


def _next_of(cron: str, moment: datetime, *, zone: ZoneInfo) -> datetime:
    from croniter import croniter  # noqa: PLC0415 - as costly as all of the configuration

    local = moment.astimezone(zone)
    if cron.split()[1].startswith("*"):
        due: datetime = croniter(cron, local).get_next(datetime)
        return due.astimezone(UTC)
    # A named hour: read off the wall clock, where a doubled hour has one due time and a skipped one still has it.
    steps = croniter(cron, local.replace(tzinfo=None))
    while (due := steps.get_next(datetime).replace(tzinfo=zone).astimezone(UTC)) <= moment:
        pass
    return due
