"""Planted claims: of the false ones none is kept, of the true ones nearly all."""

from tests.bench.planted import LEAST_KEPT, main, planted, table


def test_no_false_claim_is_kept_and_few_true_ones_fall() -> None:
    tally = planted(240, seed=7)

    assert tally.false_kept == 0, tally.surprises
    assert tally.true_kept >= LEAST_KEPT * tally.true_planted
    assert tally.true_planted == tally.false_planted == 120


def test_the_table_names_every_way_and_the_sums() -> None:
    lines = table(planted(100))

    assert any(line.startswith("swapped speaker") for line in lines)
    assert lines[-1].startswith("false kept: 0 of 50")


def test_it_says_by_its_exit_code_whether_the_goal_was_met() -> None:
    assert main(["--claims", "60"]) == 0
