"""A model of meaning that follows rules: the fake that ships, for tests, demonstrations and rehearsals."""

import asyncio
import re
import zlib
from collections.abc import Mapping, Sequence
from typing import Final

from memory.archive.embedder import Vector
from memory.errors import EmbedderFailed

_SIZE: Final = 64
_WORD = re.compile(r"\w+")


class ScriptedEmbedder:
    """Texts are alike that share words; `meanings` says of words which other one they stand for.

    `texts` records what was embedded. It fails with `problem` while that is set, refuses requests with a text that
    holds the word in `refuses`, and answers only when `open` is set.
    """

    def __init__(
        self, *, name: str = "scripted", meanings: Mapping[str, str] | None = None, size: int = _SIZE
    ) -> None:
        self.name = name
        self.texts: list[str] = []
        self.problem = ""
        self.refuses = ""
        self.size = size
        self.open = asyncio.Event()
        self.open.set()
        self._meanings = meanings or {}

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> Sequence[Vector]:
        """See `Embedder`."""
        await self.open.wait()
        if self.problem:
            raise EmbedderFailed(self.problem)
        if self.refuses and any(self.refuses in text for text in texts):
            raise EmbedderFailed(f"{self.name} takes nothing with {self.refuses}")
        self.texts += texts
        return [self._vector(text) for text in texts]

    async def close(self) -> None:
        """Nothing is held."""

    def _vector(self, text: str) -> Vector:
        vector = [0.1] * self.size
        for word in _WORD.findall(text.lower()):
            meaning = self._meanings.get(word, word)
            vector[zlib.crc32(meaning.encode()) % self.size] += 1.0
        return vector
