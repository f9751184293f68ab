"""Who waits for the answer to one message: a request that stays open until it is there."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from channels.messages import OutboundMessage


class Waiter:
    """One open request. `text` grows while the answer is written; `reply` is the whole; `left` when none comes here."""

    def __init__(self) -> None:
        self.reply: asyncio.Future[OutboundMessage] = asyncio.get_running_loop().create_future()
        self.text = ""
        self.left = False
        self._changed = asyncio.Event()

    def wrote(self, text: str) -> None:
        """So much is written."""
        self.text = text
        self._changed.set()

    def answered(self, message: OutboundMessage) -> None:
        """The answer is there; a second one changes nothing."""
        if not self.reply.done():
            self.reply.set_result(message)
        self._changed.set()

    def leave(self) -> None:
        """Nobody answers here any more."""
        self.left = True
        self._changed.set()

    async def changed(self, *, seconds: float) -> bool:
        """Return when more is written or all is, False when nothing came for so long."""
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            return False
        self._changed.clear()
        return True


class Waiters:
    """All of them, by the message that they wait on; a request sent again waits beside the first."""

    def __init__(self) -> None:
        self._waiters: dict[str, set[Waiter]] = defaultdict(set)

    @contextmanager
    def waiting(self, message_id: str) -> Iterator[Waiter]:
        """A waiter for this message's answer, for as long as the block lasts."""
        waiter = Waiter()
        self._waiters[message_id].add(waiter)
        try:
            yield waiter
        finally:
            self._waiters[message_id].discard(waiter)
            if not self._waiters[message_id]:
                del self._waiters[message_id]

    def leave(self) -> None:
        """Let go whoever still waits."""
        for waiters in self._waiters.values():
            for waiter in waiters:
                waiter.leave()

    def on(self, message: OutboundMessage) -> list[Waiter]:
        """Whoever waits for this answer."""
        return [waiter for one in message.answers for waiter in self._waiters.get(one, ())]
