"""Vectors from an OpenAI-compatible endpoint: asks, checks what comes back, and says in one line why there is nothing."""

import math
import re
from array import array
from collections.abc import Sequence
from typing import Any, Final

import orjson

from gateway.errors import LLMError
from gateway.llm.openai.connection import Connection, Refused, place_of
from gateway.llm.openai.faults import fault
from gateway.llm.settings import Endpoint
from memory.archive.embedder import Vector
from memory.errors import EmbedderFailed

_PREFIXES: Final = (
    (re.compile(r"(?<![a-z0-9])e5(?![a-z0-9])", re.IGNORECASE), "query: ", "passage: "),
    (re.compile(r"nomic-embed-text", re.IGNORECASE), "search_query: ", "search_document: "),
)
"""What families of models were taught to read before a question and before an answer; servers don't add it."""


class EndpointEmbedder:
    """The model of an endpoint, which `endpoint` names. Owns its connections; imports the SDK at first use."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.name = endpoint.model
        self._place = f"{endpoint.model} at {place_of(endpoint.base_url)}"
        self._connection = Connection(endpoint, name=self._place)

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> Sequence[Vector]:
        """See `Embedder`. One request, whatever the number of texts."""
        if not texts:
            return []
        prefix = _prefix(self.name, asked=asked)
        question = {
            "model": self.name,
            "input": [prefix + text for text in texts],
            "encoding_format": "float",
        }
        try:
            answer = await self._connection.ask("/embeddings", body=_encoded(question))
        except LLMError as error:
            raise EmbedderFailed(str(error)) from error
        except Refused as refused:
            said = fault(refused.refusal, name=self._place, model=self.name, setting="memory.embeddings")
            raise EmbedderFailed(str(said)) from refused
        vectors = _vectors(answer, count=len(texts))
        if vectors is None:
            raise EmbedderFailed(f"{self._place} answered without the vectors that it was asked for")
        return vectors

    async def close(self) -> None:
        """Close every connection."""
        await self._connection.close()


def _prefix(model: str, *, asked: bool) -> str:
    for family, question, answer in _PREFIXES:
        if family.search(model):
            return question if asked else answer
    return ""


def _encoded(question: dict[str, Any]) -> bytes:
    """As JSON; what was said may hold lone surrogates, which no JSON does."""
    question["input"] = [text.encode("utf-8", "replace").decode() for text in question["input"]]
    return orjson.dumps(question)


def _vectors(answer: dict[str, Any], *, count: int) -> list[Vector] | None:
    """The vectors in the order of the texts; None where one is missing, is no direction, or is of another size."""
    entries = answer.get("data")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        return None
    found: dict[int, Vector] = {}
    for place, entry in enumerate(entries):
        numbers = entry.get("embedding")
        if not isinstance(numbers, list) or not all(map(_is_finite, numbers)) or not any(numbers):
            return None
        found[entry.get("index", place)] = array("f", numbers)
    sizes = {len(vector) for vector in found.values()}
    if found.keys() != {*range(count)} or len(sizes) != 1:
        return None
    return [found[place] for place in range(count)]


def _is_finite(number: object) -> bool:
    return isinstance(number, int | float) and math.isfinite(number)
