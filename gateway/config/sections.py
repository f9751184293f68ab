"""The sections that say how the gateway itself runs, thinks and remembers."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from channels.messages import Scope
from gateway.config.cadence import Cadence, parse_cadence
from gateway.config.secret import Secret
from gateway.config.section import Section
from gateway.config.values import (
    Address,
    Amount,
    AutoCount,
    AutoFlag,
    Count,
    Directory,
    Duration,
    Language,
    Price,
    Wait,
    WebUrl,
    Zone,
    refuse,
    split_address,
)

LOWEST_TRIGGER = 0.1
HIGHEST_TRIGGER = 0.95
"""Below, every message would consolidate; above, an answer would not fit beside the prompt."""


class Gateway(Section):
    """The daemon itself."""

    state: Directory = Field(default="~/.mneme", description="everything that Mneme keeps")  # type: ignore[assignment] # validated into a Path
    language: Language = Field(default="auto", description="of our own sentences: auto | en | zh …")
    timezone: Zone = Field(default="auto", description="of people who have none of their own")
    http: Address = Field(
        default="127.0.0.1:8760", description='health, metrics, web chat, API; "" turns it off'
    )
    max_turns: Count = Field(default=256, description="turns at once, over all sessions")
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    drain_seconds: Wait = 20

    @property
    def address(self) -> tuple[str, int] | None:
        """Host and port of `http`, or None when it is off."""
        return split_address(self.http)


class Endpoint(Section):
    """A model to fall back on; what is empty is taken from `llm`."""

    base_url: WebUrl = ""
    model: str = Field(min_length=1)
    api_key: Secret = Secret()


def _endpoints(value: object) -> object:
    if not isinstance(value, list | tuple):
        return value
    return tuple({"model": entry} if isinstance(entry, str) else entry for entry in value)


OPENAI_KEY = "env:OPENAI_API_KEY"


def may_be_missing(path: str, secret: Secret) -> bool:
    """Whether it is no fault that nothing stands behind it: many endpoints want no key, and the standard one is tried."""
    return path == "llm.api_key" and secret == Secret(OPENAI_KEY)


class Llm(Section):
    """The model."""

    provider: Literal["auto", "openai", "local", "rote"] = Field(
        default="auto", description="auto | openai | local | rote"
    )
    base_url: WebUrl = Field(
        default="", description="any OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1"
    )
    model: str = ""
    api_key: Secret = Field(default=OPENAI_KEY)  # type: ignore[assignment] # validated into a Secret
    context_window: AutoCount = Field(
        default=None, description="tokens; auto: what the server says, else 8192; doctor prints it"
    )
    max_output: Count = 1024
    timeout: Duration = Field(default=120, description="seconds without a byte")
    vision: AutoFlag = Field(default=None, description="auto | true | false: may pictures be sent")
    fallback: Annotated[tuple[Endpoint, ...], BeforeValidator(_endpoints)] = Field(
        default=(), description='other models: ["name"], or tables with base_url, model, api_key'
    )
    price_in: Price = Field(default=0.0, description="per million tokens, for status and metrics")
    price_out: Price = 0.0


Busy = Literal["collect", "queue", "steer", "interrupt"]


class Sessions(Section):
    """What is remembered of a chat."""

    store: Literal["sqlite", "jsonl"] = Field(default="sqlite", description="sqlite | jsonl")
    scope: Annotated[Scope, Field(strict=False)] = Field(
        default=Scope.THREAD, description="thread | chat | user: what makes a session within a channel"
    )
    max_messages: Count = Field(default=500, description="cap of the view")
    busy: Busy = Field(
        default="collect",
        description="what comes during a turn is one next turn; queue: a turn each; steer: joins it; interrupt: ends it",
    )


def _cadence(value: str) -> str:
    if parse_cadence(value) is None:
        raise refuse('a cron expression such as "0 4 * * *", "every 2h", or "off"')
    return value


class Memory(Section):
    """When memory is written, and how much of it is read."""

    trigger: Annotated[float, Field(ge=LOWEST_TRIGGER, le=HIGHEST_TRIGGER)] = Field(
        default=0.75, description="of the input budget (window less output reserve)"
    )
    target: Annotated[float, Field(gt=0)] = Field(default=0.5, description="of the input budget")
    rounds: Count = 5
    keep_recent: Amount = Field(default=8, description="messages that idle compaction leaves in view")
    idle_compact_minutes: Wait = Field(default=15, description="0 turns it off")
    dream: Annotated[str, AfterValidator(_cadence)] = Field(
        default="every 2h", description='cron expression, "every …", or "off"'
    )
    recall_tokens: Amount = Field(default=800, description="0 turns automatic recall off")
    summarizer: str = Field(default="", description="another model for consolidation and Dream")
    embeddings: str = Field(
        default="", description='a model of the endpoint for vectors; "local" = extra `vectors`; "" = none'
    )

    @model_validator(mode="after")
    def _target_is_below_trigger(self) -> Self:
        if self.target >= self.trigger:
            raise refuse(f"less than memory.trigger ({self.trigger})", key="target")
        return self

    @property
    def dream_cadence(self) -> Cadence:
        """`dream`, parsed."""
        return parse_cadence(self.dream) or Cadence()


class Voice(Section):
    """Voice notes."""

    model: str = Field(
        default="", description='a transcription model of the endpoint; "" = voice notes stay attachments'
    )


class Budgets(Section):
    """Ceilings on what the model may cost."""

    person_tokens_per_day: Amount = Field(default=0, description="0 = no limit")
    chat_tokens_per_day: Amount = 0
    job_tokens: Amount = 200000


class Subagents(Section):
    """Jobs that run a loop of their own."""

    max_running: Count = 4
    max_per_session: Count = 2
    timeout_minutes: Duration = 30
