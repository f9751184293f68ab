"""Times of day in a text, in English and Chinese."""

import re

from memory.claims.anchors.anchor import AnchorKind, Page
from memory.claims.anchors.numerals import HAN_NUMERAL, whole_number

_HALF_DAY = r"(?P<half>a\.m\.|p\.m\.|am|pm)(?![A-Za-z])"
_CLOCK = re.compile(
    rf"(?<![\d:.])(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?!\d|:\d)(?:\s?{_HALF_DAY})?",
    re.ASCII | re.IGNORECASE,
)
_POINTED = re.compile(
    rf"(?<![\d:.,])(?P<hour>[01]?\d|2[0-4])[.h](?P<minute>[0-5]\d)\s?(?:{_HALF_DAY}|uhr\b|o'clock)",
    re.ASCII | re.IGNORECASE,
)
_HOUR = re.compile(
    rf"(?<![\d:.,])(?P<hour>1[0-2]|0?[1-9])\s?{_HALF_DAY}|(?<![\d:.,])(?P<hour2>[01]?\d|2[0-4])\s?(?:o'clock|uhr\b)",
    re.ASCII | re.IGNORECASE,
)
_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_SPOKEN = re.compile(
    rf"\b(?P<part>half|quarter|ten|twenty|five)\s+(?P<way>past|to)\s+(?P<hour>{_WORDS}|\d{{1,2}})\b(?:\s?{_HALF_DAY})?"
    rf"|\b(?P<hour2>{_WORDS})\s+(?:o'clock|{_HALF_DAY.replace('half', 'half2')})",
    re.ASCII | re.IGNORECASE,
)
_PARTS = {"half": 30, "quarter": 15, "ten": 10, "twenty": 20, "five": 5}
_NAMED = {
    "noon": 12 * 60,
    "midday": 12 * 60,
    "midnight": 0,
    "中午": 12 * 60,
    "正午": 12 * 60,
    "午夜": 0,
    "零点": 0,
}
_NAME = re.compile(
    r"\b(?:noon|midday|midnight)\b|正午|午夜|零点|中午(?!\s?[\d一二两三十])", re.ASCII | re.IGNORECASE
)
_BARE = re.compile(
    rf"\b(?:at|by|around|until|till|before|after)\s(?P<hour>\d{{1,2}}|{_WORDS})(?![\w:]|[.,/]\d|\s?(?:[%€$°]|[A-Za-z]*(?:euro|dollar|day|week|"
    r"month|year|hour|min|people|km|kg|percent)))",
    re.ASCII | re.IGNORECASE,
)
_HAN = re.compile(
    rf"(?<![\d.])(?P<hour>[012]?\d|{HAN_NUMERAL})\s?(?:点|时(?!候|间|常))(?:钟|整)?"
    rf"(?:(?P<part>半|一刻|三刻)|(?P<minute>[0-5]?\d|{HAN_NUMERAL})分?)?"
)
_HAN_PARTS = {"半": 30, "一刻": 15, "三刻": 45}
_AFTERNOON = re.compile(
    r"\b(?:afternoon|evening|tonight|night|dinner)\b|下午|傍晚|晚上|今晚|明晚|昨晚|夜里|周[一二三四五六日]晚",
    re.ASCII | re.IGNORECASE,
)
_MORNING = re.compile(
    r"\b(?:morning|breakfast)\b|凌晨|清晨|早上|早晨|上午|明早|今早", re.ASCII | re.IGNORECASE
)
_NEAR_CHARS = 24
"""How far from a time the word may stand that says which half of the day it is in."""
_DAY = 24 * 60


def take_times(page: Page) -> None:
    """Take times of day. Without a half of the day "9:30" reads as on a dial and implies the morning's."""
    for pattern in (_CLOCK, _POINTED):
        for match in pattern.finditer(page.rest):
            _take(page, match, int(match["hour"]) * 60 + int(match["minute"]), half=match["half"])
    for match in _SPOKEN.finditer(page.rest):
        hour = whole_number(match["hour"] or match["hour2"]) or 0
        minutes = _PARTS[match["part"].casefold()] if match["part"] else 0
        backward = (match["way"] or "").casefold() == "to"
        _take(
            page, match, hour * 60 + (-minutes if backward else minutes), half=match["half"] or match["half2"]
        )
    for match in _HOUR.finditer(page.rest):
        _take(page, match, int(match["hour"] or match["hour2"]) * 60, half=match["half"])
    for match in _NAME.finditer(page.rest):
        minutes = _NAMED[match.group().casefold()]
        page.take(AnchorKind.TIME, match, _exact(minutes), implies=(_dial(minutes),) if minutes else ())
    for match in _HAN.finditer(page.rest):
        _take_chinese(page, match)
    for match in _BARE.finditer(page.rest):
        _take_bare(page, match)


def _take_bare(page: Page, match: re.Match[str]) -> None:
    """What follows "at" may be a time and may be a number; as evidence it says both."""
    hour = whole_number(match["hour"])
    if hour is None or hour > 24:
        return
    half = _half(page.text, match.start(), match.end())
    page.take(
        AnchorKind.NUMBER,
        match.span("hour"),
        f"n:{hour}",
        _dial(hour * 60),
        implies=tuple(_readings(hour * 60, half)),
    )


def _take_chinese(page: Page, match: re.Match[str]) -> None:
    hour = whole_number(match["hour"])
    minute = _HAN_PARTS[match["part"]] if match["part"] else whole_number(match["minute"] or "0")
    if hour is not None and minute is not None and hour <= 24 and minute < 60:
        _take(page, match, hour * 60 + minute, half=None)


def _take(page: Page, match: re.Match[str], minutes: int, *, half: str | None) -> None:
    known = half[0].casefold() if half else _half(page.text, match.start(), match.end())
    if minutes >= 13 * 60 or minutes < 60 or known:
        exact = _readings(minutes, known)[0]
        # Who writes 22:15 doesn't say 10:15; who writes 3 pm does say 3.
        dial = (_dial(minutes),) if minutes < 13 * 60 else ()
        page.take(AnchorKind.TIME, match, exact, implies=(*dial, *_hour(minutes)))
    else:
        page.take(AnchorKind.TIME, match, _dial(minutes), implies=(*_readings(minutes, ""), *_hour(minutes)))


def _readings(minutes: int, half: str) -> list[str]:
    if half == "p" and minutes < 12 * 60:
        minutes += 12 * 60
    elif half == "a" and 12 * 60 <= minutes < 13 * 60:
        minutes -= 12 * 60
    return [_exact(minutes)]


def _half(text: str, start: int, end: int) -> str:
    """Which half of the day words near by name: a, p, or nothing; the nearest before counts first."""
    before, after = text[max(0, start - _NEAR_CHARS) : start], text[end : end + _NEAR_CHARS]
    places = [
        (near, half)
        for pattern, half in ((_AFTERNOON, "p"), (_MORNING, "a"))
        for near in (
            [len(before) - match.end() for match in pattern.finditer(before)]
            + [match.start() for match in pattern.finditer(after)]
        )
    ]
    return min(places)[1] if places else ""


def _exact(minutes: int) -> str:
    minutes %= _DAY
    return f"time:{minutes // 60:02}:{minutes % 60:02}"


def _dial(minutes: int) -> str:
    minutes %= 12 * 60
    return f"dial:{minutes // 60 or 12}:{minutes % 60:02}"


def _hour(minutes: int) -> tuple[str, ...]:
    return () if minutes % 60 else (f"n:{minutes // 60}",)
