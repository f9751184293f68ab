"""A commit to be and a commit as it stands, in plain words."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A commit to be: the paths that change (None: removed), who is its author, what it says."""

    files: Mapping[str, bytes | None]
    author: str
    message: str
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A commit as it stands; `at` in seconds since 1970, `blobs` maps each path of its tree to an object."""

    id: str
    parent: str | None
    author: str
    message: str
    at: int
    blobs: Mapping[str, str]
