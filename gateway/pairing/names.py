"""What somebody who is let in is called: a name of their own, which no stranger can choose to be somebody else's."""

from collections.abc import Collection, Iterator
from itertools import count

from gateway.config.values import is_safe_name
from gateway.journal.base import PairingCode

_LONGEST = 40


def free_name(offered: PairingCode, *, taken: Collection[str]) -> str:
    """What the stranger calls themselves, where that is a name; numbered where it is somebody's already."""
    used = {name.casefold() for name in taken}
    return next(name for name in _names(offered) if name.casefold() not in used)


def _names(offered: PairingCode) -> Iterator[str]:
    name = _plain(offered.sender_name) or _plain(f"{offered.channel}-{offered.sender_id}") or "guest"
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def _plain(text: str) -> str:
    """The letters and digits of a text, in small letters, what lies between them as `-`; "" where there are none."""
    kept = "".join(char if char.isalnum() else " " for char in text.lower())
    name = "-".join(kept.split())[:_LONGEST].rstrip("-")
    return name if is_safe_name(name) else ""
