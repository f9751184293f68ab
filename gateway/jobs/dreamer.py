"""A language model as the one who dreams: verified claims and the files in, proposed edits out."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from gateway.errors import LLMError, LLMUnavailable
from gateway.jobs.documents import DocumentModel, Question
from gateway.jobs.dream_prompt import SCHEMA, SYSTEM, believable, request_text
from memory.archive.entry import Entry
from memory.archive.record import History
from memory.errors import SummarizerFailed
from memory.longterm.dream import Dream, DreamReport
from memory.longterm.notebook import Notebook
from memory.longterm.progress import Progress
from memory.sessions.locks import KeyedLocks


class LLMDreamer:
    """The `Dreamer` of one audience. Where no claim is left to be noted, no model is asked."""

    def __init__(self, model: DocumentModel, *, audience: str) -> None:
        self._model = model
        self._audience = audience

    async def propose(self, entries: Sequence[Entry], *, files: Mapping[str, str], max_tokens: int) -> object:
        """See `Dreamer`. Raises LLMUnavailable too: a model that can't be reached has not failed at these entries."""
        claims = believable(entries)
        if not claims:
            return {"edits": []}
        question = Question(
            session=f"dream:{self._audience}",
            system=SYSTEM,
            text=await asyncio.to_thread(request_text, claims, files=files),
            schema=SCHEMA,
            max_output=max_tokens,
        )
        try:
            return await self._model.ask(question, audience=self._audience)
        except LLMUnavailable:
            raise
        except LLMError as error:
            raise SummarizerFailed(f"the model failed: {type(error).__name__}") from error


class Dreams:
    """Dream over any audience, one run for each at a time: by the clock, by a person, by the operator."""

    def __init__(self, state: Path, *, history: History, notebook: Notebook, model: DocumentModel) -> None:
        self._state = state
        self._history = history
        self._notebook = notebook
        self._model = model
        self._locks = KeyedLocks()

    async def cursor(self, audience: str) -> int:
        """The last entry of the archive that is done with."""
        return await Progress(self._state, audience=audience).cursor()

    async def oldest_news(self, audience: str) -> Entry | None:
        """The first entry that is not done with; None where there is nothing to do."""
        news = await self._history.entries(audience, after=await self.cursor(audience), limit=1)
        return news[0] if news else None

    async def run(self, audience: str, *, dry_run: bool = False, retry: bool = False) -> DreamReport:
        """See `Dream.run`. Raises LLMUnavailable too, which counts as no attempt: an outage is no entry's fault."""
        async with self._locks.hold(audience):
            dream = Dream(
                self._state,
                history=self._history,
                notebook=self._notebook,
                dreamer=LLMDreamer(self._model, audience=audience),
            )
            window = await self._window(audience)
            try:
                return await dream.run(audience, window_tokens=window, dry_run=dry_run, retry=retry)
            except LLMUnavailable:
                if not dry_run:
                    await dream.spare(audience)
                raise

    async def _window(self, audience: str) -> int:
        """The window in tokens as we count them."""
        budget = await self._model.budget(audience, max_output=0)
        return int(budget.believed_window / self._model.factor(audience))
