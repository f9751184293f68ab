"""One message and its answer, followed from an open request for as long as that takes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from channels.messages import InboundMessage, OutboundMessage
from channels.web.adapter import Answers, WebAdapter
from channels.web.waiting import Waiter

_LOOKS = (0.5, 1.0, 2.0, 5.0)
"""Seconds between looks into the store, the last one for ever: an answer nearly always comes by itself; one whose chat
waits for a socket, or that was stopped, doesn't."""


@dataclass(frozen=True, slots=True)
class Written:
    """So much of the answer is written; unchanged when nothing came for a while."""

    text: str


class Exchange:
    """The way from a message that is durable to its answer."""

    def __init__(self, message: InboundMessage, waiter: Waiter, *, answers: Answers) -> None:
        self._message = message
        self._waiter = waiter
        self._answers = answers

    async def progress(self) -> AsyncIterator[Written | OutboundMessage | None]:
        """What is written as it comes, and at last the answer; None for a message that got none."""
        looks = iter(_LOOKS)
        pause = next(looks)
        settled = False
        while not self._waiter.reply.done():
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
        """The answer; None for a message that got none."""
        last: OutboundMessage | None = None
        async for step in self.progress():
            last = None if isinstance(step, Written) else step
        return last


@asynccontextmanager
async def exchange(
    web: WebAdapter, message: InboundMessage, *, answers: Answers
) -> AsyncIterator[tuple[Exchange, bool]]:
    """Take the message in, unless it was before, and follow its answer; False when it is nobody's who may write.

    Raises NotAccepted when it can't be taken now.
    """
    with web.waiting(message.id) as waiter:
        if await answers.accepted(message.id) is None:
            await web.take(message)
        state = await answers.accepted(message.id)
        if state and not waiter.reply.done():
            stored = await answers.answer_to(message)
            if stored is not None:
                waiter.answered(stored)
        yield Exchange(message, waiter, answers=answers), state is not None
