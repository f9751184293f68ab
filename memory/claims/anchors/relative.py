"""Dates that a text names by their distance from when it was said: tomorrow, next Tuesday, 三天后, 上周五."""

import re
from datetime import date

from memory.claims.anchors import calendar
from memory.claims.anchors.anchor import AnchorKind, Page
from memory.claims.anchors.numerals import HAN_NUMERAL, whole_number

_DAYS = {
    "the day after tomorrow": 2, "day after tomorrow": 2, "the day before yesterday": -2,
    "day before yesterday": -2, "today": 0, "tonight": 0, "tomorrow": 1, "tmrw": 1, "yesterday": -1, "last night": -1,
    "this morning": 0, "this afternoon": 0, "this evening": 0,
    "今天": 0, "今日": 0, "今晚": 0, "今早": 0, "明天": 1, "明日": 1, "明早": 1, "明晚": 1, "后天": 2, "大后天": 3, "昨天": -1,
    "昨日": -1, "昨晚": -1, "前天": -2, "大前天": -3,
}  # fmt: skip
_NAMED = re.compile(
    "|".join(
        rf"(?<!\w){word}(?!\w)" if word.isascii() else word for word in sorted(_DAYS, key=len, reverse=True)
    ),
    re.ASCII | re.IGNORECASE,
)
_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_OF_WEEK = re.compile(
    rf"\b(?P<week>next|last|this)\s+week\s+(?:on\s+)?(?P<day>{'|'.join(_NAMES)})(?P<which>)(?P<many>)\b",
    re.ASCII | re.IGNORECASE,
)
_WEEKDAY = re.compile(
    rf"(?:\b(?P<which>next|last|this|every|each|coming|past)\s+)?"
    rf"\b(?P<day>{'|'.join(_NAMES)}|(?-i:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun))(?P<many>s(?<=days))?\b(?:(?<!days)(?<!day)\.)?"
    r"(?:\s+(?P<week>next|last|this)\s+week\b)?",
    re.ASCII | re.IGNORECASE,
)
_HAN_WEEKDAY = re.compile(
    r"(?P<which>下下|上上|下个?|上个?|这个?|本|每个?|逢)?(?:周|星期|礼拜)(?P<day>[一二三四五六日天])(?!天)"
)
_NEXT, _HAN_NEXT = re.compile(r"\bnext\b", re.IGNORECASE), re.compile("下个?(?:周|星期|礼拜)")
_WHICH_OF_WEEK = {"next": "following", "last": "preceding", "this": "running"}
_WHICH = {"each": "every", "coming": "", "past": "last"}
_HAN_WHICH = {
    "下": "following",
    "上": "preceding",
    "这": "running",
    "本": "running",
    "每": "every",
    "逢": "every",
}
_PERIOD = re.compile(
    r"\b(?P<which>next|last|this)\s+(?P<unit>week|month|year)(?:end)?\b", re.ASCII | re.IGNORECASE
)
_HAN_PERIOD = re.compile(
    r"(?P<which>下|上|这|本|今|去|明)(?:一|个)?(?P<unit>周(?!年)|星期|礼拜|月|年)(?:末|底|初)?"
)
_HAN_WEEKEND = re.compile("(?P<which>)(?P<unit>周)末")
_STEPS = {"next": 1, "last": -1, "下": 1, "上": -1, "去": -1, "明": 1}
_COUNT = r"(?P<count>\d{1,4}|an?|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty)"
_LATER = re.compile(
    rf"\bin\s+{_COUNT}\s+(?P<unit>day|week|month|year)s?(?:\s+time|'\s*time)?(?P<way>)\b",
    re.ASCII | re.IGNORECASE,
)
_AGO = re.compile(
    rf"\b{_COUNT}\s+(?P<unit>day|week|month|year)s?\s+(?P<way>ago|from\s+now|from\s+today)\b",
    re.ASCII | re.IGNORECASE,
)
_HAN_OFFSET = re.compile(
    rf"(?P<count>\d{{1,4}}|{HAN_NUMERAL})\s?(?P<unit>天|周|个?星期|个?礼拜|个月|年)(?:之|以)?(?P<way>后|前|内)"
)
_UNITS = {"天": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}
_PAST = re.compile(
    r"\b(?:was|were|did|had|went|came|saw|met|said|told|got|took|\w{2,}ed)\b", re.ASCII | re.IGNORECASE
)


