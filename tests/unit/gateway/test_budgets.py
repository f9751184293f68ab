from datetime import timedelta
from pathlib import Path

import pytest

from gateway.budgets import DailyBudgets
from gateway.errors import DailyBudgetSpent
from tests.helpers.budgets import DAY, daily_budgets


def may_ask(budgets: DailyBudgets, *, person: str = "ann", chat: str = "telegram:1") -> bool:
    try:
        budgets.check(person=person, chat=chat)
    except DailyBudgetSpent:
        return False
    return True


async def test_a_person_is_stopped_in_every_chat_and_nobody_else() -> None:
    async with daily_budgets(person_tokens=100) as budgets:
        budgets.spend(99, person="ann", chat="telegram:1")
        before = may_ask(budgets)
        budgets.spend(1, person="ann", chat="slack:C1")

        assert before
        assert not may_ask(budgets, chat="web:ann")
        assert may_ask(budgets, person="bob")
        assert may_ask(budgets, person="")


async def test_a_chat_is_stopped_whoever_speaks() -> None:
    async with daily_budgets(chat_tokens=100) as budgets:
        budgets.spend(60, person="ann", chat="telegram:-7")
        budgets.spend(60, person="bob", chat="telegram:-7")

        assert not may_ask(budgets, person="carl", chat="telegram:-7")
        assert may_ask(budgets, person="ann", chat="telegram:1")


async def test_without_a_limit_nobody_is_stopped() -> None:
    async with daily_budgets() as budgets:
        budgets.spend(10**9, person="ann", chat="telegram:1")

        assert may_ask(budgets)


async def test_a_restart_forgets_nothing_of_today_and_a_new_day_begins_with_nothing(tmp_path: Path) -> None:
    path, days = tmp_path / "mneme.db", [DAY]
    for tokens in (60, 39):
        async with daily_budgets(path, person_tokens=100) as budgets:
            budgets.spend(tokens, person="ann", chat="telegram:1")
    async with daily_budgets(path, person_tokens=100, today=lambda: days[-1]) as budgets:
        on_the_edge = may_ask(budgets)
        budgets.spend(1, person="ann", chat="telegram:1")
        over_it = may_ask(budgets)
        days.append(DAY + timedelta(days=1))
        tomorrow = may_ask(budgets)
        budgets.spend(100, person="ann", chat="telegram:1")
    async with daily_budgets(path, person_tokens=100, today=lambda: days[-1]) as budgets:
        after_a_restart = may_ask(budgets)

    assert (on_the_edge, over_it, tomorrow, after_a_restart) == (True, False, True, False)


async def test_what_is_raised_names_who_and_how_much() -> None:
    async with daily_budgets(person_tokens=1_500) as budgets:
        budgets.spend(2_000, person="ann", chat="telegram:1")

        with pytest.raises(DailyBudgetSpent, match="person ann has used its 1,500 tokens of 2026-03-12"):
            budgets.check(person="ann", chat="telegram:1")
