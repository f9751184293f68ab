"""Which keys a configuration may hold at a place: read off the models, for hints and for the environment."""

from collections.abc import Sequence
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel

from gateway.config.settings import Settings


def kind_at(path: Sequence[str | int]) -> Any:
    """The annotation of the value at a key path, or None where no such key exists."""
    kind: Any = Settings
    for part in path:
        kind = _step(kind, str(part))
        if kind is None:
            return None
    return kind


def keys_at(path: Sequence[str | int]) -> list[str]:
    """The keys that a table at this path may hold; empty where names are free or nothing is known."""
    kind = _bare(kind_at(path))
    return [*kind.model_fields] if _is_table(kind) else []


def _step(kind: Any, part: str) -> Any:
    kind = _bare(kind)
    if _is_table(kind):
        field = kind.model_fields.get(part)
        return (
            Annotated[field.annotation, *field.metadata]
            if field and field.metadata
            else field and field.annotation
        )
    if get_origin(kind) is dict:
        return get_args(kind)[1]
    if get_origin(kind) is tuple:
        return get_args(kind)[0]
    return None


def _bare(kind: Any) -> Any:
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    return kind


def _is_table(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
