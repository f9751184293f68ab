"""The model that answers, from the configuration."""

from gateway.config import Settings
from gateway.llm.choose import Choice, choose
from gateway.llm.settings import Endpoint, LLMSettings


async def choose_model(settings: Settings) -> Choice:
    """The model that answers, with the configuration's secrets read."""
    return await choose(llm_settings(settings))


def llm_settings(settings: Settings) -> LLMSettings:
    """The `[llm]` section with its secrets read, and what the environment says beside it."""
    llm = settings.llm
    return LLMSettings(
        provider=llm.provider,
        base_url=llm.base_url,
        model=llm.model,
        api_key=llm.api_key.reveal_if_there() or "",
        context_window=llm.context_window or 0,
        timeout=llm.timeout,
        fallback=tuple(
            Endpoint(
                base_url=other.base_url,
                model=other.model,
                api_key=other.api_key.reveal_if_there() or "",
                timeout=llm.timeout,
            )
            for other in llm.fallback
        ),
        environment_base_url=settings.environ.get("OPENAI_BASE_URL", ""),
    )
