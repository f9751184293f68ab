"""What must be known to choose and to reach a model; the configuration fills it in."""

from dataclasses import dataclass, field

UNKNOWN_WINDOW = 8192
"""Tokens; what is assumed of a model whose window nobody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A model behind an OpenAI-compatible address; `base_url` ends before `/chat/completions`.

    `context_window` is in tokens, 0 asks the server. `timeout` is in seconds without a piece of the
    answer, and a tenth of what a whole one may take.
    """

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    context_window: int = 0
    timeout: float = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMSettings:
    """The `[llm]` section, with the environment's own address beside it.

    `provider` is auto, openai, local or rote. `environment_base_url` is what OPENAI_BASE_URL says. `fallback` is
    asked in order when the model can't answer.
    For `local`, `model` may be the path of a GGUF file.
    """

    provider: str = "auto"
    base_url: str = ""
    model: str = ""
    api_key: str = field(default="", repr=False)
    context_window: int = 0
    timeout: float = 120.0
    fallback: tuple[Endpoint, ...] = ()
    environment_base_url: str = ""
