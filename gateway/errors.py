"""Every error of the house in one drawing; this module defines the third root.

The leaves of the house don't import the roof, so there are three roots::

    ChannelError                StoreError               GatewayError
    ├─ DeliveryFailed  (later)  ├─ StoreUnavailable      ├─ ConfigError
    ├─ DeliveryRejected (never) ├─ StoreCorrupt          ├─ LLMError
    ├─ ChannelRefused  (token)  ├─ SummarizerFailed      │  ├─ LLMUnavailable  (later; retry_after)
    └─ NotAccepted     (later)  └─ EmbedderFailed        │  └─ LLMRejected     (never)
                                                         │     ├─ ContextOverflow
                                                         │     └─ DailyBudgetSpent
                                                         └─ ToolError          (the model reads it)
"""

from collections.abc import Sequence


class GatewayError(Exception):
    """Something failed in the daemon itself."""


class ConfigError(GatewayError):
    """The configuration can't be used; `problems` lists every fault at once."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class LLMError(GatewayError):
    """The model gave no answer."""


class LLMUnavailable(LLMError):
    """The model may answer later; `retry_after` (seconds) is what the endpoint named, if it did."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class LLMRejected(LLMError):
    """The endpoint refuses this request and will refuse it again: key, model name or content."""


class ContextOverflow(LLMRejected):
    """The request was too long; `window` is the limit in tokens that the endpoint named, if it did."""

    def __init__(self, message: str, *, window: int | None = None) -> None:
        super().__init__(message)
        self.window = window


class DailyBudgetSpent(LLMRejected):
    """Nothing was asked: a person or a chat has used its tokens for today."""


class ToolError(GatewayError):
    """A tool could not do it; the text is for the model to read and act on."""
