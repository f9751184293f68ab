"""Every fault of a configuration as one line: where, what, what was expected, what was probably meant."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic_core import ErrorDetails

from gateway.config.origins import origin
from gateway.config.schema import keys_at
from gateway.config.values import did_you_mean

SECRETS = frozenset({"api_key", "token", "bot_token", "app_token", "signing_secret", "web_token"})
"""Keys whose values are secrets, in whatever table."""
_LONGEST_VALUE = 60
_CHOICES = frozenset({"literal_error", "enum"})
_EXPECTED: Mapping[str, str] = {
    "refused": "{expected}",
    "literal_error": "{expected}",
    "enum": "{expected}",
    "greater_than_equal": "at least {ge}",
    "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "string_type": "a text in quotes",
    "string_too_short": "a text that is not empty",
    "tuple_type": "a list",
    "model_type": "a table",
    "dict_type": "a table",
    "missing": "a value",
}


def describe(error: ErrorDetails, *, file: Path | None, origins: Mapping[tuple[str, ...], str]) -> str:
    """One line for one fault; `origins` says which key paths the environment set."""
    context: Mapping[str, Any] = error.get("ctx", {})
    path = [*error["loc"], *([context["key"]] if context.get("key") else [])]
    place = placed(path, file=file, origins=origins)
    if error["type"] == "extra_forbidden":
        return _joined(f"{place}: unknown key", _near_key(path))
    expected = _EXPECTED.get(error["type"], error["msg"]).format_map(context)
    if error["type"] in _CHOICES:
        expected = expected.replace("'", '"')
    return _joined(f"{place}{_shown(error, path)}: expected {expected}", _near_value(error, context))


def placed(path: Sequence[str | int], *, file: Path | None, origins: Mapping[tuple[str, ...], str]) -> str:
    """Where a value was written, and under which key: how the line of a fault begins."""
    return f"{origin(path, file=file, origins=origins)}: {_dotted(path)}"


def _joined(line: str, hint: str) -> str:
    text = f"{line}; {hint}" if hint else line
    return "".join(char if char.isprintable() else "�" for char in text)


def _dotted(path: Sequence[str | int]) -> str:
    """The path as it is written; the one unnamed Slack workspace leaves no trace."""
    return ".".join(str(part) for part in path if part not in {"", "[key]"})


def _near_key(path: Sequence[str | int]) -> str:
    return did_you_mean(str(path[-1]), keys_at(path[:-1]))


def _near_value(error: ErrorDetails, context: Mapping[str, Any]) -> str:
    if context.get("hint"):
        return str(context["hint"])
    if error["type"] in _CHOICES and isinstance(error["input"], str):
        return did_you_mean(error["input"], re.findall(r"'([^']*)'", str(context["expected"])))
    return ""


def _shown(error: ErrorDetails, path: Sequence[str | int]) -> str:
    """` = value`, unless the value is or may hold a secret."""
    value = error["input"]
    if error.get("ctx", {}).get("key") or not isinstance(value, str | int | float | bool | list | tuple):
        return ""
    if path[-1] in SECRETS or error["type"] in {"model_type", "dict_type"}:
        return ""
    text = re.sub(r"//[^/@\s]*@", "//***@", _toml(value))
    return f" = {text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + '…'}"


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml(entry) for entry in value)}]"
    return f'"{value}"' if isinstance(value, str) else str(value)
