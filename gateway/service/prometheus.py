"""Metrics for Prometheus, in a registry of our own."""

from typing import Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from gateway.service.metrics import Direction, Metrics, Outcome, Part, Queue

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
_SHORT = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
_LONG = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


class PrometheusMetrics(Metrics):
    """Counts for `GET /metrics`."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry(auto_describe=True)
        self._turns = Histogram(
            "mneme_turn_seconds", "Acceptance to reply", ["outcome"], buckets=_LONG, registry=registry
        )
        self._parts = Histogram(
            "mneme_part_seconds", "Parts of a reply's way", ["part"], buckets=_LONG, registry=registry
        )
        self._tokens = Counter(
            "mneme_tokens", "Tokens by the provider's count", ["direction"], registry=registry
        )
        self._cost = Counter(
            "mneme_cost", "Price of the tokens, by llm.price_in and llm.price_out", registry=registry
        )
        self._repairs = Counter("mneme_repairs", "Requests repaired to be legal", ["kind"], registry=registry)
        self._queues = Gauge("mneme_queue_length", "What waits", ["queue"], registry=registry)
        self._fsyncs = Histogram("mneme_fsync_seconds", "Durable writes", buckets=_SHORT, registry=registry)
        self._lag = Histogram(
            "mneme_loop_lag_seconds", "Lateness of the event loop", buckets=_SHORT, registry=registry
        )
        self._deliveries = Counter(
            "mneme_deliveries", "Parts of replies", ["channel", "outcome"], registry=registry
        )
        self._dead = Gauge("mneme_dead_letters", "Parts that wait for the operator", registry=registry)
        self._claims = Counter(
            "mneme_claims", "Claims by what the checks said", ["verdict"], registry=registry
        )

    def exposition(self) -> bytes:
        """Everything, as `CONTENT_TYPE`."""
        return generate_latest(self.registry)

    def turn(self, outcome: Outcome, *, seconds: float) -> None:
        self._turns.labels(outcome).observe(seconds)

    def latency(self, part: Part, *, seconds: float) -> None:
        self._parts.labels(part).observe(seconds)

    def tokens(self, direction: Direction, *, count: int) -> None:
        self._tokens.labels(direction).inc(max(count, 0))

    def cost(self, amount: float) -> None:
        self._cost.inc(max(amount, 0.0))

    def repaired(self, kind: str, *, count: int = 1) -> None:
        self._repairs.labels(kind).inc(max(count, 0))

    def queue(self, name: Queue, *, length: int) -> None:
        self._queues.labels(name).set(length)

    def fsync(self, *, seconds: float) -> None:
        self._fsyncs.observe(seconds)

    def loop_lag(self, *, seconds: float) -> None:
        self._lag.observe(seconds)

    def delivery(self, channel: str, *, outcome: Literal["sent", "retried", "dead"]) -> None:
        self._deliveries.labels(channel, outcome).inc()

    def dead_letters(self, *, count: int) -> None:
        self._dead.set(count)

    def claims(self, *, kept: int = 0, rejected: int = 0) -> None:
        self._claims.labels("kept").inc(kept)
        self._claims.labels("rejected").inc(rejected)
