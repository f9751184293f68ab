"""What is counted and timed; here the words alone, so that a terminal chat pays for none of it."""

from typing import Literal, Protocol

Part = Literal["accept", "wait", "compact", "recall", "model", "tools", "save", "respond", "deliver"]
"""The parts of a reply's way whose time is taken."""
Direction = Literal["prompt", "completion"]
Outcome = Literal["answered", "failed", "stopped", "repeated"]


class Metrics(Protocol):
    """Every method is cheap and never raises; times in seconds."""

    def turn(self, outcome: Outcome, *, seconds: float) -> None:
        """A turn ended; `seconds` from the acceptance of its newest message to its reply in the outbox."""

    def latency(self, part: Part, *, seconds: float) -> None:
        """One part of a reply's way took so long."""

    def tokens(self, direction: Direction, *, count: int) -> None:
        """As the provider counted them."""

    def repaired(self, kind: str, *, count: int = 1) -> None:
        """A request had to be repaired to be legal."""

    def queue(self, name: str, *, length: int) -> None:
        """How much waits now: in the inbox, the outbox, the jobs, the index."""

    def fsync(self, *, seconds: float) -> None:
        """A durable write took so long."""

    def loop_lag(self, *, seconds: float) -> None:
        """The event loop came so late."""

    def delivery(self, channel: str, *, outcome: Literal["sent", "retried", "dead"]) -> None:
        """A part of a reply was sent, put off or given up."""

    def dead_letters(self, *, count: int) -> None:
        """How many parts wait for the operator."""

    def job(self, kind: str, *, outcome: str) -> None:
        """A job ended or was put off."""

    def claims(self, *, kept: int = 0, rejected: int = 0) -> None:
        """What the checks made of a summary's claims."""


class NoMetrics:
    """Counts nothing."""

    def turn(self, outcome: Outcome, *, seconds: float) -> None:
        """Nothing."""

    def latency(self, part: Part, *, seconds: float) -> None:
        """Nothing."""

    def tokens(self, direction: Direction, *, count: int) -> None:
        """Nothing."""

    def repaired(self, kind: str, *, count: int = 1) -> None:
        """Nothing."""

    def queue(self, name: str, *, length: int) -> None:
        """Nothing."""

    def fsync(self, *, seconds: float) -> None:
        """Nothing."""

    def loop_lag(self, *, seconds: float) -> None:
        """Nothing."""

    def delivery(self, channel: str, *, outcome: Literal["sent", "retried", "dead"]) -> None:
        """Nothing."""

    def dead_letters(self, *, count: int) -> None:
        """Nothing."""

    def job(self, kind: str, *, outcome: str) -> None:
        """Nothing."""

    def claims(self, *, kept: int = 0, rejected: int = 0) -> None:
        """Nothing."""
