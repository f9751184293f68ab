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

_NUMBER = r"[零〇一二两三四五六七八九十\d]+"
_SPAN = rf"(?:半|{_NUMBER})\s*个?半?(?:分钟|小时|钟头|天|周|星期)(?:之后|以后|后)"
_CHINESE_DAY = (
    r"(?:大后天|[今明后]天|每天|(?:每|下*|这)个?(?:周|星期|礼拜)[一二三四五六日天]"
    rf"|{_NUMBER}月{_NUMBER}[日号])"
)
_PART = r"(?:凌晨|早上|早晨|上午|中午|下午|傍晚|晚上)"
_CHINESE_CLOCK = rf"(?:{_NUMBER}点(?:半|[一三]刻|整|{_NUMBER}分?)?|\d{{1,2}}[:：]\d{{2}})"
_CHINESE_WHEN = (
    rf"(?P<when>{_SPAN}|{_CHINESE_DAY}{_PART}?{_CHINESE_CLOCK}?|{_PART}{_CHINESE_CLOCK}?|{_CHINESE_CLOCK})"
)
_CHINESE = (
    re.compile(rf"请?(?:在|于)?{_CHINESE_WHEN}[，,\s]*请?提醒我(?:要|去)?\s*(?P<what>.+?)[。！.!]?"),
    re.compile(rf"请?提醒我(?:在|于)?\s*{_CHINESE_WHEN}\s*要?\s*(?P<what>.+?)[。！.!]?"),
)
_CHINESE_WANTS = re.compile(r"(?:请|记得)?提醒我(?!一下|.*[吗?？]).+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A reminder that somebody wants; `when` as the tool `schedule` takes it, empty where no time was named that we know."""

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
            return Wish(when=found["when"], what=found["what"])
    if _WANTS.fullmatch(text) or _CHINESE_WANTS.fullmatch(text):
        return Wish(when="", what=text)
    return None


def _english_when(text: str) -> str:
    """The day before the clock, without the words between."""
    words = " ".join(text.lower().replace(",", " ").split())
    turned = re.fullmatch(rf"(?P<clock>{_CLOCK}) (?P<day>{_DAY})", words)
    return f"{turned['day']} {turned['clock']}" if turned else words
