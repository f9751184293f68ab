"""A model that plays a script: the fake that ships, for tests, demonstrations and rehearsals."""

import asyncio
import inspect
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass

from gateway.errors import LLMError, LLMRejected
from gateway.llm.client import Completion, Delta, Prompt

Line = str | Completion | LLMError
"""What the model says or fails with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An answer that is not given before `until` is set."""

    answer: "Answer"
    until: asyncio.Event


Answer = Line | Held | Callable[[Prompt], Line | Awaitable[Line]]
"""One entry of a script; a callable is asked with the prompt, at the moment of the request."""


class ScriptedLLM:
    """Plays `answers` in order, then `otherwise` for ever; without one, more requests are LLMRejected.

    `prompts` records every request. `piece` is how many characters one delta of a stream has (0: all at once).
    """

    def __init__(
        self,
        *answers: Answer,
        otherwise: Answer | None = None,
        window: int = 8192,
        piece: int = 0,
        name: str = "scripted",
    ) -> None:
        self.name = name
        self.prompts: list[Prompt] = []
        self.closed = False
        self._answers = deque(answers)
        self._otherwise = otherwise
        self._window = window
        self._piece = piece
        self._asked = asyncio.Condition()

    def add(self, *answers: Answer) -> None:
        """Lengthen the script."""
        self._answers.extend(answers)

    async def asked(self, times: int) -> Prompt:
        """Wait until the model was asked so often; the prompt of that request."""
        async with self._asked:
            await self._asked.wait_for(lambda: len(self.prompts) >= times)
        return self.prompts[times - 1]

    async def warm(self) -> None:
        """Nothing is slow here."""

    async def window(self) -> int:
        """The window it was made with."""
        return self._window

    async def complete(self, prompt: Prompt) -> Completion:
        """The next answer of the script."""
        async with self._asked:
            self.prompts.append(prompt)
            self._asked.notify_all()
        return await _play(self._next(), prompt)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """The next answer of the script, piece by piece."""
        completion = await self.complete(prompt)
        size = self._piece or max(len(completion.text), 1)
        for start in range(0, len(completion.text), size):
            yield Delta(text=completion.text[start : start + size])
        yield Delta(completion=completion)

    async def close(self) -> None:
        """Remember that it was closed."""
        self.closed = True

    def _next(self) -> Answer:
        if self._answers:
            return self._answers.popleft()
        if self._otherwise is None:
            raise LLMRejected(
                f"the script of {self.name!r} is over: request {len(self.prompts)} has no answer"
            )
        return self._otherwise


async def _play(answer: Answer, prompt: Prompt) -> Completion:
    if isinstance(answer, Held):
        await answer.until.wait()
        return await _play(answer.answer, prompt)
    if isinstance(answer, LLMError):
        raise answer
    if isinstance(answer, Completion):
        return answer
    if isinstance(answer, str):
        return Completion(text=answer)
    said = answer(prompt)
    return await _play(await said if inspect.isawaitable(said) else said, prompt)
