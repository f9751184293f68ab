"""One message and its answer, followed from an open request for as long as that takes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from channels.messages import InboundMessage, OutboundMessage
from channels.web.adapter import Answers, WebAdapter
from channels.web.waiting import Waiter
from gateway.http.problems import unavailable

_LOOKS = (0.5, 1.0, 2.0, 5.0)
"""Seconds between looks into the store, the last one for ever: an answer nearly always comes by itself; one whose chat
waits for a socket, or that was stopped, doesn't."""

_STOPPING = "this Mneme is being stopped; the message is kept: ask again with the same Idempotency-Key"


@dataclass(frozen=True, slots=True)
class Written:
    """So much of the answer is written; unchanged when nothing came for a while."""

    text: str


class Exchange:
    """The way from a message that is durable to its answer; `is_over` for one that was answered before."""

    def __init__(
        self, message: InboundMessage, waiter: Waiter, *, answers: Answers, is_over: bool = False
    ) -> None:
        self._message = message
        self._waiter = waiter
        self._answers = answers
        self._is_over = is_over

    async def progress(self) -> AsyncIterator[Written | OutboundMessage | None]:
        """What is written as it comes, and at last the answer; None for a message that got none.

        Raises HttpProblem when we stop before there is one: it is made after the next start.
        """
        if self._is_over:
            yield await self._answers.answer_to(self._message)
            return
        looks = iter(_LOOKS)
        pause = next(looks)
        settled = False
        while not self._waiter.reply.done():
            if self._waiter.left:
                raise unavailable(_STOPPING)
            if await self._waiter.changed(seconds=pause):
                yield Written(self._waiter.text)
                continue
            if settled:
                yield None
                return
            if await self._answers.accepted(self._message.id):
                stored = await self._answers.answer_to(self._message)
                if stored is not None:
                    yield stored
                    return
                settled = True  # what is on its way to us gets one more pause
            yield Written(self._waiter.text)
            pause = next(looks, pause)
        yield self._waiter.reply.result()

    async def answer(self) -> OutboundMessage | None:
        """The answer; None for a message that got none. Raises as `progress`."""
        last: OutboundMessage | None = None
        async for step in self.progress():
            last = None if isinstance(step, Written) else step
        return last


@asynccontextmanager
async def exchange(web: WebAdapter, message: InboundMessage) -> AsyncIterator[tuple[Exchange, bool]]:
    """Take the message in, unless it was before, and follow its answer; False where its sender may not write.

    Raises NotAccepted when it can't be taken now.
    """
    with web.waiting(message.id) as waiter:
        known = await web.answers.accepted(message.id)
        if known is None:
            await web.take(message)
            known = None if await web.answers.accepted(message.id) is None else False
        yield Exchange(message, waiter, answers=web.answers, is_over=bool(known)), known is not None
