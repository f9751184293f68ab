"""How people and models name a job or a reminder: by its id, whole or short."""

import hashlib
from collections.abc import Iterable
from typing import Protocol, TypeVar

_DIGITS = 8
"""Hexadecimal digits of a short id: enough for the jobs of one session, few enough to type."""


def short_id(long_id: str) -> str:
    """The name under which people and models see a job or a reminder."""
    return hashlib.sha256(long_id.encode("utf-8", "backslashreplace")).hexdigest()[:_DIGITS]


class Identified(Protocol):
    """What has an id: a job, a reminder."""

    @property
    def id(self) -> str:
        """The whole id."""


Named = TypeVar("Named", bound=Identified)


def find_named(name: str, among: Iterable[Named]) -> Named | None:
    """The one of this id, whole or short, with or without the `#` before it."""
    named = name.removeprefix("#")
    return next((one for one in among if named in {one.id, short_id(one.id)}), None)
