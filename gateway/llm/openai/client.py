"""The client of one OpenAI-compatible endpoint: asks, learns what it takes, tries again, and never gives half an answer."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from random import Random
from typing import Final

from gateway.errors import ContextOverflow, LLMError, LLMRejected, LLMUnavailable
from gateway.llm.client import Completion, Delta, Prompt, whole
from gateway.llm.openai.answer import Answer
from gateway.llm.openai.connection import Connection, Refused, place_of
from gateway.llm.openai.events import documents
from gateway.llm.openai.faults import Silence, fault, refused_in_stream
from gateway.llm.openai.patience import Endless, Patience
from gateway.llm.openai.quirks import Quirks, learn
from gateway.llm.openai.windows import Window, ask_window
from gateway.llm.openai.wire import encode, request
from gateway.llm.settings import UNKNOWN_WINDOW, Endpoint
from gateway.service.clock import Clock, SystemClock
from gateway.service.retry import Backoff

_TRIES: Final = 3
_BACKOFF: Final = Backoff(first=0.5, cap=8.0)
_LONGEST_WAIT: Final = 20.0  # seconds; who asks us to wait longer is left to the fallback or to a later turn
_WARM_SECONDS: Final = 15.0  # the SDK's import takes most of it on a slow machine
_TEACHING: Final = frozenset({400, 404, 422, 500, 501})
_MOST_LESSONS: Final = 12  # more fields than we send can't be refused


class OpenAIClient:
    """A model behind an address. Make one per endpoint for the life of the process: it owns the connections."""

    def __init__(
        self, endpoint: Endpoint, *, name: str = "", clock: Clock | None = None, rng: Random | None = None
    ) -> None:
        self.name = name or f"{endpoint.model} at {place_of(endpoint.base_url)}"
        self._endpoint = endpoint
        self._connection = Connection(endpoint, name=self.name)
        self._quirks = Quirks()
        self._clock = clock or SystemClock()
        self._rng = rng or Random()  # noqa: S311 - it only spreads retries
        self._window: Window | None = None
        self._asking = asyncio.Lock()
        self._answered = False

    async def warm(self) -> None:
        """Import the SDK, read certificates, open a connection and ask for the window."""
        with suppress(LLMError, Refused, TimeoutError):
            async with asyncio.timeout(_WARM_SECONDS):
                await self._connection.get("/models")
                await self.window()

    async def window(self) -> int:
        """Configured, or what the server says (asked once, bounded to seconds), or 8192."""
        if self._endpoint.context_window:
            return self._endpoint.context_window
        async with self._asking:
            if self._window is None:
                asked = await self._ask_window()
                self._window = asked or Window(tokens=UNKNOWN_WINDOW, certain=False)
        return self._window.tokens

    async def complete(self, prompt: Prompt) -> Completion:
        """The whole answer."""
        return await whole(self.stream(prompt))

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """The answer as it is written; tried again only as long as nothing of it was handed on."""
        for attempt in range(1, _TRIES + 1):
            handed = False
            try:
                async with aclosing(self._taught(prompt)) as deltas:
                    async for delta in deltas:
                        handed = True
                        yield delta
            except LLMUnavailable as error:
                wait = _BACKOFF.delay(attempt, rng=self._rng, named=error.retry_after)
                if (
                    handed
                    or attempt == _TRIES
                    or wait > _LONGEST_WAIT
                    or isinstance(error, Silence | Endless)
                ):
                    raise
                await self._clock.sleep(wait)
            else:
                return

    async def close(self) -> None:
        """Close every connection."""
        await self._connection.close()

    async def _ask_window(self) -> Window | None:
        try:
            return await ask_window(
                self._connection, base_url=self._endpoint.base_url, model=self._endpoint.model
            )
        except LLMError:
            return None

    async def _taught(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """One request, repeated without what the endpoint refuses for as long as its refusals teach something."""
        for _ in range(_MOST_LESSONS):
            quirks = self._quirks
            sent = request(prompt, model=prompt.model or self._endpoint.model, quirks=quirks)
            handed = False
            try:
                async with aclosing(self._asked(prompt, body=encode(sent))) as deltas:
                    async for delta in deltas:
                        handed = True
                        yield delta
            except Refused as refused:
                error = fault(refused.refusal, name=self.name, model=prompt.model or self._endpoint.model)
                if handed or isinstance(error, ContextOverflow) or refused.refusal.status not in _TEACHING:
                    raise error from refused
                if self._quirks is quirks:  # else another request has learned meanwhile
                    learned = learn(quirks, complaint=refused.refusal.complaint, sent=sent)
                    if learned is None:
                        raise error from refused
                    self._quirks = learned
            else:
                return
        raise LLMRejected(f"{self.name} refuses every form of the request that we know")

    async def _asked(self, prompt: Prompt, *, body: bytes) -> AsyncGenerator[Delta, None]:
        answer = Answer(key=_key(prompt))
        patience = Patience(
            timeout=self._endpoint.timeout, max_output=prompt.max_output, clock=self._clock, name=self.name
        )
        async with self._connection.post("/chat/completions", body=body) as pieces:
            async for document in documents(patience.watched(pieces)):
                refusal = refused_in_stream(document)
                if refusal is not None:
                    raise Refused(refusal)
                text = answer.take(document)
                patience.progressed(characters=answer.characters)
                if text:
                    yield Delta(text=text)
            completion = answer.completion()
        self._loaded()
        yield Delta(completion=completion)

    def _loaded(self) -> None:
        """After the first answer the model is loaded, and a server that was unsure of its window can be asked again."""
        if not self._answered and self._window is not None and not self._window.certain:
            self._window = None
        self._answered = True


def _key(prompt: Prompt) -> tuple[object, ...]:
    """What tells this request from every other of its session."""
    return prompt.session, max((message.seq for message in prompt.messages), default=0), len(prompt.messages)
