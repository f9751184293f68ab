"""Files that a person names, read so that one which never ends is no trap."""

from pathlib import Path


class TooLarge(ValueError):
    """There is more than there should be; nothing of it is kept."""


def read_bounded(path: Path, *, largest: int) -> bytes:
    """The content, of at most `largest` bytes; TooLarge, or what the system says."""
    with path.open("rb") as file:
        data = file.read(largest + 1)
    if len(data) > largest:
        raise TooLarge
    return data
