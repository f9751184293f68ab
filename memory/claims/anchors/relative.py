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
_SHORT = "Mon|Tue|Tues|Wed|Thu|Thur|Thurs|Fri|Sat|Sun"
_WEEKDAY = re.compile(
    rf"(?:\b(?P<which>next|last|this|every|each|coming|past)\s+)?(?:\b(?P<day>{'|'.join(_NAMES)})(?P<many>s)?\b"
    rf"|\b(?P<short>(?-i:{_SHORT}))\b\.?)(?:\s+(?P<week>next|last|this)\s+week\b)?"
    rf"|\b(?P<week2>next|last|this)\s+week\s+(?:on\s+)?(?P<day2>{'|'.join(_NAMES)})\b",
    re.ASCII | re.IGNORECASE,
)
_HAN_WEEKDAY = re.compile(
    r"(?P<which>下下|上上|下个?|上个?|这个?|本|每个?|逢)?(?:周|星期|礼拜)(?P<day>[一二三四五六日天])(?!天)"
)
_HAN_DAYS = {char: index for index, char in enumerate("一二三四五六日")} | {"天": 6}
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
    r"(?P<which>下|上|这|本|今|去|明)(?:一|个)?(?P<unit>周(?!年)|星期|礼拜|月|年)(?:末|底|初)?|(?P<end>周末)"
)
_STEPS = {"next": 1, "last": -1, "this": 0, "下": 1, "上": -1, "这": 0, "本": 0, "今": 0, "去": -1, "明": 1}
_COUNT = r"(?P<count>\d{1,4}|an?|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty)"
_OFFSET = re.compile(
    rf"\b(?:in\s+{_COUNT}\s+(?P<unit>day|week|month|year)s?(?:\s+time|'\s*time)?"
    rf"|{_COUNT.replace('count', 'count2')}\s+(?P<unit2>day|week|month|year)s?\s+(?P<way>ago|from\s+now|from\s+today))\b",
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
    for match in _NAMED.finditer(page.rest):
        _take(page, match, calendar.shifted(today, days=_DAYS[match.group().casefold()]))
    for match in _OFFSET.finditer(page.rest):
        count, unit = match["count"] or match["count2"], (match["unit"] or match["unit2"]).casefold()
        backward = (match["way"] or "").casefold() == "ago"
        _take_offset(page, match, today, unit=unit, count=-_whole(count) if backward else _whole(count))
    for match in _HAN_OFFSET.finditer(page.rest):
        unit = _UNITS[match["unit"].removeprefix("个")]
        count = _whole(match["count"])
        _take_offset(page, match, today, unit=unit, count=-count if match["way"] == "前" else count)
    for match in _WEEKDAY.finditer(page.rest):
        _take_english_weekday(page, match, today)
    for match in _HAN_WEEKDAY.finditer(page.rest):
        _take_chinese_weekday(page, match, today)
    for match in _PERIOD.finditer(page.rest):
        _take_period(
            page, match, today, unit=match["unit"].casefold(), step=_STEPS[match["which"].casefold()]
        )
    for match in _HAN_PERIOD.finditer(page.rest):
        if match["end"]:
            _take_period(page, match, today, unit="week", step=0)
        else:
            _take_period(page, match, today, unit=_UNITS[match["unit"]], step=_STEPS[match["which"]])


def _whole(count: str) -> int:
    return whole_number(count) or 0


def _take(page: Page, match: re.Match[str], *days: date | None) -> None:
    known = [day for day in days if day]
    if not known:
        page.take(AnchorKind.DATE, match, "said:" + match.group().casefold())
        return
    page.take(AnchorKind.DATE, match, *map(calendar.full, known), implies=frozenset(calendar.implied(known)))


def _take_offset(page: Page, match: re.Match[str], today: date, *, unit: str, count: int) -> None:
    counted = {f"n:{abs(count)}", f"{unit}:{abs(count)}"}
    if unit in {"day", "week"}:
        day = calendar.shifted(today, days=count * (7 if unit == "week" else 1))
    else:
        day = calendar.shifted(today, months=count * (12 if unit == "year" else 1))
    if day is None:
        return
    reads = {
        "day": [calendar.full(day)],
        "week": [calendar.full(day), calendar.week(day)],
        "month": [calendar.full(day), calendar.month(day.year, day.month)],
        "year": [f"year:{day.year}"],
    }[unit]
    implies = counted if unit == "year" else calendar.implied([day]) | counted
    page.take(AnchorKind.DATE, match, *reads, implies=frozenset(implies))


def _take_english_weekday(page: Page, match: re.Match[str], today: date) -> None:
    name = (match["day"] or match["day2"] or match["short"]).casefold()
    weekday = next(index for index, each in enumerate(_NAMES) if each.startswith(name[:3]))
    which = (match["which"] or "").casefold()
    week = (match["week"] or match["week2"] or "").casefold()
    if week:
        which = {"next": "following", "last": "preceding", "this": "running"}[week]
    if which in {"every", "each"} or match["many"]:
        which = "every"
    elif which in {"coming", "past"}:
        which = {"coming": "", "past": "last"}[which]
    elif not which and re.search(r"\bnext\b", page.text[: match.start()], re.IGNORECASE):
        which = "next"
    elif not which and _PAST.search(page.text):
        which = "past"
    _take_weekday(page, match, today, weekday=weekday, which=which)


def _take_chinese_weekday(page: Page, match: re.Match[str], today: date) -> None:
    written = match["which"] or ""
    which = {"下下": "after next", "": "this"}.get(written) or _HAN_WHICH.get(written[:1], "this")
    if not written and re.search("下个?(?:周|星期|礼拜)", page.text[: match.start()]):
        which = "following"
    _take_weekday(page, match, today, weekday=_HAN_DAYS[match["day"]], which=which)


def _take_weekday(page: Page, match: re.Match[str], today: date, *, weekday: int, which: str) -> None:
    name = f"weekday:{weekday}"
    if which == "every":
        page.take(AnchorKind.DATE, match, name)
        return
    days = calendar.weekdays(weekday, today, which=which)
    if which in {"", "past"} or (which == "this" and match.group()[0] in "周星礼"):
        page.take(AnchorKind.DATE, match, name, implies=frozenset(calendar.implied(days)))
    else:
        _take(page, match, *days)


def _take_period(page: Page, match: re.Match[str], today: date, *, unit: str, step: int) -> None:
    if unit == "week":
        day = calendar.shifted(today, days=7 * step)
        reads = calendar.week(day) if day else ""
        implies: tuple[str, ...] = ()
    else:
        day = calendar.shifted(today.replace(day=1), months=step * (12 if unit == "year" else 1))
        reads = (
            ""
            if day is None
            else f"year:{day.year}"
            if unit == "year"
            else calendar.month(day.year, day.month)
        )
        implies = (f"month:--{day.month:02}", f"year:{day.year}") if day and unit == "month" else ()
    if reads:
        page.take(AnchorKind.DATE, match, reads, implies=implies)
