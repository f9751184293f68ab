"""Dream for the operator: with the model that answers, here or in the daemon."""

from gateway.app.model import choose_model
from gateway.config import Settings
from gateway.errors import LLMError
from gateway.jobs.documents import DocumentModel
from gateway.jobs.dreamer import Dreams
from gateway.llm.client import LLMClient
from gateway.llm.rote import RoteLLM
from gateway.operations.operation import Dream, OperationFailed
from memory.archive.record import History
from memory.longterm.dream import DreamReport
from memory.longterm.notebook import Notebook


def dreams_of(settings: Settings, llm: LLMClient, *, history: History, notebook: Notebook) -> Dreams | None:
    """Dream with this model, or the one that `memory.summarizer` names; None for rote, which is no language model."""
    if isinstance(llm, RoteLLM):
        return None
    model = DocumentModel(llm, model=settings.memory.summarizer)
    return Dreams(settings.gateway.state, history=history, notebook=notebook, model=model)


def running_dream(dreams: Dreams | None) -> Dream:
    """With a gateway's own: one run at a time for each audience, whoever asks."""

    async def dream(audience: str, *, dry_run: bool, retry: bool) -> DreamReport:
        if dreams is None:
            raise OperationFailed("Dream needs a language model, and none is configured; see mneme doctor")
        try:
            return await dreams.run(audience, dry_run=dry_run, retry=retry)
        except LLMError as error:
            raise OperationFailed(f"the model can't be reached: {error}") from error

    return dream


def dream_once(settings: Settings, *, history: History, notebook: Notebook) -> Dream:
    """With a model that is chosen when it is needed, and let go of afterwards."""

    async def dream(audience: str, *, dry_run: bool, retry: bool) -> DreamReport:
        choice = await choose_model(settings)
        try:
            dreams = dreams_of(settings, choice.client, history=history, notebook=notebook)
            return await running_dream(dreams)(audience, dry_run=dry_run, retry=retry)
        finally:
            await choice.client.close()

    return dream