def take_relative_dates(page: Page, *, today: date) -> None:
    """Take what is relative; where the calendar ends it keeps its own words as its value."""
    for match in page.each(_NAMED):
        _take(page, match, calendar.shifted(today, days=_DAYS[match.group().casefold()]))
    for match in page.each(_LATER, _AGO, _HAN_OFFSET):
        _take_offset(page, match, today)
    for match in page.each(_OF_WEEK, _WEEKDAY):
        _take_weekday(page, match, today, weekday=_english_weekday(match), which=_english_which(page, match))
    for match in page.each(_HAN_WEEKDAY):
        weekday = "一二三四五六日".index(match["day"].replace("天", "日"))
        _take_weekday(page, match, today, weekday=weekday, which=_chinese_which(page, match))
    for match in page.each(_PERIOD, _HAN_PERIOD, _HAN_WEEKEND):
        _take_period(page, match, today)


def _unit(match: re.Match[str]) -> str:
    unit = match["unit"].casefold().removeprefix("个")
    return _UNITS.get(unit, unit)


def _take(page: Page, match: re.Match[str], *days: date | None) -> None:
    known = [day for day in days if day]
    reads = [calendar.full(day) for day in known] or ["said:" + match.group().casefold()]
    page.take(AnchorKind.DATE, match, *reads, implies=calendar.implied(known))


def _take_offset(page: Page, match: re.Match[str], today: date) -> None:
    unit, count = _unit(match), whole_number(match["count"]) or 0
    counted = {f"n:{count}", f"{unit}:{count}"}
    if match["way"].casefold() in {"ago", "前"}:
        count = -count
    if unit in {"day", "week"}:
        day = calendar.shifted(today, days=count * (7 if unit == "week" else 1))
    else:
        day = calendar.shifted(today, months=count * (12 if unit == "year" else 1))
    if day is None:
        return
    if unit == "year":
        page.take(AnchorKind.DATE, match, f"year:{day.year}", implies=counted)
        return
    also = {"week": [calendar.week(day)], "month": [calendar.month(day.year, day.month)]}.get(unit, [])
    implies = calendar.implied([day]) | counted
    page.take(AnchorKind.DATE, match, calendar.full(day), *also, implies=implies)


def _english_weekday(match: re.Match[str]) -> int:
    return [name[:3] for name in _NAMES].index(match["day"][:3].casefold())


def _english_which(page: Page, match: re.Match[str]) -> str:
    which, week = (match["which"] or "").casefold(), (match["week"] or "").casefold()
    if match["many"]:
        return "every"
    if week or which:
        return _WHICH_OF_WEEK.get(week) or _WHICH.get(which, which)
    if _NEXT.search(page.text, 0, match.start()):
        return "next"
    return "past" if _PAST.search(page.text) else ""


def _chinese_which(page: Page, match: re.Match[str]) -> str:
    written = match["which"] or ""
    if not written and _HAN_NEXT.search(page.text, 0, match.start()):
        return "following"
    return "after next" if written == "下下" else _HAN_WHICH.get(written[:1], "plain")


def _take_weekday(page: Page, match: re.Match[str], today: date, *, weekday: int, which: str) -> None:
    name = f"weekday:{weekday}"
    if which == "every":
        page.take(AnchorKind.DATE, match, name)
        return
    days = calendar.weekdays(weekday, today, which="this" if which == "plain" else which)
    if which in {"", "past", "plain"}:
        page.take(AnchorKind.DATE, match, name, implies=calendar.implied(days))
    else:
        _take(page, match, *days)


def _take_period(page: Page, match: re.Match[str], today: date) -> None:
    unit, step = _unit(match), _STEPS.get(match["which"].casefold(), 0)
    if unit == "week":
        day = calendar.shifted(today, days=7 * step)
    else:
        day = calendar.shifted(today.replace(day=1), months=step * (12 if unit == "year" else 1))
    if day is None:
        return
    month = (calendar.month(day.year, day.month), (f"month:--{day.month:02}", f"year:{day.year}"))
    reads, implies = {"week": (calendar.week(day), ()), "month": month, "year": (f"year:{day.year}", ())}[
        unit
    ]
    page.take(AnchorKind.DATE, match, reads, implies=implies)
