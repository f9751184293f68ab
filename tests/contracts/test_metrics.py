"""What every keeper of metrics takes."""

import pytest

from gateway.service.metrics import Metrics
from gateway.service.prometheus import PrometheusMetrics


@pytest.fixture(params=[Metrics, PrometheusMetrics])
def metrics(request: pytest.FixtureRequest) -> Metrics:
    """A keeper with nothing in it."""
    made: Metrics = request.param()
    return made


def test_everything_can_be_told(metrics: Metrics) -> None:
    metrics.turn("answered", seconds=1.5)
    metrics.latency("model", seconds=1.2)
    metrics.tokens("prompt", count=1200)
    metrics.cost(0.002)
    metrics.repaired("orphan_result")
    metrics.queue("inbox", length=3)
    metrics.fsync(seconds=0.002)
    metrics.loop_lag(seconds=0.0)
    metrics.delivery("telegram", outcome="sent")
    metrics.dead_letters(count=0)
    metrics.claims(kept=3, rejected=1)


def test_an_odd_count_is_no_error(metrics: Metrics) -> None:
    metrics.tokens("completion", count=-1)
    metrics.cost(-0.5)
    metrics.repaired("", count=0)
