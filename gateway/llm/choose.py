"""Which model answers: the configured one, else the environment's, else one that runs here, else rote."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Final

import aiohttp

from gateway.errors import ConfigError
from gateway.llm.client import LLMClient
from gateway.llm.fallback import FallbackLLM
from gateway.llm.local import LocalLLM, local_problem
from gateway.llm.openai import OpenAIClient
from gateway.llm.rote import RoteLLM
from gateway.llm.settings import Endpoint, LLMSettings

OPENAI_ADDRESS: Final = "https://api.openai.com/v1"
OLLAMA_ADDRESS: Final = "http://127.0.0.1:11434/v1"
_OPENAI_MODEL: Final = "gpt-5-mini"  # small, current and cheap; llm.model changes it
_ANY_MODEL: Final = "default"  # a server with one model ignores the name
_DETECTION_SECONDS: Final = 0.5  # a server on this machine answers in milliseconds
_LISTING_SECONDS: Final = 3.0  # an endpoint that was configured may be far away
_NO_CHAT: Final = ("embed", "rerank", "whisper", "tts", "bge-", "minilm")


class Why(StrEnum):
    """Why this model answers."""

    CONFIGURED = "configured"
    KEY = "key"
    SERVER = "server"
    LOCAL = "local"
    ROTE = "rote"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The model that answers and why; `endpoint` is where it is, for other models of the same place."""

    client: LLMClient
    why: Why
    endpoint: Endpoint | None = None

    @property
    def models(self) -> Callable[[], Awaitable[Sequence[str]]] | None:
        """Asks the endpoint which chat models it serves; None where there is but one model to answer."""
        place = self.endpoint
        if place is None:
            return None
        return partial(served_models, place.base_url, api_key=place.api_key, seconds=_LISTING_SECONDS)


async def choose(settings: LLMSettings, *, ollama: str = OLLAMA_ADDRESS) -> Choice:
    """The model for these settings; nothing is loaded or imported yet, and looking around takes half a second at most.

    ConfigError when the provider that was asked for can't be.
    """
    if settings.provider == "rote":
        return Choice(client=RoteLLM(), why=Why.CONFIGURED)
    if settings.provider == "local":
        problem = local_problem(settings.model)
        if problem:
            raise ConfigError([f"llm.provider = local, but {problem}"])
        return _with_fallback(settings, client=_local(settings), why=Why.CONFIGURED)
    if settings.base_url:
        return await _remote(settings, address=settings.base_url, why=Why.CONFIGURED)
    if settings.api_key or settings.environment_base_url:
        configured = settings.provider == "openai"
        address = settings.environment_base_url or OPENAI_ADDRESS
        return await _remote(settings, address=address, why=Why.CONFIGURED if configured else Why.KEY)
    if settings.provider == "openai":
        raise ConfigError(
            ["llm.provider = openai, but neither llm.base_url nor llm.api_key (OPENAI_API_KEY) is set"]
        )
    return await _found(settings, ollama=ollama)


def address_of(settings: LLMSettings) -> str:
    """Where the endpoint is that these settings mean, found without asking anybody."""
    if settings.base_url or settings.environment_base_url:
        return settings.base_url or settings.environment_base_url
    return OPENAI_ADDRESS if settings.api_key else OLLAMA_ADDRESS


async def served_models(address: str, *, api_key: str = "", seconds: float = _DETECTION_SECONDS) -> list[str]:
    """The chat models that an address serves; none when nobody answers in time."""
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    timeout = aiohttp.ClientTimeout(total=seconds)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, headers=headers) as session,
            session.get(f"{address.rstrip('/')}/models") as response,
        ):
            document = await response.json(content_type=None) if response.ok else {}
    except (TimeoutError, aiohttp.ClientError, ValueError):
        return []
    entries = document.get("data") if isinstance(document, dict) else None
    names = [entry.get("id") for entry in entries or () if isinstance(entry, dict)]
    return [
        name for name in names if isinstance(name, str) and not any(part in name.lower() for part in _NO_CHAT)
    ]


async def _found(settings: LLMSettings, *, ollama: str) -> Choice:
    """What runs on this machine."""
    served = await served_models(ollama)
    if served:
        endpoint = _endpoint(settings, address=ollama, model=settings.model or served[0])
        return _with_fallback(settings, client=OpenAIClient(endpoint), why=Why.SERVER, endpoint=endpoint)
    if not local_problem():
        return _with_fallback(settings, client=_local(replace(settings, model="")), why=Why.LOCAL)
    return Choice(client=RoteLLM(), why=Why.ROTE)


async def _remote(settings: LLMSettings, *, address: str, why: Why) -> Choice:
    model = settings.model or (_OPENAI_MODEL if address == OPENAI_ADDRESS else "")
    endpoint = _endpoint(settings, address=address, model=model)
    if not model:
        served = await served_models(address, api_key=settings.api_key, seconds=_LISTING_SECONDS)
        endpoint = replace(endpoint, model=served[0] if served else _ANY_MODEL)
    return _with_fallback(settings, client=OpenAIClient(endpoint), why=why, endpoint=endpoint)


def _endpoint(settings: LLMSettings, *, address: str, model: str) -> Endpoint:
    return Endpoint(
        base_url=address,
        model=model,
        api_key=settings.api_key,
        context_window=settings.context_window,
        timeout=settings.timeout,
    )


def _local(settings: LLMSettings) -> LocalLLM:
    return LocalLLM(model=settings.model, window=settings.context_window, timeout=settings.timeout)


def _with_fallback(
    settings: LLMSettings, *, client: LLMClient, why: Why, endpoint: Endpoint | None = None
) -> Choice:
    """The client, followed by the fallback; one that names no address is another model of the same place."""
    others = [
        replace(other, base_url=endpoint.base_url, api_key=other.api_key or endpoint.api_key)
        if endpoint and not other.base_url
        else other
        for other in settings.fallback
    ]
    clients = [client, *(OpenAIClient(other) for other in others if other.base_url)]
    together = client if len(clients) == 1 else FallbackLLM(clients)
    return Choice(client=together, why=why, endpoint=endpoint)
