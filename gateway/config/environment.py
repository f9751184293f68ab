"""What `MNEME_SECTION__KEY` changes: the environment's values laid over those of the file."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from gateway.config.schema import kind_at

PREFIX = "MNEME_"
_NO_OVERRIDES = frozenset({"MNEME_CONFIG", "MNEME_STATE", "MNEME_CRASH_AT"})

Path = tuple[str, ...]


def overlay(document: dict[str, Any], environ: Mapping[str, str], context: dict[str, Any]) -> dict[Path, str]:
    """Put the environment's values into `document`; which variable each key path came from."""
    origins: dict[Path, str] = {}
    for name, parts in _overrides(environ):
        path = _put(document, parts, environ[name], context)
        if path:
            origins[path] = name
    return origins


def misspelt(environ: Mapping[str, str]) -> list[str]:
    """Variables that look like ours and change nothing, because sections and keys are joined by two underscores."""
    return [
        f"{name}: no setting is called so; overrides are written MNEME_SECTION__KEY"
        for name in sorted(environ)
        if name.startswith(PREFIX) and "__" not in name and name not in _NO_OVERRIDES
    ]


def _overrides(environ: Mapping[str, str]) -> list[tuple[str, Path]]:
    """Shorter paths first, so that a table given whole is refined by its keys."""
    found = [
        (name, tuple(name.removeprefix(PREFIX).split("__")))
        for name in sorted(environ)
        if name.startswith(PREFIX) and "__" in name and name not in _NO_OVERRIDES
    ]
    return sorted(found, key=lambda entry: len(entry[1]))


def _put(document: dict[str, Any], parts: Path, text: str, context: dict[str, Any]) -> Path | None:
    """Set one value; None when the file holds something else than a table on the way, which is its own fault."""
    table: Any = document
    path: list[str] = []
    for part in parts[:-1]:
        path.append(_spelling(table, part))
        table = table.setdefault(path[-1], {})
        if not isinstance(table, dict):
            return None
    path.append(_spelling(table, parts[-1]))
    table[path[-1]] = _decode(text, kind_at(path), context)
    return tuple(path)


def _spelling(table: Mapping[str, Any], part: str) -> str:
    """The key as the file spells it, else in lower case: names of variables are written in capitals."""
    return next((key for key in table if key.lower() == part.lower()), part.lower())


def _decode(text: str, kind: Any, context: dict[str, Any]) -> Any:
    """What the text says as JSON (a number, a list …) where the place takes that, else the text itself."""
    candidates = _readings(text)
    for candidate in candidates:
        if kind is not None and _fits(candidate, kind, context):
            return candidate
    return candidates[0]


def _readings(text: str) -> Sequence[Any]:
    try:
        value = json.loads(text.lower() if text in {"True", "False"} else text)
    except ValueError:
        return [text]
    return [text] if value is None or isinstance(value, str) else [value, text]


def _fits(value: Any, kind: Any, context: dict[str, Any]) -> bool:
    try:
        TypeAdapter(kind).validate_python(value, context=context)
    except ValidationError:
        return False
    return True
