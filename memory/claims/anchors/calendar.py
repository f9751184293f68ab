"""The values of a day, week, month or year that is named in a text, fully, partly or by its distance from today."""

from collections.abc import Iterable
from datetime import date, timedelta


def full(day: date) -> str:
    """The value of one day."""
    return f"day:{day.isoformat()}"


def yearless(month: int, day: int) -> str:
    """The value of a day in some year."""
    return f"day:--{month:02}-{day:02}"


def week(day: date) -> str:
    """The value of the week, from Monday, that the day lies in."""
    year, number, _ = day.isocalendar()
    return f"week:{year}-{number:02}"


def month(year: int, number: int) -> str:
    """The value of one month."""
    return f"month:{year}-{number:02}"


def implied(days: Iterable[date]) -> set[str]:
    """What else a day says: without its year, its weekday, its place in the month, its week, month and year."""
    found: set[str] = set()
    for day in days:
        found |= {
            full(day),
            yearless(day.month, day.day),
            f"weekday:{day.weekday()}",
            f"monthday:{day.day}",
            week(day),
            month(day.year, day.month),
            f"month:--{day.month:02}",
            f"year:{day.year}",
        }
    return found


def valid(year: int, month_number: int, day: int) -> date | None:
    """The day, or None where there is none such."""
    try:
        return date(year, month_number, day)
    except ValueError:
        return None


def without_year(month_number: int, day: int, today: date) -> list[date]:
    """Which days a date without a year may mean: the one nearest to today, and the one of the same year."""
    years = (today.year - 1, today.year, today.year + 1)
    days = [each for year in years if (each := valid(year, month_number, day))]
    nearest = min(days, key=lambda each: abs(each - today), default=None)
    return [each for each in days if each == nearest or each.year == today.year]


def shifted(today: date, *, days: int = 0, months: int = 0) -> date | None:
    """So many days or months from today, the last of the month where that one is shorter; None out of range."""
    try:
        if not months:
            return today + timedelta(days=days)
        count = today.year * 12 + today.month - 1 + months
        year, index = divmod(count, 12)
        return next(
            each for last in (today.day, 30, 29, 28) if (each := valid(year, index + 1, min(today.day, last)))
        )
    except (OverflowError, ValueError, StopIteration):
        return None


def weekdays(weekday: int, today: date, *, which: str) -> list[date]:
    """The days that "Friday", "next Friday", "last Friday", "this Friday" may mean.

    Plain and `this`: the coming one, today included, and that of the running week. `next`: the coming one or that
    of the next week. `last`: the one before, or that of last week. Chinese 下周五 and 上周五 are `following` and
    `preceding`: always of the next and the last week. None where the calendar ends.
    """
    try:
        return _weekdays(weekday, today, which=which)
    except OverflowError:
        return []


def _weekdays(weekday: int, today: date, *, which: str) -> list[date]:
    monday = today - timedelta(days=today.weekday())
    coming = today + timedelta(days=(weekday - today.weekday()) % 7)
    after = coming if coming > today else coming + timedelta(days=7)
    before = after - timedelta(days=7) if after - timedelta(days=7) < today else after - timedelta(days=14)
    own = monday + timedelta(days=weekday)
    days = {
        "": [coming],
        "this": [coming, own],
        "running": [own],
        "past": [coming, before],
        "next": [after, own + timedelta(days=7)],
        "last": [before, own - timedelta(days=7)],
        "following": [own + timedelta(days=7)],
        "after next": [own + timedelta(days=14)],
        "preceding": [own - timedelta(days=7)],
    }
    return sorted(set(days[which]))
