from contextlib import aclosing

import pytest

from gateway.errors import DailyBudgetSpent, LLMUnavailable
from gateway.llm.client import Completion, Usage
from gateway.llm.metered import MeteredLLM, Spending
from gateway.llm.scripted import ScriptedLLM
from gateway.service.prometheus import PrometheusMetrics
from tests.helpers.budgets import daily_budgets
from tests.helpers.prompts import prompt

ANSWER = Completion(text="fine", usage=Usage(prompt_tokens=2_000, completion_tokens=500))
QUESTION = prompt("How are you?", person="ann", chat="telegram:1", estimated_tokens=700)


async def heard(llm: MeteredLLM) -> None:
    async with aclosing(llm.stream(QUESTION)) as deltas:
        async for _ in deltas:
            pass


async def test_whole_answers_and_streams_are_counted_and_priced() -> None:
    metrics = PrometheusMetrics()
    spending = Spending(metrics, price_in=3.0, price_out=12.0)
    async with daily_budgets() as budgets:
        llm = MeteredLLM(ScriptedLLM(otherwise=ANSWER), spending, budgets=budgets)
        await llm.complete(QUESTION)
        await heard(llm)
    shown = metrics.exposition().decode()

    assert (spending.prompt_tokens, spending.completion_tokens) == (4_000, 1_000)
    assert spending.cost == pytest.approx(0.024)
    assert 'mneme_tokens_total{direction="prompt"} 4000.0' in shown
    assert "mneme_cost_total 0.024" in shown


async def test_what_failed_costs_nothing() -> None:
    spending = Spending(PrometheusMetrics(), price_in=3.0, price_out=12.0)
    async with daily_budgets(person_tokens=1) as budgets:
        llm = MeteredLLM(ScriptedLLM(otherwise=LLMUnavailable("down")), spending, budgets=budgets)
        for _ in range(2):
            with pytest.raises(LLMUnavailable):
                await llm.complete(QUESTION)

    assert (spending.prompt_tokens, spending.completion_tokens, spending.cost) == (0, 0, 0.0)


@pytest.mark.parametrize("answer", [ANSWER, "fine"], ids=["counted", "estimated"])
async def test_who_has_used_the_day_is_not_asked_for(answer: Completion | str) -> None:
    model = ScriptedLLM(otherwise=answer)
    async with daily_budgets(person_tokens=1_400) as budgets:
        llm = MeteredLLM(model, Spending(PrometheusMetrics(), price_in=0.0, price_out=0.0), budgets=budgets)
        await llm.complete(QUESTION)
        if answer == "fine":
            await heard(llm)
        asked = len(model.prompts)
        for ask in (llm.complete(QUESTION), heard(llm)):
            with pytest.raises(DailyBudgetSpent):
                await ask

    assert len(model.prompts) == asked
