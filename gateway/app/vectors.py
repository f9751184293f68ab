"""What makes vectors for the search, from the configuration: nothing, a model of the endpoint, or one in this process."""

import structlog

from gateway.app.model import llm_settings
from gateway.config import Settings
from gateway.errors import ConfigError
from gateway.llm.choose import address_of
from gateway.llm.local_embedder import LocalEmbedder, vectors_problem
from gateway.llm.openai.embedder import EndpointEmbedder
from gateway.llm.settings import Endpoint
from memory.archive.embedder import Embedder

log = structlog.get_logger(__name__)

_LOCAL = "local"
_SECONDS = 30.0
"""For a few sentences; who needs longer would need days for a history."""


def embedder_for(settings: Settings) -> Embedder | None:
    """Nothing is loaded, imported or asked yet."""
    model = settings.memory.embeddings
    if not model:
        return None
    if model == _LOCAL:
        return LocalEmbedder()
    llm = llm_settings(settings)
    return EndpointEmbedder(
        Endpoint(base_url=address_of(llm), model=model, api_key=llm.api_key, timeout=_SECONDS)
    )


def require_embedder(settings: Settings) -> None:
    """ConfigError when vectors are to be made here and what makes them is not installed."""
    if settings.memory.embeddings == _LOCAL and (problem := vectors_problem()):
        raise ConfigError([f"memory.embeddings = local, but {problem}"])


def report_failure(problem: str) -> None:
    """Said once, until vectors come again: the search goes on by words alone."""
    log.warning("embedder_failed", error=problem)
