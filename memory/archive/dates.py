"""Times that a query names, as stretches of time, how well a message fits them, and of which days a message tells."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from memory.claims.anchors.numerals import chinese_number
from memory.claims.words import listed

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?\b"
_YEAR = r"(?:,?\s*((?:19|20)\d\d))?"
_ISO = re.compile(r"\b((?:19|20)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})\b")
_DAY_FIRST = re.compile(rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}{_YEAR}")
_MONTH_FIRST = re.compile(rf"\b{_MONTH}\s+{_DAY}(?!:){_YEAR}")
_MONTH_ALONE = re.compile(
    rf"\b(?:(?:in|of|during|since|last|this|by|until)\s+){_MONTH}{_YEAR}|\b{_MONTH}\s+(20\d\d)\b"
)
_CHINESE = re.compile(r"(?:(\d{4})\s*年)?\s*(\d{1,2})\s*月(?:份)?(?:\s*(\d{1,2})\s*[日号])?")
# Months and days may be written as words: 五月二十号.
_CHINESE_NUMBER = re.compile(r"[一二三四五六七八九十]{1,3}(?=\s*[月日号])")
_AGO = re.compile(
    r"\b(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten)\s+(day|week|month|year)s?\s+ago\b"
)
_AGO_CHINESE = re.compile(r"(\d{1,3}|[一二两三四五六])\s*(天|周|个星期|个月|年)(?:以)?前")
_WEEKDAY = re.compile(
    r"\blast (mon|tues|wednes|thurs|fri|satur|sun)day\b|(上?)上个?(?:周|星期|礼拜)([一二三四五六日天])"
)
_WEEKDAYS = ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")
_CHINESE_WEEKDAYS = "一二三四五六日"
_NUMBERS = {
    **dict(zip(listed("one two three four five six seven eight nine ten"), range(1, 11), strict=True)),
    **dict(zip("一二三四五六", range(1, 7), strict=True)),
    "a": 1, "an": 1, "两": 2,
}  # fmt: skip
_UNITS = {"day": 1, "week": 7, "month": 30, "year": 365, "天": 1, "周": 7, "个星期": 7, "个月": 30, "年": 365}
# A word for a time: how many days ago its middle was, and how many days it reaches to either side.
_WORDS = {
    "today": (0, 0), "yesterday": (1, 0), "the day before yesterday": (2, 0), "last night": (1, 0),
    "this week": (2, 3), "last week": (7, 4), "last weekend": (5, 4), "this month": (10, 15),
    "last month": (30, 20), "last year": (365, 180), "the other day": (4, 3), "今天": (0, 0), "昨天": (1, 0), "昨晚": (1, 0), "前天": (2, 0),
    "大前天": (3, 0), "昨日": (1, 0), "前几天": (4, 3), "这周": (2, 3), "本周": (2, 3), "上周": (7, 4), "上周末": (5, 4),
    "上个星期": (7, 4), "上星期": (7, 4), "上上周": (14, 4), "上上个星期": (14, 4),
    "上上个月": (60, 20), "这个月": (10, 15), "本月": (10, 15), "上个月": (30, 20),
    "去年": (365, 180),
}  # fmt: skip
_NAMED = re.compile("|".join(sorted(map(re.escape, _WORDS), key=len, reverse=True)))
_COMING = {"tomorrow": 1, "the day after tomorrow": 2, "明天": 1, "后天": 2, "大后天": 3}
_COMING_NAMED = re.compile("|".join(sorted(map(re.escape, _COMING), key=len, reverse=True)))
# Of a message without a year, which may speak of what is to come, the nearest day is meant.
_HALF_A_YEAR = timedelta(days=182)
# What a message tells of is in its first sentences; a pasted log tells of no day in particular.
_TELLING_TEXT = 2_000
_MOST_TOLD = 8
# Without a digit and all of these a text names no time.
_HINTS = (
    *_MONTHS, "day", "tomorrow", "night", "week", "month", "year", "ago", "天", "晚", "周", "星期", "月", "年",
)  # fmt: skip
_DIGIT = re.compile(r"\d")
# People tell on a Monday of the Friday before: near a named day still counts, this much.
_NEAR_DAYS = 3
_NEAR = 0.4
# A month or a year holds so much that being in it says half as much as being on the day.
_WIDE_DAYS = 10
_WIDE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """From the first to the last day, both included, in the time zone of the one who asks."""

    first: date
    last: date

    @property
    def is_wide(self) -> bool:
        """Whether it is a month or more rather than days."""
        return (self.last - self.first).days > _WIDE_DAYS

    @property
    def worth(self) -> float:
        """What being in it says, 1 for a day."""
        return _WIDE if self.is_wide else 1.0


def spans(query: str, *, now: datetime) -> list[Span]:
    """What times the query names; a day without a year is the latest one that is not after `now`."""
    text, today = query.lower(), now.date()
    if not _may_name_a_time(text):
        return []
    text = _with_digits(text)
    found = [span for span in _explicit(text, latest=today) if span is not None]
    # Beside a date "last week" is the one before that date, and was said on it.
    return list(dict.fromkeys(found or [*_weekdays(text, today=today), *_relative(text, today=today)]))


def days_told(text: str, *, at: datetime) -> set[date]:
    """The single days, its own left out, of which a message of the moment `at` tells: yesterday, on 3 May, tomorrow."""
    text, today = text[:_TELLING_TEXT].lower(), at.date()
    if not _may_name_a_time(text):
        return set()
    text = _with_digits(text)
    named = [
        *_explicit(text, latest=today + _HALF_A_YEAR),
        *_weekdays(text, today=today),
        *_relative(text, today=today),
    ]
    days = {span.first for span in named if span is not None and span.first == span.last}
    days.update(today + timedelta(days=_COMING[word]) for word in _COMING_NAMED.findall(text))
    days.discard(today)
    return days if len(days) <= _MOST_TOLD else set()


def closeness(at: int, *, named: Sequence[Span], now: datetime) -> float:
    """How well a message of the moment `at` (seconds since 1970) fits the named times: 0 to 1."""
    day = datetime.fromtimestamp(at, now.tzinfo or UTC).date()
    return max((_fit(day, span) for span in named), default=0.0)


def _may_name_a_time(text: str) -> bool:
    return bool(_DIGIT.search(text)) or any(hint in text for hint in _HINTS)


def _with_digits(text: str) -> str:
    return _CHINESE_NUMBER.sub(lambda found: str(chinese_number(found.group())), text)


def _fit(day: date, span: Span) -> float:
    if span.first <= day <= span.last:
        return span.worth
    near = timedelta(days=_NEAR_DAYS)
    is_near = span.first - near <= day <= span.last + near
    return _NEAR if is_near and not span.is_wide else 0.0


def _explicit(text: str, *, latest: date) -> Iterator[Span | None]:
    for year, month, day in _ISO.findall(text):
        yield _span(year, month=int(month), day=day, latest=latest)
    for day, name, year in _DAY_FIRST.findall(text):
        yield _span(year, month=_number(name), day=day, latest=latest)
    for name, day, year in _MONTH_FIRST.findall(text):
        yield _span(year, month=_number(name), day=day, latest=latest)
    rest = _MONTH_FIRST.sub(" ", _DAY_FIRST.sub(" ", text))
    for name, year, other_name, other_year in _MONTH_ALONE.findall(rest):
        yield _span(year or other_year, month=_number(name or other_name), day="", latest=latest)
    for year, month, day in _CHINESE.findall(text):
        yield _span(year, month=int(month), day=day, latest=latest)


def _number(name: str) -> int:
    return _MONTHS.index(name[:3]) + 1


def _span(year: str, *, month: int, day: str, latest: date) -> Span | None:
    """The day, or the month where no day is named; None where there is no such day."""
    try:
        first = date(int(year) if year else latest.year, month, int(day) if day else 1)
        if not year and first > latest:
            first = first.replace(year=latest.year - 1)
    except ValueError:
        return None
    if day:
        return Span(first=first, last=first)
    return Span(first=first, last=(first + timedelta(days=32)).replace(day=1) - timedelta(days=1))


def _weekdays(text: str, *, today: date) -> Iterator[Span]:
    """The last day of that name; with each 上 the one of a week further back."""
    for name, further, chinese in _WEEKDAY.findall(text):
        if name:
            ago = (today.weekday() - _WEEKDAYS.index(name) - 1) % 7 + 1
        else:
            ago = (
                today.weekday()
                - _CHINESE_WEEKDAYS.index(chinese.replace("天", "日"))
                + 7 * (1 + len(further))
            )
        day = today - timedelta(days=ago)
        yield Span(first=day, last=day)


def _relative(text: str, *, today: date) -> Iterator[Span]:
    for word in _NAMED.findall(_WEEKDAY.sub(" ", text)):
        ago, reach = _WORDS[word]
        yield _around(today, ago=ago, reach=reach)
    for amount, unit in [*_AGO.findall(text), *_AGO_CHINESE.findall(text)]:
        days = _UNITS[unit] * (int(amount) if amount.isdigit() else _NUMBERS[amount])
        yield _around(today, ago=days, reach=days // 5)


def _around(today: date, *, ago: int, reach: int) -> Span:
    middle = today - timedelta(days=min(ago, 30_000))
    return Span(first=middle - timedelta(days=reach), last=min(today, middle + timedelta(days=reach)))
