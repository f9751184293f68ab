"""Identifiers and phone numbers in a text: what means nothing unless every character is right."""

import re

from memory.claims.anchors.anchor import AnchorKind, Page

_UUID = re.compile(r"(?<![\w-])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![\w-])", re.ASCII)
_ADDRESS = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d+|/\d+)?(?![\w.]*\d)", re.ASCII)
_MAC = re.compile(r"(?<![\w:])(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}(?![\w:])", re.ASCII)
_VERSION = re.compile(
    r"(?<![\w.])v?\d+(?:\.\d+){2,}(?:[-+][A-Za-z0-9.]+)?(?!\w)|(?<![\w.])[vV]\d+(?:\.\d+)*(?!\w)", re.ASCII
)
_PHONE = re.compile(
    r"(?<![\w.,])(?:\+|00|\(?0)\d*[\d ()/.-]{5,}\d(?!\w)|(?<![\w.,-])1[3-9]\d(?:[ -]?\d{4}){2}(?!\w)|(?<![\w.,-])\d{3}[ -]\d{3,4}[ -]\d{4}(?!\w)|(?<![\w.,-])\d{3}-\d{4}(?!\w)",
    re.ASCII,
)
_HANDLE = re.compile(r"(?<![\w@./])@[A-Za-z_]\w{2,}|(?<![\w#/])#[A-Za-z0-9]\w*", re.ASCII)
_MEASURE = (
    r"k|m|m2|m3|cm2|km2|sqm|sqft|b|bn|mm|cm|dm|km|mi|ft|kg|g|mg|lb|lbs|oz|l|ml|cl|h|hr|hrs|min|mins|s|sec|ms|d|w|y|am|pm|st|nd|rd|th|x"
    r"|kb|mb|gb|tb|kw|kwh|w|v|mah|hz|mhz|ghz|fps|px|pt|c|f|eur|usd|gbp|chf|cny|rmb|jpy|pcs|k€|days?|weeks?|months?"
    r"|years?|hours?|minutes?|euros?|dollars?|s"
)
_WORD = re.compile(
    rf"(?<![\w-])(?!\d*(?:{_MEASURE})(?!\w))(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*(?![\w-])",
    re.ASCII | re.IGNORECASE,
)
_PLAIN_COMPOUND = re.compile(r"\d+(?:-[a-z]+)+|[a-z]+(?:-[a-z]+)*-\d{1,2}", re.IGNORECASE)
_HEX = re.compile("[0-9a-fA-F]{6,}")
_CODE = re.compile(
    r"(?<!\w)(?:[A-Za-z]\w*_\w+|_+[A-Za-z]\w*|[a-z]+[A-Z]\w*|[A-Za-z_][\w.]*\(\))(?!\w)"
    r"|(?<!\w)--?[a-z][a-z0-9-]+(?![\w-])",
    re.ASCII,
)
_DIGITS = re.compile(r"(?<![\w.,-])(?:0\d+|\d+(?:-\d+){2,})(?![\w,-]|\.\d)", re.ASCII)


def take_identifiers(page: Page) -> None:
    """Take UUIDs, addresses of machines, versions, phone numbers, tags, ticket numbers, names in code."""
    for match in page.each(_UUID, _MAC):
        page.take(AnchorKind.IDENTIFIER, match, "id:" + match.group().casefold())
    for match in page.each(_ADDRESS):
        page.take(AnchorKind.ADDRESS, match, "ip:" + match.group())
    for match in page.each(_VERSION):
        page.take(AnchorKind.IDENTIFIER, match, "version:" + match.group().lstrip("vV"))
    for match in page.each(_PHONE):
        _take_phone(page, match)
    for match in page.each(_HANDLE, _CODE, _DIGITS):
        written = match.group()
        page.take(AnchorKind.IDENTIFIER, match, "id:" + written, implies={"id:" + written.lstrip("#@-0")})
    for match in page.each(_WORD):
        word = match.group()
        if word.isupper() or not _PLAIN_COMPOUND.fullmatch(word):
            page.take(
                AnchorKind.IDENTIFIER, match, "id:" + (word.casefold() if _HEX.fullmatch(word) else word)
            )


def _take_phone(page: Page, match: re.Match[str]) -> None:
    digits = re.sub(r"\D", "", match.group())
    if len(digits) >= 7 and not re.fullmatch(r"0\.\d+", match.group()):
        is_international = match.group().startswith("+")
        bare = digits if is_international else digits.removeprefix("00").removeprefix("0")
        page.take(AnchorKind.PHONE, match, "phone:" + bare)
