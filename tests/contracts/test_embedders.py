"""What everything that makes vectors must do, whatever model is behind it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import hypot, isfinite
from operator import mul

import pytest

from gateway.llm.local_embedder import LocalEmbedder, vectors_problem
from gateway.llm.openai.embedder import EndpointEmbedder
from gateway.llm.settings import Endpoint
from memory.archive.embedder import Embedder, Vector
from memory.archive.scripted import ScriptedEmbedder
from tests.helpers.model_server import ModelServer

TEXTS = ["The boat is called Petrel", "It rains in Hamburg", "船叫海燕"]


@asynccontextmanager
async def _scripted() -> AsyncIterator[Embedder]:
    yield ScriptedEmbedder()


@asynccontextmanager
async def _endpoint() -> AsyncIterator[Embedder]:
    async with ModelServer() as server:
        embedder = EndpointEmbedder(Endpoint(base_url=server.base_url, model="vectors-a"))
        yield embedder
        await embedder.close()

        assert server.rejected == []


@asynccontextmanager
async def _local() -> AsyncIterator[Embedder]:
    problem = vectors_problem()
    if problem:
        pytest.skip(problem)
    embedder = LocalEmbedder()
    yield embedder
    await embedder.close()


EMBEDDERS = [
    pytest.param(_scripted, id="scripted"),
    pytest.param(_endpoint, id="endpoint"),
    pytest.param(_local, id="local", marks=pytest.mark.slow),
]


@pytest.fixture(params=EMBEDDERS)
async def embedder(request: pytest.FixtureRequest) -> AsyncIterator[Embedder]:
    async with request.param() as made:
        yield made


def alike(one: Vector, other: Vector) -> float:
    """The cosine of the angle between two vectors."""
    return float(sum(map(mul, one, other))) / (hypot(*one) * hypot(*other))


async def test_every_text_has_a_vector_of_one_size_and_finite_numbers(embedder: Embedder) -> None:
    vectors = await embedder.embed(TEXTS)

    assert len(vectors) == len(TEXTS)
    assert len({len(vector) for vector in vectors}) == 1
    assert all(isfinite(number) for vector in vectors for number in vector)


async def test_vectors_come_in_the_order_of_their_texts_and_the_same_each_time(embedder: Embedder) -> None:
    together = await embedder.embed(TEXTS)
    alone = [(await embedder.embed([text]))[0] for text in TEXTS]

    assert [alike(one, other) for one, other in zip(together, alone, strict=True)] == pytest.approx([1] * 3)


async def test_a_question_is_most_like_its_answer(embedder: Embedder) -> None:
    [question] = await embedder.embed(["What is the boat called?"], asked=True)
    boat, rain, _ = await embedder.embed(TEXTS)

    assert alike(question, boat) > alike(question, rain)


async def test_nothing_has_no_vectors(embedder: Embedder) -> None:
    assert list(await embedder.embed([])) == []


@pytest.mark.parametrize("text", ["a\0b", "half of a pair \ud800 alone", "x" * 1000, "👍", "\n"])
async def test_any_text_can_be_embedded(embedder: Embedder, text: str) -> None:
    [vector] = await embedder.embed([text])

    assert len(vector) > 1


async def test_questions_side_by_side_are_answered_each(embedder: Embedder) -> None:
    answers = await asyncio.gather(*(embedder.embed([text], asked=True) for text in TEXTS))

    assert [len(vectors) for vectors in answers] == [1, 1, 1]


async def test_it_has_a_name_and_can_be_closed_again_and_again(embedder: Embedder) -> None:
    await embedder.embed(TEXTS)
    await embedder.close()
    await embedder.close()

    assert embedder.name
    assert len(await embedder.embed(TEXTS)) == 3
