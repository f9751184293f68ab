"""What must be known to choose and to reach a model; the configuration fills it in."""

from dataclasses import dataclass, field

UNKNOWN_WINDOW = 8192
"""Tokens; what is assumed of a model whose window nobody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A model behind an OpenAI-compatible address; `base_url` ends before `/chat/completions`.

    `context_window` is in tokens, 0 asks the server. `timeout` is in seconds without a byte. `reasoning` says
    whether the provider wants its reasoning text back beside calls; None learns it from its refusals.
    """

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    context_window: int = 0
    timeout: float = 120.0
    reasoning: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMSettings:
    """The `[llm]` section, with the environment's own key and address beside it.

    `provider` is auto, openai, local or rote. `environment_key` and `environment_base_url` are what
    OPENAI_API_KEY and OPENAI_BASE_URL say. `fallback` is asked in order when the model can't answer.
    For `local`, `model` may be the path of a GGUF file.
    """

    provider: str = "auto"
    base_url: str = ""
    model: str = ""
    api_key: str = field(default="", repr=False)
    context_window: int = 0
    max_output: int = 1024
    timeout: float = 120.0
    reasoning: bool | None = None
    fallback: tuple[Endpoint, ...] = ()
    environment_key: str = field(default="", repr=False)
    environment_base_url: str = ""
