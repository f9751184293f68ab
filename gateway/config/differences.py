"""What two configurations say differently, by key."""

from collections.abc import Iterator, Mapping

from pydantic import BaseModel


def differing(one: object, other: object, *, key: str = "") -> Iterator[str]:
    """The key paths whose values differ, in order; a table that only one of them has is one key."""
    ours, theirs = _entries(one), _entries(other)
    if ours is None or theirs is None:
        if one != other:
            yield key
        return
    for name in sorted(ours.keys() | theirs.keys()):
        inner = ".".join(part for part in (key, name) if part)
        yield from differing(ours.get(name), theirs.get(name), key=inner)


def _entries(value: object) -> Mapping[str, object] | None:
    if isinstance(value, BaseModel):
        return {name: getattr(value, name) for name in type(value).model_fields}
    return value if isinstance(value, dict) else None
