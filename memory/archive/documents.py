"""What the index keeps of a message beside its text."""

import zlib
from array import array
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from memory.archive.words import TIME_TERMS
from memory.messages import Message, ToolMessage, UserMessage

ASKS = 1
TELLS_WHEN = 2
"""Flags of a message."""
PLACES = 9
"""Bits of an id that hold the place within a sitting."""
ROLES = ("user", "assistant", "tool")
"""As `role_of` names them; a document holds the place in here."""


class Document(NamedTuple):
    """What ranking needs of a message; `prints` are the fingerprints of its terms, repeats included.

    `tokens` are those that the message takes in a request, 0 where nobody has counted.
    """

    id: int
    session: int
    seq: int
    at: int
    role: int
    sender: str
    flags: int
    tokens: int
    prints: "array[int]"


@lru_cache(maxsize=1 << 16)
def fingerprint(term: str) -> int:
    """16 bits of a term: one message of thirty terms is mistaken for holding it once in 2,000 times."""
    return zlib.crc32(term.encode()) & 0xFFFF


def flags_of(text: str, *, found: Sequence[str]) -> int:
    """Whether the message asks (its end is a question) and whether its terms say when something is."""
    asks = text.rstrip(" )\"'”」』").endswith(("?", "？"))
    return (ASKS if asks else 0) | (0 if TIME_TERMS.isdisjoint(found) else TELLS_WHEN)


def sender_of(message: Message) -> str:
    """How the one who speaks is called, as far as the message says."""
    if isinstance(message, UserMessage):
        return message.sender_name or message.sender
    return message.name if isinstance(message, ToolMessage) else message.sender
