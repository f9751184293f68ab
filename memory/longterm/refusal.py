"""What was not done, and why, for the person who asked."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refused:
    """`reason` is one sentence without a full stop; it names the place and what was expected."""

    reason: str
