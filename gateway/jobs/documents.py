"""A language model that is asked for one JSON document: within its window, by schema where it takes one, mended where it must be."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import json_repair

from gateway.errors import ContextOverflow, LLMRejected
from gateway.llm.client import Completion, Finish, LLMClient, Prompt
from memory import tokens
from memory.errors import SummarizerFailed
from memory.messages import UserMessage
from memory.sessions.session import Calibration
from memory.view.budget import Budget

ASK_SECONDS = 300.0
"""A model that takes longer hangs, or writes without end."""

MAX_ANSWER_CHARS = 64_000
"""No bounded number of bounded items is longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked: `text` is material, `system` says what to make of it, in the shape of `schema`."""

    session: str
    system: str
    text: str
    schema: Mapping[str, Any]
    max_output: int


class DocumentModel:
    """Asks for documents. `model` is another model of the same endpoint; "" the configured one.

    What it learns of counts and windows it learns per audience (P13); whether a model takes a schema is a fact about
    the endpoint.
    """

    def __init__(self, llm: LLMClient, *, model: str = "", seconds: float = ASK_SECONDS) -> None:
        self._llm = llm
        self._model = model
        self._seconds = seconds
        self._takes_schema = True
        self._calibrations: defaultdict[str, Calibration] = defaultdict(Calibration)

    async def budget(self, audience: str, *, max_output: int) -> Budget:
        """The window that is believed in, shared between question and answer; before calibration."""
        cap = self._calibrations[audience].window_cap
        return Budget(window=await self._llm.window(), max_output=max_output, window_cap=cap)

    def factor(self, audience: str) -> float:
        """What an estimate is to be multiplied by."""
        return self._calibrations[audience].factor

    async def ask(self, question: Question, *, audience: str) -> object:
        """One request, and the JSON of its answer.

        Raises SummarizerFailed for no answer in time, half of one or one that is no JSON, and what the model raises.
        """
        prompt = await self._prompt(question)
        try:
            async with asyncio.timeout(self._seconds):
                completion = await self._completed(prompt)
        except TimeoutError as error:
            raise SummarizerFailed(f"no answer within {self._seconds:g} seconds") from error
        except ContextOverflow as error:
            self._calibrations[audience].shrink(
                window=await self._llm.window(), estimated=prompt.estimated_tokens, limit=error.window
            )
            raise
        self._learn(audience, prompt, completion)
        return await asyncio.to_thread(answered, completion)

    async def _prompt(self, question: Question) -> Prompt:
        count = await tokens.count_async(question.text)
        now = datetime.now(UTC)
        return Prompt(
            session=question.session,
            system=question.system,
            messages=[UserMessage(content=question.text, at=now, tokens=count + tokens.MESSAGE_TOKENS)],
            newest=question.text,
            max_output=question.max_output,
            estimated_tokens=count + tokens.count(question.system) + 2 * tokens.MESSAGE_TOKENS,
            schema=question.schema if self._takes_schema else None,
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

    def _learn(self, audience: str, prompt: Prompt, completion: Completion) -> None:
        """Learn from the provider's count; SummarizerFailed where it shows that a part was cut off and never read."""
        reported = completion.usage.prompt_tokens
        if self._calibrations[audience].learn(estimated=prompt.estimated_tokens, reported=reported):
            raise SummarizerFailed("it read a part of the request alone")


def answered(completion: Completion) -> object:
    """The JSON of an answer, mended where it is not quite JSON; SummarizerFailed where there is none."""
    if completion.finish is Finish.LENGTH:
        raise SummarizerFailed("its answer was cut off at the output limit")
    if completion.tool_calls or completion.finish is Finish.FILTER:
        raise SummarizerFailed("it answered with something else than was asked for")
    text = completion.text.rpartition("</think>")[2]
    start = text.find("{")
    if start < 0:
        raise SummarizerFailed("its answer is no JSON")
    if len(text) > MAX_ANSWER_CHARS:
        raise SummarizerFailed("its answer is longer than any that could be right")
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
