"""Which threads of a channel we take part in, so that a reply there needs no new mention."""

from collections.abc import Awaitable, Callable

from channels.messages import InboundMessage
from channels.recent import Recent

KnowsThread = Callable[[InboundMessage, str], Awaitable[bool]]
"""Whether the thread of a message is a conversation of ours, as whoever keeps them knows; given is also the id
that the message at the thread's root has, if it was one for us."""

_REMEMBERED = 10_000


async def knows_none(_message: InboundMessage, _root_id: str) -> bool:
    """For an adapter without memory of earlier runs: no thread is known."""
    return False


class Threads:
    """The threads where we were mentioned or posted lately; older ones are asked for."""

    def __init__(self, knows: KnowsThread) -> None:
        self._knows = knows
        self._joined: Recent[tuple[str, str], bool] = Recent(limit=_REMEMBERED)

    def join(self, chat_id: str, *, thread_ts: str) -> None:
        """We take part from now on."""
        self._joined[chat_id, thread_ts] = True

    async def ours(self, message: InboundMessage, *, thread_ts: str, root_id: str) -> bool:
        """Whether what is said in this thread is said to us."""
        if (message.chat_id, thread_ts) in self._joined:
            return True
        if not await self._knows(message, root_id):
            return False
        self.join(message.chat_id, thread_ts=thread_ts)
        return True
