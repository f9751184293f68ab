"""What was answered and not yet delivered."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from channels.messages import OutboundMessage
from gateway.journal.base import OutboxEntry, OutboxStatus
from gateway.journal.codec import decode_outbound, encode, legal


class InMemoryOutbox:
    """Parts that are not delivered, and the names of all that ever were due."""

    def __init__(self) -> None:
        super().__init__()
        self._open: dict[str, OutboxEntry] = {}
        self._parts: set[str] = set()
        self._placeholders: dict[str, str] = {}
        self._on_dropped: list[Callable[[str], None]] = []

    async def due(self, *, limit: int = 1000, after: int = 0) -> list[OutboxEntry]:
        due = [entry for entry in self._open.values() if entry.status is OutboxStatus.DUE]
        return [self._shown(entry) for entry in due if entry.position > after][:limit]

    async def entries(self, *, limit: int = 1000) -> list[OutboxEntry]:
        ordered = sorted(self._open.values(), key=lambda entry: (entry.status, entry.position))
        return [self._shown(entry) for entry in ordered[:limit]]

    async def placeholder(self, turn_id: str, platform_id: str) -> None:
        part = f"{legal(turn_id)}/0"
        if part in self._open or part not in self._parts:
            self._placeholders[part] = legal(platform_id)

    async def placeholder_of(self, turn_id: str) -> str | None:
        return self._placeholders.get(f"{legal(turn_id)}/0")

    async def sent(self, entry_id: str, *, platform_ids: Sequence[str] = ()) -> None:
        """The name stays, so that the part is never due again."""
        self._end(entry_id)

    async def settle(self) -> None:
        """Nothing is written later."""

    async def failed(self, entry_id: str, *, error: str, next_at: datetime) -> None:
        entry = self._open.get(legal(entry_id))
        if entry is not None and entry.status is OutboxStatus.DUE:
            self._put(entry, attempts=entry.attempts + 1, error=legal(error), next_at=next_at)

    async def dead(self, entry_id: str, *, error: str) -> None:
        entry = self._open.get(legal(entry_id))
        if entry is not None and entry.status is OutboxStatus.DUE:
            attempts = entry.attempts + 1
            self._put(entry, status=OutboxStatus.DEAD, attempts=attempts, error=legal(error), next_at=None)

    async def retry(self, entry_id: str) -> bool:
        entry = self._open.get(legal(entry_id))
        if entry is None or entry.status is not OutboxStatus.DEAD:
            return False
        self._put(entry, status=OutboxStatus.DUE, attempts=0, next_at=None)
        return True

    async def drop(self, entry_id: str) -> bool:
        """The name stays, so that the part is never due again."""
        dropped = self._end(entry_id)
        if dropped:
            for tell in self._on_dropped:
                tell(entry_id)
        return dropped

    def on_dropped(self, tell: Callable[[str], None]) -> None:
        """In the order in which they were added."""
        self._on_dropped.append(tell)

    def _add(self, reply: OutboundMessage) -> None:
        reply = decode_outbound(encode(reply))
        part = f"{reply.id}/{reply.part}"
        if part not in self._parts:
            self._parts.add(part)
            position = len(self._parts)
            self._open[part] = OutboxEntry(id=part, position=position, message=reply, status=OutboxStatus.DUE)

    def _put(self, entry: OutboxEntry, **changes: Any) -> None:
        self._open[entry.id] = replace(entry, **changes)

    def _end(self, entry_id: str) -> bool:
        part = legal(entry_id)
        self._placeholders.pop(part, None)
        return self._open.pop(part, None) is not None

    def _shown(self, entry: OutboxEntry) -> OutboxEntry:
        placeholder = entry.message.placeholder or self._placeholders.get(entry.id)
        return replace(entry, message=replace(entry.message, placeholder=placeholder))
