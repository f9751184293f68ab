"""Where a value was written: in the file, or in a variable of the environment."""

from collections.abc import Mapping, Sequence
from pathlib import Path


def origin(path: Sequence[str | int], *, file: Path | None, origins: Mapping[tuple[str, ...], str]) -> str:
    """The place of a key path; `origins` says which variable set which path, of a table given whole or of a key."""
    plain = tuple(str(part) for part in path if part != "")
    for length in range(len(plain), 0, -1):
        if plain[:length] in origins:
            return f"environment variable {origins[plain[:length]]}"
    inside = (name for key, name in origins.items() if key[: len(plain)] == plain)
    return f"environment variable {name}" if (name := next(inside, None)) else str(file or "configuration")
