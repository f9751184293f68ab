"""A platform's JSON, of which whatever is missing or of an unexpected type is taken as absent."""

from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]


def mapping(value: object) -> Json:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def mappings(value: object) -> list[Json]:
    """The objects in a value that is a JSON array, else none."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def text_of(value: object) -> str:
    """The value if it is a text, else none."""
    return value if isinstance(value, str) else ""


def number_of(value: object) -> int | None:
    """The value if it is a whole number."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
