"""What Prometheus is told."""

import subprocess
import sys

from gateway.service.prometheus import PrometheusMetrics


def test_what_was_counted_is_exposed() -> None:
    metrics = PrometheusMetrics()
    metrics.turn("answered", seconds=1.5)
    metrics.tokens("prompt", count=1200)
    metrics.repaired("orphan_result", count=2)
    metrics.queue("inbox", length=3)
    metrics.queue("inbox", length=1)
    metrics.claims(kept=3, rejected=1)
    metrics.delivery("telegram", outcome="dead")

    lines = metrics.exposition().decode().splitlines()

    assert 'mneme_turn_seconds_count{outcome="answered"} 1.0' in lines
    assert 'mneme_tokens_total{direction="prompt"} 1200.0' in lines
    assert 'mneme_repairs_total{kind="orphan_result"} 2.0' in lines
    assert 'mneme_queue_length{queue="inbox"} 1.0' in lines
    assert 'mneme_claims_total{verdict="rejected"} 1.0' in lines
    assert 'mneme_deliveries_total{channel="telegram",outcome="dead"} 1.0' in lines


def test_two_keepers_share_nothing() -> None:
    first, second = PrometheusMetrics(), PrometheusMetrics()
    first.dead_letters(count=5)

    assert b"mneme_dead_letters 0.0" in second.exposition()


def test_who_counts_nothing_loads_nothing() -> None:
    code = "import sys, gateway.service.metrics; sys.exit('prometheus_client' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
