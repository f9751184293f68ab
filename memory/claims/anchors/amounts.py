"""Numbers in a text, with what they count where that is money or a unit."""

import re

from memory.claims.anchors.anchor import AnchorKind, Page
from memory.claims.anchors.numerals import Numeral, numerals

_CURRENCIES = {
    "EUR": "€|eur|euros?|欧元|欧(?![洲盟])",
    "USD": r"\$|us\$|usd|dollars?|bucks|美元|美金",
    "GBP": "£|gbp|quid|英镑",
    "CNY": "cny|rmb|yuan|元|块钱|块|人民币",
    "JPY": "jpy|yen|日元|円",
    "CHF": "chf|sfr|francs?|瑞士法郎",
    "HKD": "hkd|港币|港元",
    "INR": "₹|inr|rupees?",
}
_UNITS = {
    "%": "%|percent|per cent|pct",
    "km": "km|kilomet(?:er|re)s?|公里|千米", "mile": "miles?|mi|英里", "m": "m|met(?:er|re)s?|米",
    "cm": "cm|centimet(?:er|re)s?|厘米", "mm": "mm|毫米", "ft": "ft|feet|foot|英尺", "inch": "inch(?:es)?|英寸|寸",
    "m2": "m2|sqm|square met(?:er|re)s?|平方米|平米|平",
    "mcg": "mcg|[µμ]g|micrograms?|微克", "mg": "mg|milligrams?|毫克", "oz": "oz|ounces?|盎司",
    "kg": "kg|kilos?|kilograms?|公斤|千克", "g": "g|grams?|克", "lb": "lbs?", "jin": "斤", "t": "tons?|tonnes?|吨",
    "l": "l|lit(?:er|re)s?|升", "ml": "ml|毫升",
    "second": "s|secs?|seconds?|秒", "minute": "mins?|minutes?|分钟", "hour": "h|hrs?|hours?|个小时|小时|个钟头",
    "day": "days?|天", "night": "nights?|晚(?!上)", "week": "weeks?|周(?!年|[一二三四五六日末])|个星期|个礼拜", "month": "months?|个月",
    "year": "years?|yrs?|年", "age": "years?[ -]old|岁",
    "kb": "kb", "mb": "mb", "gb": "gb", "tb": "tb", "°C": "°c|℃|(?:degrees? )?celsius|degrees? c|摄氏度", "°F": "°f|(?:degrees? )?fahrenheit|degrees? f|华氏度", "°": "°|degrees?|度",
    "kwh": "kwh|度电", "mhz": "mhz", "ghz": "ghz",
}  # fmt: skip
_AFTER = [(f"{code} ", words) for code, words in _CURRENCIES.items()] + list(_UNITS.items())
_UNIT_AFTER = re.compile(
    r"(?:\s?(?:-|to|or|至|到)\s?\d+(?:[.,]\d+)?)?[\s-]?(?:"
    + "|".join(
        f"(?P<u{number}>{words})"
        for number, (_, words) in sorted(enumerate(_AFTER), key=lambda each: -len(each[1][1]))
    )
    + r")(?![A-Za-z])",
    re.ASCII | re.IGNORECASE,
)
_POUNDS = re.compile(r"\s?pounds?(?![A-Za-z])|\s?磅", re.ASCII | re.IGNORECASE)
_BEFORE = re.compile(
    r"(?<![A-Za-z])(?P<sign>€|us\$|\$|£|¥|₹|eur|usd|gbp|cny|rmb|jpy|chf)\s?$", re.ASCII | re.IGNORECASE
)
_SIGNS = {
    "€": ("EUR",), "$": ("USD",), "us$": ("USD",), "£": ("GBP",), "¥": ("CNY", "JPY"), "₹": ("INR",), "rmb": ("CNY",),
}  # fmt: skip
_MONEY = re.compile("租|价|费|花了|钱|付|卖|贵|便宜|薪|工资|预算|押金|收入|罚|赔|欠|车位|票")
_NO_COUNT = re.compile(r"\s?(?:$|[,。;!?]|一?个月|每|一[年天晚])")
_NEAR = 12
_YEARS = range(1900, 2101)


def take_numbers(page: Page) -> None:
    """Take every number; one that counts money or a unit reads as the pair and implies the bare number."""
    for numeral in numerals(page.rest):
        if page.rest[numeral.start : numeral.end].strip("\x00"):
            _take(page, numeral)


def _take(page: Page, numeral: Numeral) -> None:
    bare = ["n:" + value for value in numeral.values]
    own = (numeral.start, numeral.end)
    counted, place = _counted(page, numeral)
    if page.text[: numeral.start].endswith("百分之") and not counted:
        counted = ("%",)
    if counted:
        reads = [f"{unit}:{value}" for unit in counted for value in numeral.values]
        # 一天 and "one day" say no more than "one" does.
        firm = numeral.firm or page.text[slice(*own)].isdigit()
        # 60 °C are 60 degrees.
        degrees = [f"°:{value}" for unit in counted if unit in {"°C", "°F"} for value in numeral.values]
        page.take(AnchorKind.AMOUNT, place, *reads, implies=[*bare, *degrees], firm=firm)
    elif len(bare) == 1 and bare[0][2:].isdigit() and int(bare[0][2:]) in _YEARS:
        page.take(AnchorKind.NUMBER, own, *bare, "year:" + bare[0][2:])
    else:
        prices = [
            f"money CNY:{value}" for value in numeral.values if numeral.is_price or _costs(page, numeral)
        ]
        page.take(AnchorKind.NUMBER, own, *bare, implies=prices, firm=numeral.firm)


def _costs(page: Page, numeral: Numeral) -> bool:
    """Whether a bare number of ten at least stands where a Chinese sentence tells of money."""
    around = page.text[max(0, numeral.start - _NEAR) : numeral.end + _NEAR]
    is_bare = _NO_COUNT.match(page.text, numeral.end) is not None
    return is_bare and len(numeral.values[0]) > 1 and _MONEY.search(around) is not None


def _counted(page: Page, numeral: Numeral) -> tuple[tuple[str, ...], tuple[int, int]]:
    """What the number counts, and where both stand; nothing where it stands alone."""
    before = _BEFORE.search(page.rest, max(0, numeral.start - 5), numeral.start)
    if before:
        sign = before["sign"].casefold()
        codes = tuple("money " + code for code in _SIGNS.get(sign, (sign.upper(),)))
        return codes, (before.start("sign"), numeral.end)
    pounds = _POUNDS.match(page.rest, numeral.end)
    if pounds:
        return ("money GBP", "lb"), (numeral.start, pounds.end())
    after = _UNIT_AFTER.match(page.rest, numeral.end)
    if not after or not after.lastgroup:
        return (), (numeral.start, numeral.end)
    name = _AFTER[int(after.lastgroup[1:])][0]
    codes = ("money " + name.strip(),) if name.endswith(" ") else (name,)
    start = after.start(after.lastgroup)
    return codes, (numeral.start, after.end() if start <= numeral.end + 1 else numeral.end)
