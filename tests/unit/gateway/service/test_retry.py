"""How long to wait before trying again."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from gateway.service.retry import Backoff


def test_without_chance_it_doubles_up_to_the_cap() -> None:
    backoff = Backoff(first=1, cap=10, jitter=0)

    assert [backoff.delay(attempt, rng=Random(0)) for attempt in range(1, 7)] == [1, 2, 4, 8, 10, 10]


@given(attempt=st.integers(-3, 10_000), seed=st.integers())
def test_it_is_never_longer_than_the_cap_and_never_nothing(attempt: int, seed: int) -> None:
    assert 0 < Backoff(first=0.5, cap=30).delay(attempt, rng=Random(seed)) <= 30


@given(named=st.floats(0.1, 100_000), attempt=st.integers(1, 50), seed=st.integers())
def test_a_named_time_is_never_fallen_short_of(named: float, attempt: int, seed: int) -> None:
    delay = Backoff(cap=60).delay(attempt, rng=Random(seed), named=named)

    assert named <= delay <= named + 30


def test_chance_spreads_the_waits() -> None:
    rng = Random(7)

    assert len({Backoff().delay(3, rng=rng) for _ in range(20)}) == 20
