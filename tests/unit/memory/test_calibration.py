import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.view.calibration import after_overflow, is_cut, learn, notice_silent_cut


def test_a_provider_that_counts_more_raises_the_factor_at_once() -> None:
    factor = learn(learn(1.0, estimated=1000, reported=2000), estimated=1000, reported=2000)

    assert 1.85 < factor <= 2.0


def test_a_provider_that_counts_less_lowers_it_slowly() -> None:
    factor = learn(1.0, estimated=1000, reported=600)

    assert 0.9 < factor < 1.0


@given(st.floats(0.5, 4), st.integers(-5, 10**6), st.integers(-5, 10**6))
@settings(max_examples=200)
def test_the_factor_stays_within_its_bounds(factor: float, estimated: int, reported: int) -> None:
    assert 0.5 <= learn(factor, estimated=estimated, reported=reported) <= 4


@pytest.mark.parametrize("ratio", [0.55, 0.8, 1.3, 3.0])
def test_the_factor_comes_to_rest_at_the_true_ratio(ratio: float) -> None:
    factor = 1.0
    for _ in range(60):
        factor = learn(factor, estimated=10_000, reported=int(10_000 * ratio))

    assert factor == pytest.approx(ratio, rel=0.02)


@pytest.mark.parametrize("reported", [0, 7, 200])
def test_a_count_that_can_not_be_one_teaches_nothing(reported: int) -> None:
    assert learn(1.2, estimated=5000, reported=reported) == 1.2
    assert notice_silent_cut(0, factor=1.2, estimated=5000, reported=reported) == 0


def test_a_prompt_that_was_silently_cut_shows_the_true_window() -> None:
    assert notice_silent_cut(0, factor=1.0, estimated=12_000, reported=4096) == 4096
    assert notice_silent_cut(3000, factor=1.0, estimated=12_000, reported=4096) == 3000
    assert learn(1.0, estimated=12_000, reported=4096) == 1.0


def test_an_honest_count_is_no_cut() -> None:
    assert not is_cut(1.0, estimated=10_000, reported=9_500)
    assert notice_silent_cut(2048, factor=1.0, estimated=1000, reported=990) == 2048


def test_a_tokenizer_made_for_chinese_is_no_cut() -> None:
    assert not is_cut(1.0, estimated=10_000, reported=5_000)


def test_too_long_shrinks_the_window_to_a_quarter_in_two_tries() -> None:
    once = after_overflow(0, window=8192, sent=7000)
    twice = after_overflow(once, window=8192, sent=once)

    assert once == 3500
    assert twice == 1750


def test_a_limit_that_the_provider_names_is_believed() -> None:
    assert after_overflow(0, window=32_000, sent=20_000, limit=8192) == 8192
    assert after_overflow(0, window=8192, sent=7000, limit=131_072) == 3500


def test_the_window_never_shrinks_to_nothing() -> None:
    assert after_overflow(300, window=8192, sent=10) == 256
