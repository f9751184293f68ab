"""When something falls due, as people write it in Chinese: `三分钟后`, `明天下午三点`, `下周一九点半`, `每天早上八点`."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from gateway.tools.when import FARTHEST, MORNING, When, goes_on, next_time

_DIGITS: Mapping[str, int] = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
}
_NUMBER = r"(?:\d+|[零〇一二两三四五六七八九十百]+)"
_UNITS = {
    "秒": timedelta(seconds=1),
    "分": timedelta(minutes=1),
    "刻": timedelta(minutes=15),
    "小": timedelta(hours=1),
    "钟": timedelta(hours=1),
    "天": timedelta(days=1),
    "日": timedelta(days=1),
    "周": timedelta(weeks=1),
    "星": timedelta(weeks=1),
    "礼": timedelta(weeks=1),
}
"""What a span is counted in, by the first character of the word."""

_SPAN = re.compile(
    rf"(?:再?过)?(?P<count>半|{_NUMBER})个?(?P<half>半)?"
    r"(?P<unit>秒钟?|分钟?|刻钟|小时|钟头|天|日|周|星期|礼拜)(?P<more>半)?(?:之后|以后|后|(?=\s|$))"
)
_AHEAD = {"昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}
_WEEKDAYS = "一二三四五六日"
_PARTS = {
    "凌晨": 0,
    "半夜": 0,
    "清晨": 6,
    "早": 9,
    "早上": 9,
    "早晨": 9,
    "上午": 9,
    "中午": 12,
    "下午": 15,
    "傍晚": 18,
    "晚": 20,
    "晚上": 20,
    "夜里": 20,
}
"""The parts of a day, and the hour that is meant where none is named."""

_NIGHT, _NOON, _EVENING, _LATE = 0, 12, 20, 5
_WEEK = r"(?:周|星期|礼拜)"
_DAY = (
    r"(?:(?P<near>大后|[昨今明后])(?:天|日|(?=[早晚]))"
    rf"|(?P<weeks>下*|这|本)个?{_WEEK}(?P<weekday>[一二三四五六日天])"
    rf"|(?:(?P<year>\d{{4}})年)?(?P<month>{_NUMBER})月(?P<date>{_NUMBER})[日号]"
    rf"|(?P<only>{_NUMBER})号)"
)
_PART = f"(?P<part>{'|'.join(sorted(_PARTS, key=len, reverse=True))})"
_CLOCK = rf"(?:(?P<hour>\d{{1,2}}|{_NUMBER})[点时]钟?(?P<minute>半|一刻|三刻|{_NUMBER}分?)?|(?P<digits>\d{{1,2}}:\d{{2}}))"
_ONCE = re.compile(rf"{_DAY}?的?{_PART}?{_CLOCK}?")
# Several days only where nothing else can be meant: every Monday at three is 每周一三点.
_SEVERAL = (
    rf"[一二三四五六日天](?:[、和]?[一二三四五六日天])+(?=$|[\s，,的\d]|{_PART.replace('?P<part>', '?:')})"
)
_AGAIN = re.compile(
    rf"每(?:(?P<daily>天|日)|个?(?P<work>工作日)|个?{_WEEK}(?P<weekday>{_SEVERAL}|[一二三四五六日天]))的?"
    rf"\s?{_PART}?{_CLOCK}?"
)
_MORE = re.compile(
    rf"(?:直?到|[和、])?(?:[昨今明后][天日]|每[天日周个]|{_WEEK}[一二三四五六日天]|\d{{1,2}}[点:月])|直到"
)
_WIDE = str.maketrans("０１２３４５６７８９：", "0123456789:")


def read_chinese(text: str, *, now: datetime, zone: ZoneInfo) -> tuple[When, str] | None:
    """The time that a text begins with, also one that is over, and the words after it; None when it begins with none.

    A space may stand between the two, and need not.
    """
    words = text.lstrip().translate(_WIDE)
    for pattern, read in ((_SPAN, _span), (_AGAIN, _again), (_ONCE, _once)):
        match = pattern.match(words)
        if match is None or not match[0]:
            continue
        try:
            when = read(match, now, zone)
        except (ValueError, OverflowError):
            return None  # there is no such day or hour
        if when is not None:
            left = text.lstrip()[match.end() :]
            if goes_on(left.lstrip()) or _MORE.match(left.lstrip(" ，,")) or _names_more_days(match, left):
                return None
            return when, left.lstrip(" ，,、")
    return None


def _names_more_days(match: re.Match[str], left: str) -> bool:
    """Whether the words go on with a later day of the week (周一三五): which of them is meant nobody knows."""
    more = left.lstrip("、和")[:1]
    if (
        match[0][-1] not in _WEEKDAYS
        or not match.groupdict().get("weekday")
        or more not in _WEEKDAYS
        or not more
    ):
        return False
    return _weekday(more) > _weekday(match[0][-1])


def _span(match: re.Match[str], now: datetime, _zone: ZoneInfo) -> When | None:
    """From now on."""
    unit = _UNITS[match["unit"][0]]
    span = unit / 2 if match["count"] == "半" else unit * _number(match["count"])
    if match["half"] or match["more"]:
        span += unit / 2
    return When(at=now + span) if timedelta() < span <= FARTHEST else None


def _again(match: re.Match[str], now: datetime, zone: ZoneInfo) -> When | None:
    """Each day, working day or week."""
    at, ahead = _time(match)
    if ahead:
        raise ValueError(match[0])  # every Monday after midnight is a Tuesday: better say so
    named = [str((_weekday(day) + 1) % 7) for day in match["weekday"] or "" if day not in "、和"]
    days = "1-5" if match["work"] else ",".join(named) or "*"
    cron = f"{at.minute} {at.hour} * * {days}"
    first = next_time(cron, after=now, now=now, zone=zone)
    return None if first is None else When(at=first, repeats=cron)


def _once(match: re.Match[str], now: datetime, zone: ZoneInfo) -> When | None:
    """A day, an hour, or both. An hour alone is the next one that it may mean."""
    has_clock = match["hour"] is not None or match["digits"] is not None
    today = now.astimezone(zone).date()
    day = _day(match, today=today)
    if day is None and not has_clock and match["part"] is None:
        return None
    at, ahead = _time(match)

    def moment(later: timedelta = timedelta()) -> datetime:
        local = datetime.combine((day or today) + ahead, at, tzinfo=zone)
        return (local + later).astimezone(UTC)  # on the wall clock, whatever it is put to meanwhile

    if day is not None:
        due = moment()
        if due <= now and match["weekday"] and not match["weeks"]:
            due = moment(timedelta(days=7))
        return When(at=due) if due <= now + FARTHEST else None
    steps = [0, 24] if match["part"] or not 0 < at.hour < _NOON else [0, 12, 24]
    return When(at=next(due for step in steps if (due := moment(timedelta(hours=step))) > now))


def _day(match: re.Match[str], *, today: date) -> date | None:
    if match["near"]:
        return today + timedelta(days=_AHEAD[match["near"]])
    if match["weekday"]:
        ahead = _weekday(match["weekday"]) - today.weekday()
        weeks = match["weeks"]
        if not weeks:
            ahead %= 7
        return today + timedelta(days=ahead + 7 * weeks.count("下"))
    if match["month"]:
        month, number = _number(match["month"]), _number(match["date"])
        if match["year"]:
            return date(int(match["year"]), month, number)
        this = date(today.year, month, number)
        return this if this >= today else date(today.year + 1, month, number)
    if match["only"]:
        this = today.replace(day=_number(match["only"]))
        return this if this >= today else _next_month(this)
    return None


def _next_month(day: date) -> date:
    year, month = divmod(day.year * 12 + day.month, 12)
    return day.replace(year=year, month=month + 1)


def _time(match: re.Match[str]) -> tuple[time, timedelta]:
    """The time of day, and a day more where the night goes past midnight."""
    part = match["part"]
    if match["digits"]:
        hour, minute = map(int, match["digits"].split(":"))
    elif match["hour"]:
        hour, minute = _number(match["hour"]), _minute(match["minute"])
    elif part:
        return time(_PARTS[part]), timedelta()
    else:
        return MORNING, timedelta()
    usual = _PARTS.get(part or "", MORNING.hour)
    if usual == _NIGHT or (usual == _EVENING and hour < _LATE):
        return time(hour % _NOON, minute), timedelta(days=usual == _EVENING)
    if usual == _EVENING and hour == _NOON:
        return time(0, minute), timedelta(days=1)
    afternoon = usual > _NOON or (usual == _NOON and hour < _LATE)
    return time(hour + _NOON if afternoon and hour < _NOON else hour, minute), timedelta()


def _minute(words: str | None) -> int:
    named = {None: 0, "半": 30, "一刻": 15, "三刻": 45}
    return named[words] if words in named else _number((words or "").removesuffix("分"))


def _weekday(character: str) -> int:
    return 6 if character == "天" else _WEEKDAYS.index(character)


def _number(words: str) -> int:
    """`15`, `十五`, `一百二十`, `零五`; ValueError where it is none."""
    if words.isdigit() and words.isascii():
        return int(words[:6])
    total, digit = 0, 0
    for character in words:
        if character in _DIGITS:
            digit = digit * 10 + _DIGITS[character]
        else:
            total += (digit or 1) * (100 if character == "百" else 10)
            digit = 0
    return total + digit
