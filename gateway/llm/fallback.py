"""Several models as one: the first that can answer does, and one that failed is left alone for a while."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from gateway.errors import ContextOverflow, LLMError, LLMUnavailable
from gateway.llm.client import Completion, Delta, LLMClient, Prompt, whole
from gateway.service.clock import Clock, SystemClock

_REST = 30.0  # seconds; a restart of a model server takes about as long


class FallbackLLM:
    """Asks `clients` in order. One that is unavailable is passed over for `rest` seconds, or as long as it asked.

    A refusal moves on too, but is not remembered: it may be the request's fault. ContextOverflow does not move
    on, the turn shrinks its prompt. When all fail the first failure is raised, an unavailable one before others.
    """

    def __init__(
        self, clients: Sequence[LLMClient], *, clock: Clock | None = None, rest: float = _REST
    ) -> None:
        if not clients:
            raise ValueError("a fallback needs at least one client")
        self._clients = tuple(clients)
        self._clock = clock or SystemClock()
        self._rest = rest
        self._resting: dict[int, float] = {}

    @property
    def name(self) -> str:
        """The name of the model that would be asked first now."""
        return self._in_order()[0][1].name

    async def warm(self) -> None:
        """Warm the first; the others are seldom needed."""
        await self._clients[0].warm()

    async def window(self) -> int:
        """The window of the model that would be asked first now."""
        return await self._in_order()[0][1].window()

    async def complete(self, prompt: Prompt) -> Completion:
        """The whole answer of the first that can."""
        return await whole(self.stream(prompt))

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """The answer of the first that can; once a part of it was handed on, a failure is final."""
        failures: list[LLMError] = []
        for place, client in self._in_order():
            handed = False
            try:
                async with aclosing(client.stream(prompt)) as deltas:
                    async for delta in deltas:
                        handed = True
                        yield delta
            except LLMError as error:
                self._note(place, error)
                if handed or isinstance(error, ContextOverflow):
                    raise
                failures.append(error)
            else:
                self._resting.pop(place, None)
                return
        raise next((error for error in failures if isinstance(error, LLMUnavailable)), failures[0])

    async def close(self) -> None:
        """Close all."""
        for client in self._clients:
            await client.close()

    def _in_order(self) -> list[tuple[int, LLMClient]]:
        """Those that rest come last: when nobody else can answer they are asked all the same."""
        now = self._clock.monotonic()
        return sorted(enumerate(self._clients), key=lambda entry: self._resting.get(entry[0], 0.0) > now)

    def _note(self, place: int, error: LLMError) -> None:
        if isinstance(error, LLMUnavailable):
            self._resting[place] = self._clock.monotonic() + max(self._rest, error.retry_after or 0.0)
