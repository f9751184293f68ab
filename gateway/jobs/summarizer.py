"""A language model as summariser: numbered messages in, proposed claims out, and a clear failure for anything else."""

import asyncio
from collections.abc import Sequence

from gateway.errors import LLMError
from gateway.jobs.documents import ASK_SECONDS, DocumentModel, Question
from gateway.jobs.summary_prompt import (
    PREVIOUS_SHARE,
    SCHEMA,
    SYSTEM,
    chunk_text,
)
from gateway.llm.client import LLMClient
from memory import tokens
from memory.claims.checks import Rejection
from memory.claims.proposal import proposed_from_json
from memory.consolidation import Chunk, Proposal
from memory.errors import SummarizerFailed
from memory.view.budget import Budget

MAX_OUTPUT = 2_048
"""Tokens of an answer: about thirty claims with their quotes."""

MOST_ROOM = 6_000
"""Tokens of messages that are read at once: from more than that, so many claims would lose too much."""

LEAST_ROOM = 128
"""In a window where not even this is left, the request is refused and the extract takes over."""


class LLMSummarizer:
    """Asks a model for claims; `model` is another model of the same endpoint, "" the configured one."""

    def __init__(self, llm: LLMClient, *, model: str = "", seconds: float = ASK_SECONDS) -> None:
        self._model = DocumentModel(llm, model=model, seconds=seconds)

    async def room(self, audience: str) -> int:
        """What is left of the window beside the instruction, what is remembered already, and the answer."""
        budget = await self._budget(audience)
        available = int(budget.input_tokens / self._model.factor(audience))
        fixed = tokens.count(SYSTEM) + 2 * (budget.input_tokens // PREVIOUS_SHARE)
        return min(MOST_ROOM, max(LEAST_ROOM, available - fixed))

    async def propose(self, chunk: Chunk, *, rejected: Sequence[Rejection] = ()) -> Proposal:
        """One request. SummarizerFailed for no answer, half of one, or one without a claim that can be read."""
        question = await self._question(chunk, rejected)
        try:
            document = await self._model.ask(question, audience=chunk.audience)
        except LLMError as error:
            raise SummarizerFailed(f"the model failed: {type(error).__name__}") from error
        claims, problems = proposed_from_json(document)
        if problems and not claims:
            raise SummarizerFailed("its answer holds no claim that can be read")
        return Proposal(claims=claims, problems=problems)

    async def _question(self, chunk: Chunk, rejected: Sequence[Rejection]) -> Question:
        budget = await self._budget(chunk.audience)
        share = budget.input_tokens // PREVIOUS_SHARE
        return Question(
            session=chunk.session,
            system=SYSTEM,
            text=await asyncio.to_thread(chunk_text, chunk, rejected=rejected, share_tokens=share),
            schema=SCHEMA,
            max_output=budget.output_reserve,
        )

    async def _budget(self, audience: str) -> Budget:
        return await self._model.budget(audience, max_output=MAX_OUTPUT)
