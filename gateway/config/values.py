"""The kinds of values that a configuration holds, each with the words for what was expected."""

import re
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo
from pydantic_core import PydanticCustomError

_HIGHEST_PORT = 65535
_LONGEST_NAME = 64
_LANGUAGE = re.compile(r"auto|[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*")


def refuse(expected: str, *, key: str = "", hint: str = "") -> PydanticCustomError:
    """An error that says what was expected; `key` names a key inside of the table that was being checked."""
    return PydanticCustomError(
        "refused", "expected {expected}", {"expected": expected, "key": key, "hint": hint}
    )


def did_you_mean(word: str, known: list[str]) -> str:
    """The nearest known word as a hint, or nothing."""
    near = get_close_matches(word.lower(), known, n=1, cutoff=0.6) or get_close_matches(word, known, n=1)
    return f'did you mean "{near[0]}"?' if near else ""


def _as_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _one_or_many(value: object) -> object:
    if isinstance(value, str):
        return (value,) if value else ()
    if not isinstance(value, list | tuple):
        raise refuse("a text in quotes, or a list of such")
    return _as_tuple(value)


def _auto_or(expected: str) -> Callable[[object], object]:
    """Reads "auto" as None."""

    def read(value: object) -> object:
        if isinstance(value, str) and value != "auto":
            raise refuse(f'"auto" or {expected}')
        return None if value == "auto" else value

    return read


def _path(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, str):
        return value
    if not value.strip():
        raise refuse("the path of a directory")
    directory: Path = (info.context or {}).get("directory") or Path.cwd()
    return directory / Path(value).expanduser()


def _url(*schemes: str) -> Callable[[str], str]:
    def check(value: str) -> str:
        expected = " or ".join(f"{scheme}://…" for scheme in schemes)
        try:
            parts = urlsplit(value)
            usable = (
                parts.scheme in schemes and bool(parts.hostname) and (parts.port is None or parts.port > 0)
            )
        except ValueError as error:
            raise refuse(expected) from error
        if value and not usable:
            raise refuse(expected)
        return value

    return check


def split_address(value: str) -> tuple[str, int] | None:
    """Host and port of `host:port` (`[::1]:8760` for IPv6), or None for "" or what is no address."""
    host, colon, port = value.rpartition(":")
    if not (colon and host and port.isascii() and port.isdigit() and int(port) <= _HIGHEST_PORT):
        return None
    if ":" in host and not (host.startswith("[") and host.endswith("]")):
        return None
    return host.strip("[]"), int(port)


def _address(value: str) -> str:
    if value and split_address(value) is None:
        raise refuse('host:port such as 127.0.0.1:8760, or "" for none')
    return value


def _zone(value: str) -> str:
    if value == "auto":
        return value
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        hint = did_you_mean(value, sorted(available_timezones()))
        raise refuse('"auto" or a time zone such as Europe/Berlin', hint=hint) from error
    return value


def _language(value: str) -> str:
    if not _LANGUAGE.fullmatch(value):
        raise refuse('"auto" or a language tag such as en or zh')
    return value


def is_safe_name(name: str) -> bool:
    """Whether a name may stand in a path: letters and digits of any script, `-`, `_` and inner dots."""
    return (
        0 < len(name) <= _LONGEST_NAME
        and all(char.isalnum() or char in "-_." for char in name)
        and not name.startswith((".", "-"))
    )


def _name(value: str) -> str:
    if not is_safe_name(value):
        raise refuse("a name of letters, digits, - and _")
    return value


Count = Annotated[int, Field(ge=1)]
Amount = Annotated[int, Field(ge=0)]
Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Duration = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Wait = Annotated[float, Field(ge=0, allow_inf_nan=False)]
AutoCount = Annotated[Count | None, BeforeValidator(_auto_or("a whole number"))]
AutoFlag = Annotated[bool | None, BeforeValidator(_auto_or("true or false"))]
Strings = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_as_tuple)]
OneOrMany = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_one_or_many)]
Directory = Annotated[Path, BeforeValidator(_path)]
WebUrl = Annotated[str, AfterValidator(_url("http", "https"))]
SecureUrl = Annotated[str, AfterValidator(_url("https"))]
Proxy = Annotated[str, AfterValidator(_url("http", "https", "socks5", "socks5h"))]
Address = Annotated[str, AfterValidator(_address)]
Zone = Annotated[str, AfterValidator(_zone)]
Language = Annotated[str, AfterValidator(_language)]
Name = Annotated[str, AfterValidator(_name)]
