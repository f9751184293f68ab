"""Which threads of a channel we take part in, so that a reply there needs no new mention."""

from collections.abc import Awaitable, Callable

from channels.slack.recent import Recent

KnowsThread = Callable[[str, str], Awaitable[bool]]
"""Whether the thread (chat id, thread ts) is a conversation of ours, as whoever keeps sessions knows."""

_REMEMBERED = 10_000


async def knows_none(_chat_id: str, _thread_ts: str) -> bool:
    """For an adapter without memory of earlier runs: no thread is known."""
    return False


class Threads:
    """The threads where we were mentioned or posted lately; older ones are asked for."""

    def __init__(self, knows: KnowsThread) -> None:
        self._knows = knows
        self._joined: Recent[tuple[str, str], bool] = Recent(limit=_REMEMBERED)

    def join(self, chat_id: str, *, thread_ts: str) -> None:
        """We take part from now on."""
        self._joined.put((chat_id, thread_ts), value=True)

    async def ours(self, chat_id: str, *, thread_ts: str) -> bool:
        """Whether what is said there is said to us."""
        if self._joined.get((chat_id, thread_ts)):
            return True
        if not await self._knows(chat_id, thread_ts):
            return False
        self.join(chat_id, thread_ts=thread_ts)
        return True
