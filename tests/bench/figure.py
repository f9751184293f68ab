"""One row of what was measured."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One row: what was measured, what came out, what was aimed at."""

    name: str
    value: str
    goal: str
    met: bool
