from contextlib import aclosing

import pytest

from gateway.errors import LLMUnavailable
from gateway.llm.client import Completion, Usage
from gateway.llm.metered import MeteredLLM, Spending
from gateway.llm.scripted import ScriptedLLM
from gateway.service.prometheus import PrometheusMetrics
from tests.helpers.prompts import prompt

ANSWER = Completion(text="fine", usage=Usage(prompt_tokens=2_000, completion_tokens=500))
QUESTION = prompt("How are you?")


def metered(*answers: Completion | LLMUnavailable) -> tuple[MeteredLLM, Spending, PrometheusMetrics]:
    metrics = PrometheusMetrics()
    spending = Spending(metrics, price_in=3.0, price_out=12.0)
    return MeteredLLM(ScriptedLLM(*answers), spending), spending, metrics


async def test_whole_answers_and_streams_are_counted_and_priced() -> None:
    llm, spending, metrics = metered(ANSWER, ANSWER)
    await llm.complete(QUESTION)
    async with aclosing(llm.stream(QUESTION)) as deltas:
        async for _ in deltas:
            pass
    shown = metrics.exposition().decode()

    assert (spending.prompt_tokens, spending.completion_tokens) == (4_000, 1_000)
    assert spending.cost == pytest.approx(0.024)
    assert 'mneme_tokens_total{direction="prompt"} 4000.0' in shown
    assert "mneme_cost_total 0.024" in shown


async def test_what_failed_costs_nothing() -> None:
    llm, spending, _ = metered(LLMUnavailable("down"))

    with pytest.raises(LLMUnavailable):
        await llm.complete(QUESTION)

    assert (spending.prompt_tokens, spending.completion_tokens, spending.cost) == (0, 0, 0.0)
