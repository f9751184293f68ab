"""How long an answer may take and how much it may say: a server that never ends is left."""

from collections.abc import AsyncIterator
from typing import Final

from gateway.errors import LLMUnavailable
from gateway.service.clock import Clock

_TIMEOUTS: Final = 10
"""A whole answer may take as many times what may pass without a byte: signs of life alone don't go on for ever."""

_CHARACTERS_PER_TOKEN: Final = 64  # no language comes near, and thinking isn't counted by everybody
_LEAST_CHARACTERS: Final = 65_536
_BYTES_PER_CHARACTER: Final = 1024
"""Even a document for each character is smaller; what says nothing at full speed would fill the memory."""


class Endless(LLMUnavailable):
    """The answer went on for longer than any may; asking again would cost as much, so it is not retried here."""


class Patience:
    """Watches one answer. `timeout` is in seconds, `max_output` in tokens; `name` is what a person calls the model."""

    def __init__(self, *, timeout: float, max_output: int, clock: Clock, name: str) -> None:
        self._timeout = timeout
        self._most = max(max_output * _CHARACTERS_PER_TOKEN, _LEAST_CHARACTERS)
        self._clock = clock
        self._name = name
        self._began = clock.monotonic()

    async def watched(self, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """The pieces of a body, for as long as they may come."""
        size = 0
        async for piece in pieces:
            size += len(piece)
            if size > self._most * _BYTES_PER_CHARACTER:
                raise Endless(f"{self._name} had not ended its answer after {size} bytes")
            seconds = self._clock.monotonic() - self._began
            if seconds > self._timeout * _TIMEOUTS:
                raise Endless(f"{self._name} had not ended its answer after {seconds:.0f} seconds")
            yield piece

    def progressed(self, *, characters: int) -> None:
        """The answer is `characters` long by now."""
        if characters > self._most:
            raise Endless(
                f"{self._name} went on after {self._most} characters, far more than it was asked for"
            )
