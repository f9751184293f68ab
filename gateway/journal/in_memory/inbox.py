"""What was accepted and not yet answered."""

from collections.abc import Callable, Sequence

from channels.messages import InboundMessage
from gateway.journal.base import InboxEntry
from gateway.journal.codec import decode_inbound, edited, encode, legal


class InMemoryInbox:
    """Messages that wait, by position, and the names of all that ever came."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: dict[int, InboundMessage] = {}
        self._positions: dict[str, int] = {}
        self._deliveries: set[tuple[str, str]] = set()
        self._on_withdrawn: list[Callable[[str], None]] = []

    async def accept(self, message: InboundMessage) -> InboxEntry | None:
        """Keeps a copy, as a file would."""
        return self._accept(message)

    async def replace(self, message: InboundMessage) -> bool:
        position = self._positions.get(legal(message.edit_of or ""), 0)
        if position not in self._waiting:
            return False
        edit = decode_inbound(encode(message))
        self._waiting[position] = edited(self._waiting[position], edit=edit)
        known = self._accept(edit)
        if known is not None:
            del self._waiting[known.position]
        return True

    async def waiting(
        self, *, session_key: str | None = None, after: int = 0, limit: int = 1000
    ) -> list[InboxEntry]:
        """Positions are given in order, so the dict is in order."""
        return [
            InboxEntry(position=position, message=message)
            for position, message in self._waiting.items()
            if position > after and session_key in {None, message.session_key}
        ][:limit]

    async def unanswered(self) -> int:
        return len(self._waiting)

    async def accepted(self, message_id: str) -> bool | None:
        """An answered message has left its name alone."""
        position = self._positions.get(legal(message_id))
        return None if position is None else position not in self._waiting

    async def message(self, message_id: str) -> InboundMessage | None:
        """What waits at its place."""
        return self._waiting.get(self._positions.get(legal(message_id), 0))

    async def withdraw(self, message_ids: Sequence[str]) -> None:
        for message_id in message_ids:
            self._answer(message_id)
            for tell in self._on_withdrawn:
                tell(message_id)

    def on_withdrawn(self, tell: Callable[[str], None]) -> None:
        self._on_withdrawn.append(tell)

    def _accept(self, message: InboundMessage) -> InboxEntry | None:
        message = decode_inbound(encode(message))
        delivery = message.delivery_id and (message.channel, message.delivery_id)
        if message.id in self._positions or delivery in self._deliveries:
            return None
        position = len(self._positions) + 1
        self._positions[message.id] = position
        self._waiting[position] = message
        if delivery:
            self._deliveries.add(delivery)
        return InboxEntry(position=position, message=message)

    def _answer(self, message_id: str) -> None:
        self._waiting.pop(self._positions.get(legal(message_id), 0), None)
