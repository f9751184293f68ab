"""The contract of a session store; `tests/contracts/test_session_stores.py` is its suite."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from memory.errors import StoreCorrupt
from memory.messages import Message
from memory.sessions.session import Mark, Session


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHead:
    """What is known of a session without loading it. `erasures` counts `erase` calls that changed it."""

    key: str
    audience: str
    last_seq: int
    last_consolidated: int
    tokens: int
    updated_at: datetime
    erasures: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """A place in the store that can't be read: where it is, what is wrong, and what was done about it.

    `is_aside` says that the bytes are kept where no reader meets them any more.
    """

    key: str
    place: str
    problem: str
    repair: str
    is_aside: bool = False


SET_ASIDE = "set aside, byte for byte"
"""What `repair` does to bytes that can't be read."""


class SessionStore(Protocol):
    """Keeps sessions. Messages are only ever appended; `erase` alone leaves tombstones.

    Raises StoreUnavailable when it can't write now and StoreCorrupt when a whole session can't be read.
    """

    async def load(self, key: str, *, limit: int) -> Session | None:
        """The session with at most its last `limit` messages, or None where there is none."""

    async def page(self, key: str, *, before: int, limit: int) -> list[Message]:
        """At most `limit` messages with seq < `before`, the nearest ones, oldest first."""

    async def read(self, key: str, *, from_seq: int, to_seq: int) -> list[Message]:
        """The messages `from_seq` to `to_seq`, both included, oldest first; those that don't exist are left out."""

    async def append(self, session: Session, records: Sequence[Message | Mark]) -> None:
        """Write the records and the session's state in one durable write; messages carry their seq already.

        The cost follows what is appended, never what is stored. A seq that is stored already is refused with
        StoreCorrupt: somebody wrote outside of the lock.
        """

    async def erase(self, key: str, seqs: Collection[int]) -> int:
        """Replace these messages by tombstones, the words gone from the disk; how many it changed."""

    async def delete(self, key: str) -> bool:
        """Remove the session and its words from the disk; whether there was one."""

    async def heads(self) -> list[SessionHead]:
        """Every session, newest update first."""

    async def damages(self, key: str) -> list[Damage]:
        """What of this session could not be read."""

    async def repair(self, key: str) -> list[Damage]:
        """Set aside, byte for byte, what can't be read, and put the rest in order; what was done now.

        Nothing that can be read changes. Afterwards `damages` names only what is aside.
        """

    async def close(self) -> None:
        """Write what is due and let go of files."""


def messages_of(records: Sequence[Message | Mark]) -> list[Message]:
    """The messages among records."""
    return [record for record in records if not isinstance(record, Mark)]


def check_order(key: str, messages: Sequence[Message], *, last_seq: int) -> None:
    """Raise StoreCorrupt unless the numbers of new messages rise from beyond the last stored one."""
    for message in messages:
        if message.seq <= last_seq:
            raise StoreCorrupt(f"{key}#{message.seq} can't be appended: number {last_seq} is stored already")
        last_seq = message.seq
