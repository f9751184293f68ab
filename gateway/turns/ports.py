"""What a turn needs of the rest of the house, and the numbers it goes by; wired in `app`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol
from zoneinfo import ZoneInfo

from channels.messages import InboundMessage, OutboundMessage
from gateway.journal.base import Job, Journal
from gateway.llm.client import LLMClient
from gateway.tools.recollection import Recollection
from gateway.tools.registry import ToolRegistry
from gateway.turns.live import Live
from memory.longterm.files import LongTermFiles
from memory.sessions.manager import SessionManager
from memory.sessions.session import Session


class Housekeeping(Protocol):
    """Decides after a turn whether background work is due; never blocks."""

    def after_turn(
        self, session: Session, *, used_tokens: int, input_tokens: int, overhead_tokens: int
    ) -> Sequence[Job]:
        """Jobs to enqueue in the transaction that answers the turn.

        `used_tokens` is the estimate of the last request and `overhead_tokens` what of it was no message, both
        before calibration; `input_tokens` is what a request may hold, 0 where none was made.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSettings:
    """The numbers of the configuration that a turn goes by."""

    max_output: int = 1024
    max_messages: int = 500
    recall_tokens: int = 800
    language: str = "auto"
    zone: Callable[[str | None], ZoneInfo] = lambda _person: ZoneInfo("UTC")
    """The time zone of a person (by name), or of everybody who has none of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPorts:
    """Everything that a turn may touch."""

    sessions: SessionManager
    journal: Journal
    llm: LLMClient
    tools: ToolRegistry
    files: LongTermFiles
    recall: Recollection
    settings: TurnSettings
    deliver: Callable[[Sequence[OutboundMessage]], None]
    split: Callable[[str, str], list[str]]
    """The parts that a channel (by name) sends a text in."""
    live: Callable[[OutboundMessage], Live]
    role: Callable[[InboundMessage], str]
    housekeeping: Housekeeping
    wake: Callable[[], None] = lambda: None
    """Told that jobs were put into the journal."""
