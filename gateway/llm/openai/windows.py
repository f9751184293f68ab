"""How large an endpoint's window is, asked in the ways in which servers tell it."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import orjson

from gateway.errors import LLMError
from gateway.llm.openai.connection import Connection, Refused

_PATIENCE = 3.0  # seconds for all questions together: a turn waits for the first of them
_NAMES = (
    "context_length",
    "max_model_len",
    "context_window",
    "max_context_length",
    "n_ctx",
    "loaded_context_length",
)
_NUM_CTX = re.compile(r"^num_ctx\s+(\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Tokens, and whether the server really runs with as many (a model may be able to do more than it is run with)."""

    tokens: int
    certain: bool = True


async def ask_window(connection: Connection, *, base_url: str, model: str) -> Window | None:
    """What the server says, the surest first, or None when it says nothing within seconds."""
    root = "{0.scheme}://{0.netloc}".format(urlsplit(base_url))
    try:
        async with asyncio.timeout(_PATIENCE):
            listed = listed_window(await _get(connection, "/models"), model=model)
            if listed and listed.certain:
                return listed
            props, running, shown = await asyncio.gather(
                _get(connection, f"{root}/props"),
                _get(connection, f"{root}/api/ps"),
                _ask(connection, f"{root}/api/show", {"model": model}),
            )
    except TimeoutError:
        return None
    return llama_window(props) or running_window(running, model=model) or shown_window(shown) or listed


def listed_window(document: Mapping[str, Any], *, model: str) -> Window | None:
    """The window that the list of models names for this model, or for the only one in the list."""
    data = document.get("data")
    entries = [entry for entry in data if isinstance(entry, dict)] if isinstance(data, list) else []
    named = [entry for entry in entries if entry.get("id") == model] or (entries if len(entries) == 1 else [])
    for entry in named:
        tokens = next((entry[name] for name in _NAMES if _is_size(entry.get(name))), 0)
        if tokens:
            return Window(tokens=tokens)
        meta = entry.get("meta")
        if isinstance(meta, dict) and _is_size(meta.get("n_ctx_train")):
            return Window(tokens=meta["n_ctx_train"], certain=False)
    return None


def llama_window(document: Mapping[str, Any]) -> Window | None:
    """The window that llama.cpp's server runs with."""
    generation = document.get("default_generation_settings")
    tokens = generation.get("n_ctx") if isinstance(generation, dict) else document.get("n_ctx")
    return Window(tokens=tokens) if isinstance(tokens, int) and _is_size(tokens) else None


def running_window(document: Mapping[str, Any], *, model: str) -> Window | None:
    """The window that Ollama runs the loaded model with."""
    entries = document.get("models")
    for entry in entries if isinstance(entries, list) else []:
        if (
            isinstance(entry, dict)
            and _same_model(entry.get("name"), model)
            and _is_size(entry.get("context_length"))
        ):
            return Window(tokens=entry["context_length"])
    return None


def shown_window(document: Mapping[str, Any]) -> Window | None:
    """The window that Ollama's model file sets, else what the model could do."""
    parameters = document.get("parameters")
    fixed = _NUM_CTX.search(parameters) if isinstance(parameters, str) else None
    if fixed:
        return Window(tokens=int(fixed[1]))
    info = document.get("model_info")
    for name, value in info.items() if isinstance(info, dict) else ():
        if name.endswith(".context_length") and _is_size(value):
            return Window(tokens=value, certain=False)
    return None


def _is_size(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _same_model(name: object, model: str) -> bool:
    return isinstance(name, str) and name.removesuffix(":latest") == model.removesuffix(":latest")


async def _get(connection: Connection, address: str) -> dict[str, Any]:
    try:
        return await connection.get(address)
    except (LLMError, Refused):
        return {}


async def _ask(connection: Connection, address: str, question: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return await connection.ask(address, body=orjson.dumps(question))
    except (LLMError, Refused):
        return {}
