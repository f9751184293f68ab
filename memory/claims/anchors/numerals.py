"""Numbers as people write them: digits with separators, English words, Chinese numerals; each as one decimal."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from memory.claims.words import listed

_SMALL = {
    word: value
    for value, word in enumerate(
        listed(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
            " seventeen eighteen nineteen"
        )
    )
}
_TENS = dict(
    zip(listed("twenty thirty forty fifty sixty seventy eighty ninety"), range(20, 100, 10), strict=True)
)
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_ORDINALS = {
    "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
    "eleventh": 11, "twelfth": 12,
}  # fmt: skip
_LOOSE = {"dozen": "12", "half": "0.5", "both": "2", "twice": "2"}
_WORD = "|".join(sorted([*_SMALL, *_TENS, *_SCALES], key=len, reverse=True))
_WORDS = re.compile(
    rf"(?<![\w])(?:(?:half\s+)?an?\s+(?=hundred|thousand|million|billion))?(?:{_WORD})(?:(?:[\s-]+and)?[\s-]+(?:{_WORD}))*(?!\w)",
    re.ASCII | re.IGNORECASE,
)
_DOZENS = re.compile(
    rf"(?<![\w-])(?:(?P<half>half)\s+an?|(?P<count>an?|\d+|{_WORD}))\s+dozen(?P<more>\s+and\s+a\s+half)?(?![\w-])",
    re.ASCII | re.IGNORECASE,
)
_SINGLE = re.compile(rf"(?<![\w-])(?:{'|'.join([*_ORDINALS, *_LOOSE])})(?![\w-])", re.ASCII | re.IGNORECASE)
_DIGITS = re.compile(
    r"(?<![\w\x00])(?<!\d[.,])(?P<number>\d{1,3}(?:[,\u202f']\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?|\d+(?:[.,]\d+)?)"
    r"(?P<scale>\s?(?:万亿|亿|万|千|百|百万|k|bn|million|billion|thousand|mio)(?![A-Za-z])|m(?![A-Za-z0-9]))?",
    re.ASCII | re.IGNORECASE,
)
_SUFFIXES = {
    "k": 1000, "thousand": 1000, "m": 1_000_000, "mio": 1_000_000, "million": 1_000_000, "bn": 10**9,
    "billion": 10**9, "百": 100, "千": 1000, "万": 10_000, "百万": 1_000_000, "亿": 10**8, "万亿": 10**12,
}  # fmt: skip
HAN_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1000}
_HAN_GROUPS = {"万": 10_000, "亿": 10**8}
_HAN_NUMERAL = "[零〇一二两三四五六七八九十百千万亿]"
HAN_NUMERAL = f"{_HAN_NUMERAL}+"
_HAN = re.compile(
    # 三千五一个月 is 3500 a month.
    f"(?P<percent>百分之)?(?P<whole>{_HAN_NUMERAL}*[十百千万亿][二三四五六七八九](?=一[个天年晚次周])|{HAN_NUMERAL})(?:点(?P<part>[零〇一二三四五六七八九]+))?(?P<half>半)?"
)
_PRICE = re.compile("[百千万][一二三四五六七八九]$")
# Words with a numeral in them that count nothing.
_IDIOMS = re.compile(
    "十分(?!钟|之)|万一|千万(?=别|不要|要|记)|万事|百姓|百度|一[些样起定直般下会共旦切再致边面律]|第一|统一|唯一|进一步|不一|之一|万岁|三明治|四川|九江"
    "|三亚|千克|百货|八卦|七夕|十字|五金|一(?=个|点|条|件|种|次|位|家|张|天|份|名|只|本|部|台|座|间|场|段|句|杯|顿|趟|年|月)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Numeral:
    """A number in a text. `values` are its readings as plain decimals; `firm` is false for words like "one".

    It `is_price` where it is told as prices are alone: 三千五 for 3500.
    """

    start: int
    end: int
    values: tuple[str, ...]
    firm: bool = True
    is_price: bool = False


def numerals(text: str) -> Iterator[Numeral]:
    """The numbers of a tidy text, kind by kind."""
    for match in _DOZENS.finditer(text):
        count = Decimal("0.5") if match["half"] else Decimal(whole_number(match["count"]) or 0)
        value = 12 * (count + (Decimal("0.5") if match["more"] else 0))
        yield Numeral(start=match.start(), end=match.end(), values=(plain(value),), firm=value != 12)
    for match in _DIGITS.finditer(text):
        values = _digits(match)
        yield Numeral(start=match.start(), end=match.end(), values=values)
    for match in _WORDS.finditer(text):
        value = english_number(match.group())
        yield Numeral(start=match.start(), end=match.end(), values=(plain(value),), firm=value > 1)
    for match in _SINGLE.finditer(text):
        word = match.group().casefold()
        value = Decimal(_ORDINALS[word] if word in _ORDINALS else _LOOSE[word])
        yield Numeral(start=match.start(), end=match.end(), values=(plain(value),), firm=word in _ORDINALS)
    yield from _han_numerals(text)


def _han_numerals(text: str) -> Iterator[Numeral]:
    idioms = {place for match in _IDIOMS.finditer(text) for place in range(*match.span())}
    for match in _HAN.finditer(text):
        value = chinese_number(match["whole"])
        if match.start("whole") in idioms or value is None:
            continue
        if match["part"]:
            value += Decimal("0." + "".join(str(HAN_DIGITS[char]) for char in match["part"]))
        if match["half"] and value >= 10:
            value += Decimal("0.5")
        end = match.end() if not match["half"] or value >= 10 else match.end("whole")
        yield Numeral(
            start=match.start("whole"),
            end=end,
            values=(plain(value),),
            firm=value > 1,
            is_price=_PRICE.search(match["whole"]) is not None,
        )


def _digits(match: re.Match[str]) -> tuple[str, ...]:
    """The readings: a lone comma or point before three digits parts thousands for some and decimals for others."""
    written = match["number"]
    scale = _SUFFIXES[match["scale"].strip().casefold()] if match["scale"] else 1
    if re.fullmatch(r"\d{1,3}(?:[,\u202f']\d{3})+(?:\.\d+)?", written):
        readings = [re.sub(r"[,\u202f']", "", written)]
    elif re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?", written):
        readings = [written.replace(".", "").replace(",", ".")]
    elif re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", written):
        readings = [written, written.replace(".", "")]
    else:
        readings = [written.replace(",", ".")]
    return tuple(plain(Decimal(each) * scale) for each in readings)


def english_number(words: str) -> Decimal:
    """The value of number words: "three hundred and fifty" is 350."""
    total, group = Decimal(0), Decimal(0)
    for word in re.findall(r"[a-z]+", words.casefold()):
        if word == "half":
            group = Decimal("0.5")
        elif word in _SMALL or word in _TENS:
            group += _SMALL.get(word, 0) or _TENS.get(word, 0)
        elif word == "hundred":
            group = (group or Decimal(1)) * 100
        elif word in _SCALES:
            total, group = total + (group or Decimal(1)) * _SCALES[word], Decimal(0)
    return total + group


def chinese_number(written: str) -> Decimal | None:
    """The value of Chinese numerals, also read digit by digit (二零二六) and colloquial (三千五); None for none."""
    if all(char in HAN_DIGITS for char in written):
        return Decimal("".join(str(HAN_DIGITS[char]) for char in written))
    total, group, digit, last = 0, 0, 0, 1
    for char in written:
        if char in HAN_DIGITS:
            digit = digit * 10 + HAN_DIGITS[char] if digit else HAN_DIGITS[char]
            last = 1 if char in "零〇" else last
        elif char in _HAN_SCALES:
            last = _HAN_SCALES[char]
            group, digit = group + (digit or 1) * last, 0
        elif total + group + digit == 0:
            return None
        else:
            last = _HAN_GROUPS[char]
            total, group, digit = (total + group + digit) * last, 0, 0
    colloquial = last // 10 if last >= 100 else 1
    return Decimal(total + group + digit * colloquial)


def plain(value: Decimal) -> str:
    """One spelling of a decimal: no exponent, no zeros at the end."""
    try:
        return f"{value.normalize():f}"
    except InvalidOperation:
        return str(value)


def whole_number(written: str) -> int | None:
    """The value of digits, a number word or Chinese numerals, where it is a small whole number."""
    folded = written.casefold()
    if folded.isascii() and folded.isdigit():
        return int(folded)
    if folded in {"a", "an"}:
        return 1
    value = english_number(folded) if folded.isascii() else chinese_number(folded)
    return int(value) if value is not None and value < 10_000 else None
