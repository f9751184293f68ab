"""What is counted and timed; here nothing is, so that a terminal chat pays for none of it."""

from typing import Literal

Part = Literal["compact", "recall", "model", "save", "respond"]
"""The parts of a turn whose time is taken."""
Direction = Literal["prompt", "completion"]
Outcome = Literal["answered", "failed", "stopped"]
Queue = Literal["inbox", "outbox", "jobs"]


class Metrics:
    """Counts nothing; whoever counts overrides. Every method is cheap and never raises; times in seconds."""

    def turn(self, outcome: Outcome, *, seconds: float) -> None:
        """A turn ended; `seconds` from the acceptance of its newest message to its reply in the outbox."""

    def latency(self, part: Part, *, seconds: float) -> None:
        """One part of a turn took so long."""

    def tokens(self, direction: Direction, *, count: int) -> None:
        """As the provider counted them."""

    def cost(self, amount: float) -> None:
        """What a request cost, in the currency of the configured prices."""

    def repaired(self, kind: str, *, count: int = 1) -> None:
        """A request had to be repaired to be legal."""

    def queue(self, name: Queue, *, length: int) -> None:
        """How much waits now."""

    def fsync(self, *, seconds: float) -> None:
        """A durable write took so long."""

    def loop_lag(self, *, seconds: float) -> None:
        """The event loop came so late."""

    def delivery(self, channel: str, *, outcome: Literal["sent", "retried", "dead"]) -> None:
        """A part of a reply was sent, put off or given up."""

    def dead_letters(self, *, count: int) -> None:
        """How many parts wait for the operator."""

    def claims(self, *, kept: int = 0, rejected: int = 0) -> None:
        """What the checks made of a summary's claims."""
