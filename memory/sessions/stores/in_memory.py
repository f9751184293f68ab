"""Sessions in memory alone: for tests, and for a gateway that shall remember nothing longer than it runs."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from memory.messages import Message
from memory.sessions.codec import decode, encode, message_from_dict, message_to_dict, tombstone
from memory.sessions.session import Mark, Session
from memory.sessions.state import metadata_to_dict, session_from_metadata
from memory.sessions.stores.base import Damage, SessionHead, check_order, messages_of


@dataclass(slots=True)
class _Stored:
    """Encoded, as on a disk: nobody shares an object with the store."""

    metadata: bytes = b""
    lines: dict[int, bytes] = field(default_factory=dict)
    erasures: int = 0

    def session(self, key: str) -> Session:
        raw = decode(self.metadata)
        return session_from_metadata(raw, key=key, last_seq=raw["last_seq"], tokens=raw["tokens"])

    def messages(self, seqs: Iterable[int]) -> list[Message]:
        return [message_from_dict(decode(self.lines[seq])) for seq in sorted(seqs) if seq in self.lines]


class InMemoryStore:
    """A `SessionStore` without a disk."""

    def __init__(self) -> None:
        self._sessions: dict[str, _Stored] = {}

    async def load(self, key: str, *, limit: int) -> Session | None:
        """See `SessionStore.load`."""
        stored = self._sessions.get(key)
        if stored is None:
            return None
        session = stored.session(key)
        session.messages = stored.messages(sorted(stored.lines)[-limit:] if limit else ())
        return session

    async def page(self, key: str, *, before: int, limit: int) -> list[Message]:
        """See `SessionStore.page`."""
        stored = self._sessions.get(key, _Stored())
        older = sorted(seq for seq in stored.lines if seq < before)
        return stored.messages(older[-limit:] if limit else ())

    async def read(self, key: str, *, from_seq: int, to_seq: int) -> list[Message]:
        """See `SessionStore.read`."""
        stored = self._sessions.get(key, _Stored())
        return stored.messages(seq for seq in stored.lines if from_seq <= seq <= to_seq)

    async def append(self, session: Session, records: Sequence[Message | Mark]) -> None:
        """See `SessionStore.append`."""
        messages = messages_of(records)
        stored = self._sessions.get(session.key, _Stored())
        check_order(session.key, messages, last_seq=max(stored.lines, default=0))
        lines = {message.seq: encode(message_to_dict(message)) for message in messages}
        stored.metadata = encode(metadata_to_dict(session))
        stored.lines |= lines
        self._sessions[session.key] = stored

    async def erase(self, key: str, seqs: Collection[int]) -> int:
        """See `SessionStore.erase`."""
        stored = self._sessions.get(key, _Stored())
        words = [message for message in stored.messages(set(seqs)) if not message.erased]
        if words:
            stored.lines |= {message.seq: encode(message_to_dict(tombstone(message))) for message in words}
            session = stored.session(key)
            session.tokens -= sum(message.tokens for message in words)
            stored.metadata = encode(metadata_to_dict(session))
            stored.erasures += 1
        return len(words)

    async def delete(self, key: str) -> bool:
        """See `SessionStore.delete`."""
        return self._sessions.pop(key, None) is not None

    async def heads(self) -> list[SessionHead]:
        """See `SessionStore.heads`."""
        heads = [
            SessionHead(
                key=key,
                audience=session.audience,
                last_seq=session.last_seq,
                last_consolidated=session.last_consolidated,
                tokens=session.tokens,
                updated_at=session.updated_at,
                erasures=stored.erasures,
            )
            for key, stored in self._sessions.items()
            for session in [stored.session(key)]
        ]
        return sorted(heads, key=lambda head: head.updated_at, reverse=True)

    async def damages(self, key: str) -> list[Damage]:
        """See `SessionStore.damages`."""
        return []

    async def repair(self, key: str) -> list[Damage]:
        """See `SessionStore.repair`."""
        return []

    async def close(self) -> None:
        """Nothing is due."""
