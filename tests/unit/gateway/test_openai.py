"""The client of an OpenAI-compatible endpoint, against a strict server with every fault that was ever reported."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from random import Random
from typing import Any

import pytest

from gateway.errors import ContextOverflow, LLMRejected, LLMUnavailable
from gateway.llm.client import Completion, Finish, Usage
from gateway.llm.openai import OpenAIClient
from gateway.llm.openai.patience import Patience
from gateway.llm.settings import Endpoint
from gateway.service.clock import ManualClock
from memory.messages import Message
from tests.helpers.model_answers import refusal
from tests.helpers.model_server import Answer, ModelServer, tool_call
from tests.helpers.prompts import RECALL, assistant, call, prompt, result, user

HELLO = prompt("hello")
TWO_CALLS = [tool_call("a", arguments='{"query": "tea"}'), tool_call("b", arguments='{"query": "milk"}')]

Make = Callable[..., OpenAIClient]


class NoWaiting(ManualClock):
    """A clock on which sleeping takes no time and is remembered."""

    def __init__(self) -> None:
        super().__init__()
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer(key="test-key") as made:
        yield made


@pytest.fixture
def clock() -> NoWaiting:
    return NoWaiting()


@pytest.fixture
async def make(server: ModelServer, clock: NoWaiting) -> AsyncIterator[Make]:
    made: list[OpenAIClient] = []

    def client(**fields: Any) -> OpenAIClient:
        given: dict[str, Any] = {"base_url": server.base_url, "model": server.model, "api_key": "test-key"}
        made.append(OpenAIClient(Endpoint(**(given | fields)), clock=clock, rng=Random(1)))
        return made[-1]

    yield client
    for one in made:
        await one.close()


@pytest.fixture
def client(make: Make) -> OpenAIClient:
    return make()


# What comes back


async def test_text_is_handed_on_as_it_is_written(server: ModelServer, client: OpenAIClient) -> None:
    go_on = asyncio.Event()
    server.add(Answer(text="one two", piece=4, hold=go_on, hold_at=2))

    async with aclosing(client.stream(HELLO)) as stream:
        first = await anext(stream)
        go_on.set()
        rest = [delta async for delta in stream]

    assert first.text == "one "
    assert rest[-1].completion is not None
    assert rest[-1].completion.text == "one two"


async def test_usage_and_model_come_with_the_answer(server: ModelServer, client: OpenAIClient) -> None:
    server.add("hi")

    completion = await client.complete(HELLO)

    assert completion.usage == Usage(prompt_tokens=17, completion_tokens=1)
    assert completion.model == "model-a"


async def test_a_silent_cut_shows_in_the_usage(server: ModelServer, client: OpenAIClient) -> None:
    server.cut_to = 100

    completion = await client.complete(prompt("word " * 1000))

    assert completion.usage.prompt_tokens == 100


async def test_calls_come_whole(server: ModelServer, client: OpenAIClient) -> None:
    server.add(Answer(text="Let me look.", calls=TWO_CALLS, piece=3))

    completion = await client.complete(prompt("tea?", tools=[RECALL]))

    assert completion.text == "Let me look."
    assert completion.finish is Finish.TOOL_CALLS
    assert completion.tool_calls == (
        call("a", arguments='{"query": "tea"}'),
        call("b", arguments='{"query": "milk"}'),
    )


async def test_an_answer_in_one_piece_is_taken_too(server: ModelServer, client: OpenAIClient) -> None:
    server.add(Answer(text="Look:", calls=TWO_CALLS, whole=True, reasoning="hm"))

    completion = await client.complete(HELLO)

    assert completion.text == "Look:"
    assert [one.id for one in completion.tool_calls] == ["a", "b"]
    assert completion.reasoning == "hm"
    assert completion.usage.prompt_tokens > 0


async def test_reasoning_is_kept_apart_from_the_text(server: ModelServer, client: OpenAIClient) -> None:
    server.add(Answer(text="4", reasoning="two and two"))

    completion = await client.complete(HELLO)

    assert (completion.text, completion.reasoning) == ("4", "two and two")


@pytest.mark.parametrize(
    ("said", "finish"),
    [
        ("length", Finish.LENGTH),
        ("content_filter", Finish.FILTER),
        ("stop", Finish.STOP),
        ("odd", Finish.STOP),
    ],
)
async def test_why_it_stopped_is_known(
    server: ModelServer, client: OpenAIClient, said: str, finish: Finish
) -> None:
    server.add(Answer(text="x", finish=said))

    assert (await client.complete(HELLO)).finish is finish


async def test_a_wrong_content_type_does_not_matter(server: ModelServer, client: OpenAIClient) -> None:
    server.add(Answer(text="streamed", content_type="application/json"), Answer(text="whole", whole=True))

    assert (await client.complete(HELLO)).text == "streamed"
    assert (await client.complete(HELLO)).text == "whole"


# Careless endpoints


async def test_null_content_without_calls_is_an_empty_answer(
    server: ModelServer, client: OpenAIClient
) -> None:
    server.add(Answer(text=None), Answer(text=None, whole=True))

    assert (await client.complete(HELLO)).text == ""
    assert (await client.complete(HELLO)).text == ""


async def test_one_call_without_an_index_is_whole(server: ModelServer, client: OpenAIClient) -> None:
    server.add(Answer(calls=TWO_CALLS[:1], indexed=False, piece=6))

    completion = await client.complete(HELLO)

    assert completion.tool_calls == (call("a", arguments='{"query": "tea"}'),)


@pytest.mark.parametrize("ids", [("a", "b"), ("", ""), (None, None)])
@pytest.mark.parametrize("piece", [3, 1000])
async def test_two_calls_one_after_the_other_without_an_index_stay_apart(
    server: ModelServer, client: OpenAIClient, ids: tuple[str | None, str | None], piece: int
) -> None:
    calls = [{**wire, "id": given} for wire, given in zip(TWO_CALLS, ids, strict=True)]
    server.add(Answer(calls=calls, indexed=False, piece=piece))

    completion = await client.complete(HELLO)

    assert [one.arguments for one in completion.tool_calls] == ['{"query": "tea"}', '{"query": "milk"}']
    assert [one.id for one in completion.tool_calls if ids[0]] == [one for one in ids if one]
    assert len({one.id for one in completion.tool_calls}) == 2


async def test_an_id_in_every_part_tells_calls_without_an_index_apart(
    server: ModelServer, client: OpenAIClient
) -> None:
    parts = [
        {"id": "a", "function": {"name": "recall", "arguments": '{"query": '}},
        {"id": "b", "function": {"name": "recall", "arguments": '{"query": '}},
        {"id": "a", "function": {"arguments": '"tea"}'}},
        {"id": "b", "function": {"name": "recall", "arguments": '"milk"}'}},
    ]
    server.add(Answer(documents=[{"choices": [{"delta": {"tool_calls": [part]}}]} for part in parts]))

    completion = await client.complete(HELLO)

    assert [one.arguments for one in completion.tool_calls] == ['{"query": "tea"}', '{"query": "milk"}']


async def test_parts_that_may_belong_to_either_call_are_a_clear_error(
    server: ModelServer, client: OpenAIClient
) -> None:
    parts = [
        {"id": "a", "function": {"name": "recall", "arguments": '{"query": '}},
        {"id": "b", "function": {"name": "recall", "arguments": "{}"}},
        {"function": {"arguments": '"tea"}'}},
    ]
    server.add(Answer(documents=[{"choices": [{"delta": {"tool_calls": [part]}}]} for part in parts]))

    with pytest.raises(LLMRejected, match="several tool calls without an index"):
        await client.complete(HELLO)


@pytest.mark.parametrize("given", ["", None, " "])
async def test_a_call_without_an_id_gets_one_that_stays_the_same(
    server: ModelServer, client: OpenAIClient, given: str | None
) -> None:
    answer = Answer(calls=[tool_call(given), tool_call(given)])
    server.add(answer, answer, answer)

    first, again = await client.complete(HELLO), await client.complete(HELLO)
    later = await client.complete(prompt("hello", assistant("hi"), "again"))

    ids = [one.id for one in first.tool_calls]
    assert len(set(ids)) == 2
    assert all(ids)
    assert [one.id for one in again.tool_calls] == ids
    assert not set(ids) & {one.id for one in later.tool_calls}


async def test_a_repeated_id_is_replaced(server: ModelServer, client: OpenAIClient) -> None:
    server.add(Answer(calls=[tool_call("a"), tool_call("a")]))

    first, second = (await client.complete(HELLO)).tool_calls

    assert first.id == "a"
    assert second.id not in {"", "a"}


@pytest.mark.parametrize("ids", [("a", "b"), (None, None)])
async def test_calls_that_come_together_without_an_index_stay_apart(
    server: ModelServer, client: OpenAIClient, ids: tuple[str | None, str | None]
) -> None:
    calls = [{**wire, "id": given} for wire, given in zip(TWO_CALLS, ids, strict=True)]
    rest = [{"function": {"arguments": " "}}, {"function": {"arguments": "  "}}]
    deltas = [{"tool_calls": calls}, {"tool_calls": rest}]
    server.add(Answer(documents=[{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]))

    completion = await client.complete(HELLO)

    assert [one.arguments for one in completion.tool_calls] == ['{"query": "tea"} ', '{"query": "milk"}  ']
    assert [one.id for one in completion.tool_calls if ids[0]] == [one for one in ids if one]


async def test_broken_arguments_are_kept_as_they_are(server: ModelServer, client: OpenAIClient) -> None:
    server.add(Answer(calls=[tool_call("a", arguments="{bad")]))

    assert (await client.complete(HELLO)).tool_calls[0].arguments == "{bad"


async def test_calls_that_share_an_index_but_not_an_id_stay_apart(
    server: ModelServer, client: OpenAIClient
) -> None:
    parts = [{"index": 0, **wire} for wire in TWO_CALLS]
    documents = [{"choices": [{"index": 0, "delta": {"tool_calls": [part]}}]} for part in parts]
    server.add(Answer(documents=documents))

    completion = await client.complete(HELLO)

    assert [one.id for one in completion.tool_calls] == ["a", "b"]


async def test_halves_of_a_character_that_came_apart_are_joined(
    server: ModelServer, client: OpenAIClient
) -> None:
    pieces = ["ok \ud83d", "\ude00 and \ud83d", " alone"]
    documents = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    server.add(Answer(documents=documents))

    assert (await client.complete(HELLO)).text == "ok 😀 and \ufffd alone"


async def test_of_several_choices_in_any_order_the_first_answers(
    server: ModelServer, client: OpenAIClient
) -> None:
    choices = [{"index": place, "delta": {"content": text}} for place, text in [(1, "no"), (0, "yes")]]
    server.add(Answer(documents=[{"choices": choices}]))

    assert (await client.complete(HELLO)).text == "yes"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"<html>gateway</html>", "HTML"),
        (b"", "nothing"),
        (b"{oops", "text"),
        (b"[1]", "no object"),
        (b"upstream says no", "broke off"),
        (b'{"choices": []}', "broke off"),
        (b"data: {oops\n\n", "text"),
        (b'{"choices": ' + b"[" * 200_000, "text"),
        (b'{"choices": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "text"),
        (b"data: [DONE]\n\n", "without any choice"),
    ],
)
async def test_a_nonsense_body_is_said_to_be_one(
    server: ModelServer, client: OpenAIClient, body: bytes, reason: str
) -> None:
    server.otherwise = Answer(body=body, content_type="text/html")

    with pytest.raises(LLMUnavailable, match=rf"^model-a at 127.0.0.1:\d+ .*{reason}"):
        await client.complete(HELLO)


# Broken connections


async def test_a_stream_that_dies_in_a_call_gives_nothing(
    server: ModelServer, client: OpenAIClient, clock: NoWaiting
) -> None:
    server.otherwise = Answer(calls=TWO_CALLS, piece=4, cut_after=3)

    with pytest.raises(LLMUnavailable, match="broke off"):
        await client.complete(prompt("tea?", tools=[RECALL]))

    assert len(server.requests) == 3
    assert len(clock.slept) == 2


async def test_a_stream_that_dies_after_text_is_not_asked_again(
    server: ModelServer, client: OpenAIClient
) -> None:
    server.add(Answer(text="a long answer that breaks", piece=2, cut_after=4))

    with pytest.raises(LLMUnavailable, match="broke off"):
        await client.complete(HELLO)

    assert len(server.requests) == 1


async def test_a_stream_that_just_ends_is_not_an_answer(server: ModelServer, client: OpenAIClient) -> None:
    server.otherwise = Answer(calls=TWO_CALLS[:1], finish=None, done=False, usage=False)

    with pytest.raises(LLMUnavailable, match="broke off in the middle"):
        await client.complete(HELLO)


async def test_an_end_without_a_reason_is_an_end(server: ModelServer, client: OpenAIClient) -> None:
    server.add(Answer(text="done", finish=None), Answer(text="done too", done=False))

    assert (await client.complete(HELLO)).text == "done"
    assert (await client.complete(HELLO)).text == "done too"


async def test_silence_ends_after_the_timeout_and_is_not_retried(server: ModelServer, make: Make) -> None:
    server.otherwise = Answer(hold=asyncio.Event())

    with pytest.raises(LLMUnavailable, match=r"sent nothing for 0\.2 seconds"):
        await make(timeout=0.2).complete(HELLO)

    assert len(server.requests) == 1


async def test_silence_in_the_middle_ends_too(server: ModelServer, make: Make) -> None:
    server.add(Answer(text="half an answer", hold=asyncio.Event(), hold_at=2))

    with pytest.raises(LLMUnavailable, match="sent nothing"):
        await make(timeout=0.2).complete(HELLO)


@pytest.mark.parametrize(
    "delta",
    [
        {"content": "la " * 400},
        {"reasoning_content": "la " * 400},
        {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "recall", "arguments": "la " * 400}}]},
    ],
)
async def test_an_answer_without_end_is_left_and_not_asked_for_again(
    server: ModelServer, client: OpenAIClient, delta: dict[str, Any]
) -> None:
    server.otherwise = Answer(documents=[{"choices": [{"index": 0, "delta": delta}]}] * 100)

    with pytest.raises(LLMUnavailable, match="far more than it was asked for"):
        await client.complete(HELLO)

    assert len(server.requests) == 1


async def test_an_answer_may_take_ten_times_the_timeout_however_alive_the_server_is() -> None:
    clock = ManualClock()
    patience = Patience(timeout=5, max_output=1, clock=clock, name="it")

    async def comments() -> AsyncIterator[bytes]:
        while True:
            await clock.advance(1)
            yield b": alive"

    with pytest.raises(LLMUnavailable, match="had not ended its answer after 51 seconds"):
        [piece async for piece in patience.watched(comments())]


async def test_an_answer_that_says_nothing_at_full_speed_is_left() -> None:
    patience = Patience(timeout=5, max_output=1, clock=ManualClock(), name="it")

    async def lines() -> AsyncIterator[bytes]:
        while True:
            yield bytes(1024 * 1024)

    with pytest.raises(LLMUnavailable, match=r"had not ended its answer after \d+ bytes"):
        [len(piece) async for piece in patience.watched(lines())]


async def test_a_server_that_is_not_there_is_said_to_be(make: Make, clock: NoWaiting) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"

    with pytest.raises(LLMUnavailable, match="can't be reached; is the server running"):
        await make(base_url=address).complete(HELLO)

    assert len(clock.slept) == 2


@pytest.mark.parametrize(
    "address",
    ["nonsense", "ftp://127.0.0.1/v1", "http://127.0.0.1:99999/v1", "http://a..b/v1", "http://[::/v1", ""],
)
async def test_an_address_that_is_none_is_rejected(make: Make, address: str) -> None:
    with pytest.raises(LLMRejected, match=r"check llm\.base_url"):
        await make(base_url=address).complete(HELLO)


# Retries


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 529])
async def test_what_may_pass_is_asked_again(
    server: ModelServer, client: OpenAIClient, clock: NoWaiting, status: int
) -> None:
    server.add(refusal(status), refusal(status), "there")

    assert (await client.complete(HELLO)).text == "there"
    assert len(clock.slept) == 2
    assert 0 < clock.slept[0] <= 0.5
    assert 0 < clock.slept[1] <= 1.0


async def test_it_waits_as_long_as_the_endpoint_asks(
    server: ModelServer, client: OpenAIClient, clock: NoWaiting
) -> None:
    server.add(
        refusal(429, headers={"Retry-After": "7"}), refusal(429, headers={"retry-after-ms": "1500"}), "there"
    )

    assert (await client.complete(HELLO)).text == "there"
    assert 7 <= clock.slept[0] <= 8
    assert 1.5 <= clock.slept[1] <= 2.5


async def test_a_long_wait_is_left_to_the_caller(
    server: ModelServer, client: OpenAIClient, clock: NoWaiting
) -> None:
    server.add(refusal(429, headers={"Retry-After": "120"}))

    with pytest.raises(LLMUnavailable) as caught:
        await client.complete(HELLO)

    assert caught.value.retry_after == 120
    assert clock.slept == []


async def test_it_gives_up_after_three_tries(server: ModelServer, client: OpenAIClient) -> None:
    server.otherwise = refusal(503, "loading")

    with pytest.raises(LLMUnavailable, match=r"can't answer now \(503\): loading"):
        await client.complete(HELLO)

    assert len(server.requests) == 3


async def test_an_error_inside_the_stream_is_an_error(server: ModelServer, client: OpenAIClient) -> None:
    server.add(Answer(documents=[{"error": {"message": "overloaded", "code": 503}}]), "there")

    assert (await client.complete(HELLO)).text == "there"


# Refusals


async def test_a_wrong_key_is_named_without_the_key(server: ModelServer, make: Make) -> None:
    with pytest.raises(LLMRejected, match=r"refuses the API key \(401\); check llm\.api_key") as caught:
        await make(api_key="sk-very-secret").complete(HELLO)

    assert "secret" not in str(caught.value)
    assert len(server.requests) == 1


async def test_a_key_is_sent_without_the_line_break_of_its_file(make: Make) -> None:
    assert (await make(api_key="test-key\n").complete(HELLO)).text == "ok"


async def test_a_key_that_can_be_none_is_rejected_without_showing_it(make: Make) -> None:
    with pytest.raises(LLMRejected, match=r"check llm\.api_key") as caught:
        await make(api_key="schlüssel").complete(HELLO)

    assert "schl" not in str(caught.value)


async def test_no_key_is_sent_where_there_is_none(server: ModelServer, make: Make) -> None:
    server.key = ""

    await make(api_key="").complete(HELLO)

    assert "Authorization" not in server.headers[0]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (refusal(404, "model 'x' not found"), r"no model 'model-a' or no such address \(404\)"),
        (refusal(400, "top_p must be below 1"), r"refuses the request \(400\): top_p must be below 1"),
        (refusal(403, "not for you"), "refuses the API key"),
        (refusal(402, "pay"), "no credit left"),
        (refusal(429, "You exceeded your current quota", code="insufficient_quota"), "no credit left"),
        (refusal(400, "bad key sk-abcdef1234567890 here"), r"bad key \*\*\* here"),
    ],
)
async def test_a_refusal_says_what_to_do_and_is_not_repeated(
    server: ModelServer, client: OpenAIClient, answer: Answer, reason: str
) -> None:
    server.add(answer)

    with pytest.raises(LLMRejected, match=reason):
        await client.complete(HELLO)

    assert len(server.requests) == 1


async def test_too_long_is_overflow_with_the_window(server: ModelServer, client: OpenAIClient) -> None:
    server.window = 2000

    with pytest.raises(ContextOverflow) as caught:
        await client.complete(prompt("word " * 3000))

    assert caught.value.window == 2000
    assert len(server.requests) == 1


# What an endpoint takes


@pytest.mark.parametrize("field", ["stream_options", "stream", "max_tokens", "tools", "response_format"])
async def test_a_refused_field_is_left_out_from_then_on(
    server: ModelServer, client: OpenAIClient, field: str
) -> None:
    server.refuses = frozenset({field})
    asked = prompt("tea?", tools=[RECALL], schema={"type": "object"})

    assert (await client.complete(asked)).text == "ok"
    refused = len(server.rejected)
    assert (await client.complete(asked)).text == "ok"

    assert 1 <= refused <= 2
    assert len(server.rejected) == refused
    assert field not in server.requests[-1]


async def test_the_newer_name_of_the_output_limit_is_tried(server: ModelServer, client: OpenAIClient) -> None:
    server.refuses = frozenset({"max_tokens"})

    await client.complete(prompt("hi", max_output=77))

    assert server.requests[-1]["max_completion_tokens"] == 77


async def test_the_most_output_that_an_endpoint_allows_is_learned(
    server: ModelServer, client: OpenAIClient
) -> None:
    server.add(
        refusal(400, "max_tokens is too large: 1024. This model supports at most 512 completion tokens")
    )

    await client.complete(HELLO)

    assert server.requests[-1]["max_tokens"] == 512


async def test_null_beside_calls_becomes_an_empty_text_where_it_is_refused(
    server: ModelServer, client: OpenAIClient
) -> None:
    history = prompt("tea?", assistant("", call("a")), result("a", "green"), tools=[RECALL])

    await client.complete(history)
    server.null_content = False
    await client.complete(history)

    assert server.requests[0]["messages"][2]["content"] is None
    assert server.requests[-1]["messages"][2]["content"] == ""


async def test_a_refused_system_part_moves_into_the_first_message(
    server: ModelServer, client: OpenAIClient
) -> None:
    server.system_role = False

    await client.complete(HELLO)

    assert server.requests[-1]["messages"] == [{"role": "user", "content": "You are Mneme.\n\nhello"}]


async def test_ids_are_shortened_together_where_short_ones_are_wanted(
    server: ModelServer, client: OpenAIClient
) -> None:
    server.short_ids = True

    await client.complete(prompt("tea?", assistant("", call("turn/1/0")), result("turn/1/0", "green")))

    sent = server.requests[-1]["messages"]
    assert len(sent[2]["tool_calls"][0]["id"]) == 9
    assert sent[3]["tool_call_id"] == sent[2]["tool_calls"][0]["id"]


async def test_reasoning_goes_back_only_where_it_is_wanted(server: ModelServer, client: OpenAIClient) -> None:
    history = prompt("tea?", assistant("", call("a"), reasoning="hm"), result("a", "green"))

    await client.complete(history)
    server.wants_reasoning = True
    await client.complete(history)

    assert "reasoning_content" not in server.requests[0]["messages"][2]
    assert server.requests[-1]["messages"][2]["reasoning_content"] == "hm"


async def test_calls_without_the_wanted_reasoning_are_cut_off_at_a_user_message(
    server: ModelServer, client: OpenAIClient
) -> None:
    server.wants_reasoning = True
    old: list[Message | str] = ["tea?", assistant("", call("a")), result("a", "green"), assistant("Green.")]

    await client.complete(prompt(*old, "and milk?", assistant("Yes."), "thanks"))

    contents = [message["content"] for message in server.requests[-1]["messages"]]
    assert contents == ["You are Mneme.", "and milk?", "Yes.", "thanks"]


async def test_a_lesson_learned_meanwhile_is_no_refusal(server: ModelServer, client: OpenAIClient) -> None:
    server.refuses = frozenset({"stream_options", "max_tokens"})

    answers = await asyncio.gather(*(client.complete(HELLO) for _ in range(5)))

    assert [answer.text for answer in answers] == ["ok"] * 5


async def test_an_endpoint_that_refuses_everything_is_given_up(
    server: ModelServer, client: OpenAIClient
) -> None:
    server.otherwise = refusal(
        400, "unsupported: stream_options, stream, max_tokens, content null, system role not"
    )

    with pytest.raises(LLMRejected):
        await client.complete(HELLO)

    assert len(server.requests) < 10


# Windows


async def _window(server: ModelServer, client: OpenAIClient, **documents: Any) -> int:
    server.documents = {f"/{path.replace('__', '/')}": value for path, value in documents.items()}
    return await client.window()


async def test_a_configured_window_is_not_asked_for(server: ModelServer, make: Make) -> None:
    assert await make(context_window=5000).window() == 5000
    assert server.asked_addresses == []


@pytest.mark.parametrize("name", ["context_length", "max_model_len", "context_window"])
async def test_the_list_of_models_tells_the_window(
    server: ModelServer, client: OpenAIClient, name: str
) -> None:
    listed = {"data": [{"id": "other", name: 1}, {"id": "model-a", name: 32768}]}

    assert await _window(server, client, v1__models=listed) == 32768
    assert await client.window() == 32768
    assert server.asked_addresses == ["/v1/models"]


async def test_the_window_of_llama_cpp_is_what_it_runs_with(
    server: ModelServer, client: OpenAIClient
) -> None:
    listed = {"data": [{"id": "file.gguf", "meta": {"n_ctx_train": 131072}}]}

    window = await _window(
        server, client, v1__models=listed, props={"default_generation_settings": {"n_ctx": 4096}}
    )

    assert window == 4096


async def test_what_it_was_trained_with_is_better_than_nothing(
    server: ModelServer, client: OpenAIClient
) -> None:
    listed = {"data": [{"id": "file.gguf", "meta": {"n_ctx_train": 16384}}]}

    assert await _window(server, client, v1__models=listed) == 16384


async def test_the_window_of_ollama_is_what_its_model_file_sets(
    server: ModelServer, client: OpenAIClient
) -> None:
    shown = {"model_info": {"qwen3.context_length": 40960}, "parameters": "stop x\nnum_ctx    6000"}

    assert await _window(server, client, api__show=shown) == 6000


async def test_ollama_is_asked_again_once_its_model_is_loaded(
    server: ModelServer, client: OpenAIClient
) -> None:
    shown = {"model_info": {"qwen3.context_length": 40960}}

    assert await _window(server, client, api__show=shown) == 40960
    server.documents["/api/ps"] = {"models": [{"name": "model-a:latest", "context_length": 4096}]}
    assert await client.window() == 40960
    await client.complete(HELLO)
    assert await client.window() == 4096


async def test_nobody_knowing_it_makes_it_8192(server: ModelServer, client: OpenAIClient) -> None:
    assert await client.window() == 8192
    await client.complete(HELLO)
    assert await client.window() == 8192
    await client.complete(HELLO)
    asked = len(server.asked_addresses)
    assert await client.window() == 8192

    assert len(server.asked_addresses) == asked


async def test_warming_raises_nothing(make: Make) -> None:
    await make(base_url="http://127.0.0.1:9/v1").warm()
    await make(base_url="nonsense").warm()


# The wire


async def test_what_is_no_unicode_is_replaced(server: ModelServer, client: OpenAIClient) -> None:
    await client.complete(prompt("bad \udc80 text"))

    assert server.requests[0]["messages"][1]["content"] == "bad ? text"


async def test_a_whole_conversation_is_legal_on_the_wire(server: ModelServer, client: OpenAIClient) -> None:
    history = prompt(
        "tea?", assistant("", call("a"), call("b")), result("a", "green"), result("b", "black"),
        assistant("Both."), user("<|endoftext|> thanks", sender_name="Ann"), tools=[RECALL],
    )  # fmt: skip

    assert isinstance(await client.complete(history), Completion)
    assert server.rejected == []
