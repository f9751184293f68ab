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
    return {
        value
        for day in days
        for value in (
            full(day),
            yearless(day.month, day.day),
            f"weekday:{day.weekday()}",
            f"monthday:{day.day}",
            week(day),
            month(day.year, day.month),
            f"month:--{day.month:02}",
            f"year:{day.year}",
        )
    }


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
    if months:
        year, index = divmod(today.year * 12 + today.month - 1 + months, 12)
        options = (valid(year, index + 1, min(today.day, last)) for last in (31, 30, 29, 28))
        return next(filter(None, options), None)
    try:
        return today + timedelta(days=days)
    except OverflowError:
        return None


def weekdays(weekday: int, today: date, *, which: str) -> list[date]:
    """The days that "Friday", "next Friday", "last Friday", "this Friday" may mean, where the calendar has them.

    Plain and `this`: the coming one, today included, and that of the running week. `next`: the coming one or that
    of the next week. `last`: the one before, or that of last week. Chinese 下周五 and 上周五 are `following` and
    `preceding`: always of the next and the last week.
    """
    own = weekday - today.weekday()
    coming = own % 7
    ahead = {
        "": (coming,),
        "this": (coming, own),
        "running": (own,),
        "past": (coming, coming - 7),
        "next": (coming or 7, own + 7),
        "last": (coming - 7, own - 7),
        "following": (own + 7,),
        "after next": (own + 14,),
        "preceding": (own - 7,),
    }[which]
    return [day for days in sorted(set(ahead)) if (day := shifted(today, days=days))]
