"""What every model client must do, whoever answers behind it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import pytest

from gateway.llm.client import LLMClient
from gateway.llm.fallback import FallbackLLM
from gateway.llm.local import LocalLLM, local_problem
from gateway.llm.metered import MeteredLLM, Spending
from gateway.llm.openai import OpenAIClient
from gateway.llm.rote import RoteLLM
from gateway.llm.scripted import ScriptedLLM
from gateway.llm.settings import Endpoint
from gateway.service.metrics import Metrics
from tests.helpers.budgets import daily_budgets
from tests.helpers.model_server import ModelServer
from tests.helpers.prompts import conversation, prompt

QUESTION = prompt(
    *conversation(["My boat is called Petrel."], question="What is my boat called?"), max_output=8
)
MANY_WORDS = "You told me that your boat is called Petrel, and nothing else about it."


@asynccontextmanager
async def _scripted() -> AsyncIterator[LLMClient]:
    yield ScriptedLLM(otherwise=MANY_WORDS, piece=5)


@asynccontextmanager
async def _rote() -> AsyncIterator[LLMClient]:
    yield RoteLLM()


@asynccontextmanager
async def _openai() -> AsyncIterator[LLMClient]:
    async with ModelServer(otherwise=MANY_WORDS) as server:
        client = OpenAIClient(Endpoint(base_url=server.base_url, model=server.model, context_window=8192))
        yield client
        await client.close()


@asynccontextmanager
async def _fallback() -> AsyncIterator[LLMClient]:
    yield FallbackLLM([ScriptedLLM(otherwise=MANY_WORDS), RoteLLM()])


@asynccontextmanager
async def _metered() -> AsyncIterator[LLMClient]:
    spending = Spending(Metrics(), price_in=0.0, price_out=0.0)
    async with daily_budgets(person_tokens=1_000_000) as budgets:
        yield MeteredLLM(ScriptedLLM(otherwise=MANY_WORDS, piece=5), spending, budgets=budgets)


@asynccontextmanager
async def _local() -> AsyncIterator[LLMClient]:
    problem = local_problem()
    if problem:
        pytest.skip(problem)
    client = LocalLLM()
    yield client
    await client.close()


CLIENTS = [
    pytest.param(_scripted, id="scripted"),
    pytest.param(_rote, id="rote"),
    pytest.param(_metered, id="metered"),
    pytest.param(_openai, id="openai"),
    pytest.param(_fallback, id="fallback"),
    pytest.param(_local, id="local", marks=[pytest.mark.slow, pytest.mark.timeout(180)]),
]


@pytest.fixture(params=CLIENTS)
async def client(request: pytest.FixtureRequest) -> AsyncIterator[LLMClient]:
    async with request.param() as made:
        yield made


async def test_the_last_delta_holds_what_the_others_said(client: LLMClient) -> None:
    async with aclosing(client.stream(QUESTION)) as stream:
        deltas = [delta async for delta in stream]

    completion = deltas[-1].completion
    assert completion is not None
    assert completion.text
    assert "".join(delta.text for delta in deltas) == completion.text
    assert [delta for delta in deltas[:-1] if delta.completion is not None or not delta.text] == []


async def test_the_whole_answer_has_text(client: LLMClient) -> None:
    completion = await client.complete(QUESTION)

    assert completion.text
    assert completion.tool_calls == ()


async def test_who_stops_listening_can_ask_again(client: LLMClient) -> None:
    async with aclosing(client.stream(QUESTION)) as stream:
        await anext(stream)

    assert (await client.complete(QUESTION)).text


async def test_requests_side_by_side_are_answered_each(client: LLMClient) -> None:
    answers = await asyncio.gather(*(client.complete(QUESTION) for _ in range(3)))

    assert all(answer.text for answer in answers)


async def test_it_has_a_name_and_a_window(client: LLMClient) -> None:
    assert client.name
    assert await client.window() >= 1024


async def test_it_can_be_warmed_and_closed_again_and_again(client: LLMClient) -> None:
    await client.warm()
    await client.warm()
    await client.close()
    await client.close()
