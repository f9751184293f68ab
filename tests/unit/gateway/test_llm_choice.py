"""Which model answers."""

import socket
from pathlib import Path

import pytest

from gateway.errors import ConfigError, LLMRejected
from gateway.llm.choose import OPENAI_ADDRESS, Choice, Why, choose, served_models
from gateway.llm.fallback import FallbackLLM
from gateway.llm.local import LocalLLM, find_weights, local_problem
from gateway.llm.openai import OpenAIClient
from gateway.llm.rote import RoteLLM
from gateway.llm.settings import Endpoint, LLMSettings
from tests.helpers.model_answers import Answer
from tests.helpers.model_server import ModelServer
from tests.helpers.prompts import prompt


@pytest.fixture
def nobody() -> str:
    """An address where nobody answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


async def chosen(nobody: str, **settings: object) -> Choice:
    return await choose(LLMSettings(**settings), ollama=nobody)  # type: ignore[arg-type] # the test's own words


async def test_an_address_that_was_configured_wins(nobody: str) -> None:
    choice = await chosen(nobody, base_url="http://127.0.0.1:1/v1", model="qwen3", api_key="k")

    assert choice.why is Why.CONFIGURED
    assert choice.client.name == "qwen3 at 127.0.0.1:1"
    assert choice.endpoint is not None
    assert choice.endpoint.api_key == "k"


async def test_a_key_alone_means_openai(nobody: str) -> None:
    choice = await chosen(nobody, api_key="k")

    assert choice.why is Why.KEY
    assert choice.endpoint is not None
    assert choice.endpoint.base_url == OPENAI_ADDRESS
    assert choice.endpoint.model


async def test_a_key_may_come_with_another_address_whose_model_is_asked_for(nobody: str) -> None:
    async with ModelServer(key="k", model="only-one") as server:
        choice = await chosen(nobody, api_key="k", environment_base_url=server.base_url)

        assert choice.endpoint is not None
        assert choice.endpoint.model == "only-one"
        assert (await choice.client.complete(prompt("hi"))).text == "ok"
        await choice.client.close()


async def test_others_may_be_chosen_where_an_endpoint_lists_them(nobody: str) -> None:
    async with ModelServer(key="k", model="only-one") as server:
        choice = await chosen(nobody, base_url=server.base_url, api_key="k")
        listed = await choice.models() if choice.models else None
        await choice.client.close()
    alone = await chosen(nobody, provider="rote")

    assert listed == ["only-one"]
    assert alone.models is None


async def test_a_model_server_on_this_machine_is_found() -> None:
    async with ModelServer() as server:
        server.documents["/v1/models"] = {"data": [{"id": "nomic-embed-text"}, {"id": "qwen3:8b"}]}

        choice = await choose(LLMSettings(), ollama=server.base_url)

    assert choice.why is Why.SERVER
    assert choice.client.name.startswith("qwen3:8b at 127.0.0.1:")


async def test_a_model_server_without_models_is_passed_over() -> None:
    async with ModelServer() as server:
        server.documents["/v1/models"] = {"data": None}

        choice = await choose(LLMSettings(), ollama=server.base_url)

    assert choice.why in {Why.LOCAL, Why.ROTE}


async def test_where_nothing_runs_the_local_model_or_rote_answers(nobody: str) -> None:
    choice = await chosen(nobody)

    expected = (Why.ROTE, RoteLLM) if local_problem() else (Why.LOCAL, LocalLLM)
    assert (choice.why, type(choice.client)) == expected


async def test_rote_can_be_asked_for(nobody: str) -> None:
    choice = await chosen(nobody, provider="rote", api_key="k")

    assert isinstance(choice.client, RoteLLM)
    assert choice.why is Why.CONFIGURED


async def test_a_provider_that_cannot_be_is_a_fault_of_the_configuration(nobody: str) -> None:
    with pytest.raises(ConfigError, match=r"neither llm\.base_url nor llm\.api_key"):
        await chosen(nobody, provider="openai")
    with pytest.raises(ConfigError, match=r"llm\.provider = local, but "):
        await chosen(nobody, provider="local", model="/nowhere/model.gguf")


async def test_a_fallback_without_an_address_is_another_model_of_the_same_place(nobody: str) -> None:
    async with ModelServer(key="k") as server:
        server.add(Answer(body=b"{}", status=404))
        choice = await chosen(
            nobody,
            base_url=server.base_url,
            api_key="k",
            model="gone",
            fallback=(Endpoint(base_url="", model="other"),),
        )

        assert isinstance(choice.client, FallbackLLM)
        assert (await choice.client.complete(prompt("hi"))).text == "ok"
        assert [request["model"] for request in server.requests] == ["gone", "other"]
        await choice.client.close()


async def test_no_client_is_made_twice(nobody: str) -> None:
    choice = await chosen(nobody, base_url=nobody, model="qwen3")

    assert isinstance(choice.client, OpenAIClient)


@pytest.mark.parametrize("listed", [{}, {"data": [{"id": 3}, "x", {}]}, {"data": []}])
async def test_an_odd_list_of_models_lists_none(listed: dict[str, object]) -> None:
    async with ModelServer() as server:
        server.documents["/v1/models"] = listed

        assert await served_models(server.base_url) == []


async def test_nobody_serves_nothing(nobody: str) -> None:
    assert await served_models(nobody) == []


async def test_weights_that_are_missing_are_said_to_be() -> None:
    assert find_weights("/nowhere/model.gguf") is None
    if not local_problem():
        assert local_problem("/nowhere/model.gguf") == "there is no file /nowhere/model.gguf; check llm.model"


async def test_a_local_model_without_its_weights_says_what_to_do() -> None:
    client = LocalLLM(model="/nowhere/model.gguf")

    await client.warm()
    with pytest.raises(LLMRejected, match=r"not installed|there is no file"):
        await client.complete(prompt("hi"))
    await client.close()


@pytest.mark.slow
async def test_a_file_that_holds_no_model_is_said_to_be_unusable(tmp_path: Path) -> None:
    if local_problem():
        pytest.skip(local_problem())
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"no model")

    with pytest.raises(LLMRejected, match=r"can't be loaded; check llm\.model"):
        await LocalLLM(model=str(broken)).complete(prompt("hi"))
