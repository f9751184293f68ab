"""How often a chat may be touched by what is only a courtesy: edits of a growing reply, and typing."""

from collections.abc import Callable

_MOST_CHATS = 10_000


class Pace:
    """Says whether it is time; `now` is a monotonic clock in seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._not_before: dict[str, float] = {}

    def may(self, chat_id: str, *, every: float) -> bool:
        """Whether the chat may be touched now; if so, not again for `every` seconds."""
        now = self._now()
        if now < self._not_before.get(chat_id, 0.0):
            return False
        if every:
            self.wait(chat_id, every)
        return True

    def wait(self, chat_id: str, seconds: float) -> None:
        """Leave the chat alone for that long, or longer if that was said before."""
        until = max(self._now() + seconds, self._not_before.pop(chat_id, 0.0))
        self._not_before[chat_id] = until
        while len(self._not_before) > _MOST_CHATS:
            del self._not_before[next(iter(self._not_before))]
