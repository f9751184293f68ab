"""A language model as summariser: numbered messages in, proposed claims out, and a clear failure for anything else."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import json_repair

from gateway.errors import ContextOverflow, LLMError, LLMRejected
from gateway.jobs.summary_prompt import (
    PREVIOUS_SHARE,
    SCHEMA,
    SYSTEM,
    chunk_text,
)
from gateway.llm.client import Completion, Finish, LLMClient, Prompt
from memory import tokens
from memory.claims.checks import Rejection
from memory.claims.proposal import proposed_from_json
from memory.consolidation import Chunk, Proposal
from memory.errors import SummarizerFailed
from memory.messages import UserMessage
from memory.sessions.session import Calibration
from memory.view.budget import Budget
from memory.view.calibration import after_overflow, learn, notice_silent_cut

MAX_OUTPUT = 2_048
"""Tokens of an answer: about thirty claims with their quotes."""

MOST_ROOM = 6_000
"""Tokens of messages that are read at once: from more than that, so many claims would lose too much."""

LEAST_ROOM = 128
"""In a window where not even this is left, the request is refused and the extract takes over."""

ASK_SECONDS = 300.0
"""A model that takes longer hangs, or writes without end."""

MAX_ANSWER_CHARS = 64_000
"""No bounded number of bounded claims is longer."""


class LLMSummarizer:
    """Asks a model for claims as JSON, by schema where it takes one, plainly where it refused one.

    `model` is another model of the same endpoint; "" the configured one. What it learns of counts and windows it
    learns per audience (P13); whether a model takes a schema is a fact about the endpoint.
    """

    def __init__(self, llm: LLMClient, *, model: str = "", seconds: float = ASK_SECONDS) -> None:
        self._llm = llm
        self._model = model
        self._seconds = seconds
        self._takes_schema = True
        self._calibrations: defaultdict[str, Calibration] = defaultdict(Calibration)

    async def room(self, audience: str) -> int:
        """What is left of the window beside the instruction, what is remembered already, and the answer."""
        budget, calibration = await self._budget(audience), self._calibrations[audience]
        available = int(budget.input_tokens / calibration.factor)
        fixed = tokens.count(SYSTEM) + 2 * (budget.input_tokens // PREVIOUS_SHARE)
        return min(MOST_ROOM, max(LEAST_ROOM, available - fixed))

    async def propose(self, chunk: Chunk, *, rejected: Sequence[Rejection] = ()) -> Proposal:
        """One request. SummarizerFailed for no answer, half of one, or one without a claim that can be read."""
        prompt = await self._prompt(chunk, rejected)
        try:
            async with asyncio.timeout(self._seconds):
                completion = await self._completed(prompt)
        except TimeoutError as error:
            raise SummarizerFailed(f"no answer within {self._seconds:g} seconds") from error
        except LLMError as error:
            if isinstance(error, ContextOverflow):
                await self._overflowed(chunk.audience, prompt, error)
            raise SummarizerFailed(f"the model failed: {type(error).__name__}") from error
        self._learn(chunk.audience, prompt, completion)
        document = await asyncio.to_thread(answered, completion)
        claims, problems = proposed_from_json(document)
        if problems and not claims:
            raise SummarizerFailed("its answer holds no claim that can be read")
        return Proposal(claims=claims, problems=problems)

    async def _prompt(self, chunk: Chunk, rejected: Sequence[Rejection]) -> Prompt:
        share = (await self._budget(chunk.audience)).input_tokens // PREVIOUS_SHARE
        text = await asyncio.to_thread(chunk_text, chunk, rejected=rejected, share_tokens=share)
        count = await tokens.count_async(text)
        now = datetime.now(UTC)
        return Prompt(
            session=chunk.session,
            system=SYSTEM,
            messages=[UserMessage(content=text, at=now, tokens=count + tokens.MESSAGE_TOKENS)],
            newest=text,
            max_output=(await self._budget(chunk.audience)).output_reserve,
            estimated_tokens=count + tokens.count(SYSTEM) + 2 * tokens.MESSAGE_TOKENS,
            schema=SCHEMA if self._takes_schema else None,
            now=now,
            model=self._model,
        )

    async def _completed(self, prompt: Prompt) -> Completion:
        """The answer; without the schema where the model refuses one, from then on."""
        try:
            return await self._llm.complete(prompt)
        except ContextOverflow:
            raise
        except LLMRejected:
            if prompt.schema is None:
                raise
            completion = await self._llm.complete(replace(prompt, schema=None))
            self._takes_schema = False
            return completion

    async def _budget(self, audience: str) -> Budget:
        cap = self._calibrations[audience].window_cap
        return Budget(window=await self._llm.window(), max_output=MAX_OUTPUT, window_cap=cap)

    async def _overflowed(self, audience: str, prompt: Prompt, error: ContextOverflow) -> None:
        calibration = self._calibrations[audience]
        calibration.window_cap = after_overflow(
            calibration.window_cap,
            window=await self._llm.window(),
            sent=int(prompt.estimated_tokens * calibration.factor),
            limit=error.window or 0,
        )

    def _learn(self, audience: str, prompt: Prompt, completion: Completion) -> None:
        """Learn from the provider's count; SummarizerFailed where it shows that a part was cut off and never read."""
        calibration = self._calibrations[audience]
        counts = {"estimated": prompt.estimated_tokens, "reported": completion.usage.prompt_tokens}
        cap = notice_silent_cut(calibration.window_cap, factor=calibration.factor, **counts)
        if cap != calibration.window_cap:
            calibration.window_cap = cap
            raise SummarizerFailed("it read a part of the request alone")
        calibration.factor = learn(calibration.factor, **counts)


def answered(completion: Completion) -> object:
    """The JSON of an answer, mended where it is not quite JSON; SummarizerFailed where there is none."""
    if completion.finish is Finish.LENGTH:
        raise SummarizerFailed("its answer was cut off at the output limit")
    if completion.tool_calls or completion.finish is Finish.FILTER:
        raise SummarizerFailed("it answered with something else than claims")
    text = completion.text.rpartition("</think>")[2]
    start = text.find("{")
    if start < 0:
        raise SummarizerFailed("its answer is no JSON")
    if len(text) > MAX_ANSWER_CHARS:
        raise SummarizerFailed("its answer is longer than any summary")
    return _document(text[start:])


def _document(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        pass
    except RecursionError as error:
        raise SummarizerFailed("its answer is nested without end") from error
    try:
        mended: Any = json_repair.loads(text)
    except (ValueError, RecursionError) as error:
        raise SummarizerFailed("its answer is no JSON") from error
    if isinstance(mended, list):  # something stood behind the object
        return next((each for each in mended if isinstance(each, Mapping)), None)
    return mended
