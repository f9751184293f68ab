"""Dates in a text, written out or relative to when it was said, in English and Chinese."""

import re
from datetime import date

from memory.claims.anchors import calendar
from memory.claims.anchors.anchor import AnchorKind, Page
from memory.claims.anchors.numerals import HAN_NUMERAL, whole_number

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"(?<![\d:.,/-])(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_YEAR = r"(?:,?\s*(?P<year>(?:19|20)\d\d)(?!\d))?"
_NUMERIC = re.compile(
    r"(?<![\w.-])(?P<year>(?:19|20)\d\d)(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?![\d])"
    r"(?!(?P=mark)\d)",
    re.ASCII,
)
_DAY_FIRST_NUMERIC = re.compile(
    r"(?<![\w./-])(?P<a>\d{1,2})(?P<mark>[./-])(?P<b>\d{1,2})(?P=mark)(?P<year>(?:19|20)\d\d)(?![\w])",
    re.ASCII,
)
_SLASHED = re.compile(r"(?<![\w./-])(?P<a>\d{1,2})/(?P<b>\d{1,2})(?![\w/])", re.ASCII)
_DAY_MONTH = re.compile(rf"{_DAY}\s+(?:of\s+)?{_MONTH}{_YEAR}", re.ASCII | re.IGNORECASE)
_MONTH_DAY = re.compile(
    rf"\b{_MONTH}\s+(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:]|[.,]\d){_YEAR}",
    re.ASCII | re.IGNORECASE,
)
_MONTH_ALONE = re.compile(
    r"\b(?P<month>Jan(?:uary)?|Feb(?:ruary)?|April|June|July|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?"
    r"|Dec(?:ember)?|(?<=[a-z] )March|(?<=in )May|(?<=of )May|(?<=until )May|(?<=by )May|(?<=since )May"
    r"|(?:March|May)(?=,? (?:19|20)\d\d))\b(?:,?\s+(?P<year>(?:19|20)\d\d)(?!\d))?",
    re.ASCII,
)
_MONTH_LOWER = re.compile(
    r"\b(?:in|since|until|by|of|during|next|last|this)\s" + _MONTH + _YEAR, re.ASCII | re.IGNORECASE
)
_HAN_YEAR = r"(?:(?P<year>(?:19|20)\d\d|[一二][零〇一二三四五六七八九]{3})\s?年\s?)"
_HAN_DAY = re.compile(
    rf"{_HAN_YEAR}?(?<!\d)(?P<month>1?\d|{HAN_NUMERAL})\s?月\s?(?P<day>[123]?\d|{HAN_NUMERAL})\s?(?:[日号]|(?!\d|[%年点个天]))"
)
_HAN_MONTH = re.compile(rf"{_HAN_YEAR}?(?<![\d个])(?P<month>1?\d|{HAN_NUMERAL})\s?月(?:份|底|初)?")
_HAN_YEAR_ALONE = re.compile(_HAN_YEAR)
_MONTHDAY = re.compile(
    r"\b(?:on|by|until|before|after|not|from|to|for) the (?P<day>\d{1,2})(?:st|nd|rd|th)(?!\w)(?! (?:floor|street|avenue))",
    re.ASCII | re.IGNORECASE,
)
_HAN_MONTHDAY = re.compile(rf"(?<![\d月])(?P<day>[123]?\d|{HAN_NUMERAL})[日号](?![线楼门店码召])")


def take_days(page: Page, *, today: date) -> None:
    """Take days that are written out; `today` is the day on which the text was said, where it was said."""
    for match in page.each(_NUMERIC, _DAY_MONTH, _MONTH_DAY, _HAN_DAY):
        _take_day(page, match, today)
    for match in page.each(_DAY_FIRST_NUMERIC):
        _take_ambiguous(page, match, today)


_WEEK_OF = re.compile(r"\bweek (?:of|from|starting|beginning) (?:the )?(?:monday,? )?$", re.IGNORECASE)


def take_parts_of_dates(page: Page, *, today: date) -> None:
    """Take months, years, days of some month; what may be one is taken after all that is a date for certain."""
    for match in page.each(_MONTH_ALONE, _MONTH_LOWER, _HAN_MONTH):
        _take_month(page, match, today)
    for match in page.each(_HAN_YEAR_ALONE):
        page.take(AnchorKind.DATE, match, f"year:{_number(match['year'])}")
    for match in page.each(_SLASHED):
        _take_ambiguous(page, match, today)
    for match in page.each(_MONTHDAY, _HAN_MONTHDAY):
        _take_monthday(page, match, today)


def _number(written: str) -> int:
    beginning = written[:3].casefold()
    return _MONTHS.index(beginning) + 1 if beginning in _MONTHS else whole_number(written) or 0


def _take_day(page: Page, match: re.Match[str], today: date) -> None:
    month, day = _number(match["month"]), _number(match["day"])
    if calendar.valid(2024, month, day) is None:
        return
    if match["year"]:
        _take_full(page, match, (_number(match["year"]), month, day))
        return
    implies = calendar.implied(calendar.without_year(month, day, today))
    implies |= {f"monthday:{day}", f"month:--{month:02}"}
    page.take(AnchorKind.DATE, match, calendar.yearless(month, day), implies=implies)


def _take_full(page: Page, match: re.Match[str], *dates: tuple[int, int, int]) -> None:
    days = [day for each in dates if (day := calendar.valid(*each))]
    if days and _WEEK_OF.search(page.text, 0, match.start()):
        page.take(AnchorKind.DATE, match, *map(calendar.week, days))
    elif days:
        page.take(AnchorKind.DATE, match, *map(calendar.full, days), implies=calendar.implied(days))


def _take_ambiguous(page: Page, match: re.Match[str], today: date) -> None:
    """3/4 is the third of April for some and the fourth of March for others; both readings are kept."""
    a, b = int(match["a"]), int(match["b"])
    if "year" in match.groupdict():
        year = int(match["year"])
        _take_full(page, match, (year, b, a), *([] if match["mark"] == "." else [(year, a, b)]))
        return
    pairs = [pair for pair in ((b, a), (a, b)) if calendar.valid(2024, *pair)]
    if pairs:
        days = [each for pair in pairs for each in calendar.without_year(*pair, today)]
        reads = (calendar.yearless(*pair) for pair in pairs)
        page.take(AnchorKind.DATE, match, *reads, implies=calendar.implied(days))


def _take_month(page: Page, match: re.Match[str], today: date) -> None:
    number = _number(match["month"])
    if not 1 <= number <= 12:
        return
    starts = [match.start(name) for name in ("year", "month") if match[name]]
    place, partial = (min(starts), match.end()), f"month:--{number:02}"
    if match["year"]:
        year = _number(match["year"])
        page.take(AnchorKind.DATE, place, calendar.month(year, number), implies={partial, f"year:{year}"})
        return
    months = {calendar.month(each.year, number) for each in calendar.without_year(number, 1, today)}
    page.take(AnchorKind.DATE, place, partial, implies=months)


def _take_monthday(page: Page, match: re.Match[str], today: date) -> None:
    day = whole_number(match["day"]) or 0
    if not 1 <= day <= 31:
        return
    months = [month for step in (0, 1) if (month := calendar.shifted(today.replace(day=1), months=step))]
    days = [each for month in months if (each := calendar.valid(month.year, month.month, day))]
    place, implies = (match.start("day"), match.end()), calendar.implied(days) | {f"n:{day}"}
    page.take(AnchorKind.DATE, place, f"monthday:{day}", implies=implies)
