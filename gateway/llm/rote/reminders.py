"""Which sentences want a reminder, in English and Chinese: when, and of what (pure)."""

import re
from dataclasses import dataclass

_CLOCK = r"(?:(?:at\s+)?\d{1,2}(?::\d{2})?\s?[ap]m|(?:at\s+)?\d{1,2}:\d{2}|at\s+\d{1,2})\b"
_DAY = (
    r"(?:today|tomorrow|(?:on\s+)?\d{4}-\d{2}-\d{2}|(?:on\s+)?(?:next\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|every\s+(?:day|weekday|(?:mon|tues|wednes|thurs|fri|satur|sun)day))\b"
)
_WHEN = rf"(?P<when>in\s+\d+\s*[a-z]+|{_DAY}(?:,?\s+{_CLOCK})?|{_CLOCK}(?:,?\s+{_DAY})?|every\s+\d+\s*[a-z]+)"
_BEGIN = r"(?:(?:please|(?:can|could|will|would)\s+you(?:\s+please)?)[\s,]+)?remind\s+me[\s,]+"
_END = r"[\s,]*(?:please)?\s*[.!?]?"
_OF = r"(?:to|that|about|of)\s+"
_ENGLISH = (
    re.compile(rf"{_BEGIN}{_WHEN}[\s,:]+(?:{_OF})?(?P<what>.+?){_END}", re.IGNORECASE),
    re.compile(rf"{_BEGIN}(?:{_OF})?(?P<what>.+?)[\s,]+{_WHEN}{_END}", re.IGNORECASE),
)
_WANTS = re.compile(rf"{_BEGIN}(?:to|that)\s+\S.*", re.IGNORECASE)

_CHINESE_WHEN = (
    r"(?P<when>\d+\s*个?\s*(?P<unit>分钟|小时|天)(?:之?后|以后)"
    r"|(?P<day>今天|明天)?(?P<part>早上|上午|中午|下午|晚上)?(?P<hour>\d{1,2})(?:[点點时時](?P<half>半)?|[:：])(?:(?P<minute>\d{1,2})分?)?"
    r"|明天)"
)
_CHINESE = (
    re.compile(rf"(?:请|請)?{_CHINESE_WHEN}\s*(?:请|請)?提醒我(?:要|去)?\s*(?P<what>.+?)[。！.!]?"),
    re.compile(rf"(?:请|請)?提醒我\s*{_CHINESE_WHEN}\s*(?:要)?\s*(?P<what>.+?)[。！.!]?"),
)
_CHINESE_WANTS = re.compile(r"(?:请|請)?(?:记得|記得)?提醒我(?!一下|.*[吗嗎?？]).+")
_UNITS = {"分钟": "m", "小时": "h", "天": "d"}
_AFTERNOON = frozenset({"下午", "晚上"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A reminder that somebody wants; `when` as `/remind` takes it, empty where no time was named that we know."""

    when: str
    what: str


def wish_in(line: str) -> Wish | None:
    """The reminder that the line asks for; None where it asks for none."""
    text = line.strip()
    for pattern in _ENGLISH:
        if found := pattern.fullmatch(text):
            return Wish(when=_english_when(found["when"]), what=found["what"])
    for pattern in _CHINESE:
        if found := pattern.fullmatch(text):
            return Wish(when=_chinese_when(found), what=found["what"])
    if _WANTS.fullmatch(text) or _CHINESE_WANTS.fullmatch(text):
        return Wish(when="", what=text)
    return None


def _english_when(text: str) -> str:
    """The day before the clock, without the words between."""
    words = " ".join(text.lower().replace(",", " ").split())
    turned = re.fullmatch(rf"(?P<clock>{_CLOCK}) (?P<day>{_DAY})", words)
    return f"{turned['day']} {turned['clock']}" if turned else words


def _chinese_when(found: re.Match[str]) -> str:
    if found["unit"]:
        return f"{int(re.sub(r'[^0-9]', '', found['when']))}{_UNITS[found['unit']]}"
    if not found["hour"]:
        return "tomorrow"
    hour, minute = int(found["hour"]), 30 if found["half"] else int(found["minute"] or 0)
    if found["part"] in _AFTERNOON and hour < 12:
        hour += 12
    day = {"今天": "today ", "明天": "tomorrow "}.get(found["day"] or "", "")
    return f"{day}{hour:02}:{minute:02}"
