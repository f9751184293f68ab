"""What makes vectors of texts: the port through which the index asks for them."""

from collections.abc import Sequence
from typing import Protocol

Vector = Sequence[float]
"""A text as a direction: texts of like meaning point alike. Its length says nothing."""


class Embedder(Protocol):
    """A model of meaning. Vectors of different models have nothing in common, so each says which it is."""

    @property
    def name(self) -> str:
        """Which model it is; an index remembers it, and makes its vectors anew for another one."""

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> Sequence[Vector]:
        """One vector for each of the texts, all of one size; `asked` says that they are questions, not answers.

        Raises EmbedderFailed when there is none.
        """

    async def close(self) -> None:
        """Let go of the model; the next text fetches it again."""
