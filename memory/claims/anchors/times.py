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
_HOUR = re.compile(rf"(?<![\d:.,])(?P<hour>1[0-2]|0?[1-9])\s?{_HALF_DAY}", re.ASCII | re.IGNORECASE)
_O_CLOCK = re.compile(r"(?<![\d:.,])(?P<hour>[01]?\d|2[0-4])\s?(?:o'clock|uhr\b)", re.ASCII | re.IGNORECASE)
_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_SPOKEN = re.compile(
    rf"\b(?P<part>half|quarter|ten|twenty|five)\s+(?P<way>past|to)\s+(?P<hour>{_WORDS}|\d{{1,2}})\b(?:\s?{_HALF_DAY})?",
    re.ASCII | re.IGNORECASE,
)
_SPOKEN_HOUR = re.compile(rf"\b(?P<hour>{_WORDS})\s+(?:o'clock|{_HALF_DAY})", re.ASCII | re.IGNORECASE)
_PARTS = {"half": 30, "quarter": 15, "ten": 10, "twenty": 20, "five": 5, "半": 30, "一刻": 15, "三刻": 45}
_NOON, _DAY = 12 * 60, 24 * 60
_NAMED = {"noon": _NOON, "midday": _NOON, "midnight": 0, "中午": _NOON, "正午": _NOON, "午夜": 0, "零点": 0}
_NAME = re.compile(
    r"\b(?:noon|midday|midnight)\b|正午|午夜|零点|中午(?!\s?[\d一二两三十])", re.ASCII | re.IGNORECASE
)
_BARE = re.compile(
    rf"\b(?:at|by|around|until|till|before|after)\s(?P<hour>\d{{1,2}}|{_WORDS})(?![\w:]|[.,/]\d|\s?(?:[%€$°]|(?:mm|cm|m|mi|ft|l|ml|g|mg|lbs?|oz|[gmk]b|inch(?:es)?)\b|[A-Za-z]*(?:euro|dollar|day|week|"
    r"month|year|hour|min|people|km|kg|percent)))",
    re.ASCII | re.IGNORECASE,
)
_HAN = re.compile(
    rf"(?<![\d.])(?P<hour>[012]?\d|{HAN_NUMERAL})\s?(?:点|时(?!候|间|常))(?:钟|整)?"
    rf"(?:(?P<part>半|一刻|三刻)|(?P<minute>[0-5]?\d|{HAN_NUMERAL})分?)?"
)
_AFTERNOON = re.compile(
    r"\b(?:afternoon|evening|tonight|night|dinner)\b|下午|傍晚|晚上|今晚|明晚|昨晚|夜里|周[一二三四五六日]晚",
    re.ASCII | re.IGNORECASE,
)
_MORNING = re.compile(
    r"\b(?:morning|breakfast)\b|凌晨|清晨|早上|早晨|上午|明早|今早", re.ASCII | re.IGNORECASE
)
_DURATION = re.compile(
    r"(?<![\w.])(?P<hours>\d{1,2})\s?(?:h|hrs?|hours?|个?小时)(?:\s?and)?\s?(?P<minutes>[0-5]?\d)(?:\s?(?:m|mins?|minutes?|分钟?))?(?![A-Za-z0-9:]|\.\d)",
    re.ASCII | re.IGNORECASE,
)
_NEAR_CHARS = 24
"""How far from a time the word may stand that says which half of the day it is in."""


def take_times(page: Page) -> None:
    """Take times of day. Without a half of the day "9:30" reads as on a dial and implies the morning's."""
    for match in page.each(_DURATION):
        hours, minutes = int(match["hours"]), int(match["minutes"])
        parts = {f"hour:{hours}", f"minute:{minutes}", f"n:{hours}", f"n:{minutes}"}
        page.take(AnchorKind.AMOUNT, match, f"minute:{hours * 60 + minutes}", implies=parts)
    for match in page.each(_CLOCK, _POINTED, _SPOKEN, _SPOKEN_HOUR, _HOUR, _O_CLOCK):
        _take(page, match)
    for match in page.each(_NAME):
        minutes = _NAMED[match.group().casefold()]
        page.take(AnchorKind.TIME, match, _exact(minutes), implies=(_dial(minutes),) if minutes else ())
    for match in page.each(_HAN):
        _take(page, match)
    for match in page.each(_BARE):
        _take_bare(page, match)


def _take_bare(page: Page, match: re.Match[str]) -> None:
    """What follows "at" may be a time and may be a number; as evidence it says both."""
    hour = whole_number(match["hour"])
    if hour is not None and hour <= 24:
        exact = _exact(hour * 60, half=_half(page.text, match))
        page.take(AnchorKind.NUMBER, match.span("hour"), f"n:{hour}", _dial(hour * 60), implies={exact})


def _take(page: Page, match: re.Match[str]) -> None:
    found = match.groupdict("")
    hour, part = whole_number(found["hour"]), found.get("part", "").casefold()
    minute = _PARTS[part] if part else whole_number(found.get("minute") or "0")
    if hour is None or minute is None or hour > 24 or minute > 59:
        return
    minutes = hour * 60 + (-minute if found.get("way", "").casefold() == "to" else minute)
    half = found.get("half", "")[:1].casefold() or _half(page.text, match)
    dial, exact = _dial(minutes), _exact(minutes, half=half)
    counted = () if minutes % 60 else (f"n:{minutes // 60}",)
    if minutes >= 13 * 60:
        page.take(AnchorKind.TIME, match, exact, implies=counted)  # 22:15 doesn't say 10:15
    elif minutes < 60 or half:
        page.take(AnchorKind.TIME, match, exact, implies=(dial, *counted))  # 3 pm does say 3
    else:
        # Nobody says half past fifteen.
        spoken = (_exact(minutes, half="p"),) if found.get("way") else ()
        page.take(AnchorKind.TIME, match, dial, implies=(exact, *spoken, *counted))


def _half(text: str, match: re.Match[str]) -> str:
    """Which half of the day words near by name: a, p, or nothing; the nearest before counts first."""
    before = text[max(0, match.start() - _NEAR_CHARS) : match.start()]
    after = text[match.end() : match.end() + _NEAR_CHARS]
    places = [
        (near, half)
        for pattern, half in ((_AFTERNOON, "p"), (_MORNING, "a"))
        for near in (
            *(len(before) - each.end() for each in pattern.finditer(before)),
            *(each.start() for each in pattern.finditer(after)),
        )
    ]
    return min(places)[1] if places else ""


def _exact(minutes: int, *, half: str = "") -> str:
    if half == "p" and minutes < _NOON:
        minutes += _NOON
    elif half == "a" and _NOON <= minutes < _NOON + 60:
        minutes -= _NOON
    return f"time:{minutes % _DAY // 60:02}:{minutes % 60:02}"


def _dial(minutes: int) -> str:
    return f"dial:{minutes % _NOON // 60 or 12}:{minutes % 60:02}"
