"""What was not done, and why, for the person who asked."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refused:
    """`reason` is one sentence without a full stop; it names the place and what was expected.

    With `is_of_file` it is the file that could not take it, as it stands; when that is mended, it may be asked again.
    """

    reason: str
    is_of_file: bool = False
