"""The pure parts of the OpenAI client: how it reads events, refusals and windows, and what it learns."""

from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gateway.errors import ContextOverflow, LLMRejected, LLMUnavailable
from gateway.llm.openai.events import END, documents
from gateway.llm.openai.faults import fault, read_refusal, refused_in_stream
from gateway.llm.openai.quirks import Quirks, learn
from gateway.llm.openai.wire import encode, request
from tests.helpers.grammar import wire_faults
from tests.helpers.prompts import RECALL, assistant, call, prompt, result

LATE = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


async def read(*pieces: bytes) -> list[dict[str, Any]]:
    async def body() -> Any:
        for piece in pieces:
            yield piece

    return [document async for document in documents(body())]


@settings(deadline=None, max_examples=60)
@given(
    texts=st.lists(st.text(max_size=12), min_size=1, max_size=4),
    cuts=st.lists(st.integers(0, 200), max_size=6),
    newline=st.sampled_from([b"\n", b"\r\n"]),
    mark=st.sampled_from([b"", b"\xef\xbb\xbf"]),
)
@example(texts=[""], cuts=[3], newline=b"\n", mark=b"\xef\xbb\xbf")
async def test_events_are_the_same_however_the_bytes_are_cut(
    texts: list[str], cuts: list[int], newline: bytes, mark: bytes
) -> None:
    events = [
        b": ping",
        b"",
        *(line for text in texts for line in (b"data: " + orjson.dumps({"t": text}), b"")),
    ]
    body = mark + newline.join([*events, b"data: [DONE]", b"", b""])
    places = sorted({min(cut, len(body)) for cut in cuts} | {0, len(body)})
    pieces = [body[start:end] for start, end in pairwise(places)]

    assert await read(*pieces) == [*({"t": text} for text in texts), END]


async def test_a_last_event_without_its_blank_line_counts_if_it_is_whole() -> None:
    assert await read(b'data: {"a": 1}\n\ndata: {"b": 2}') == [{"a": 1}, {"b": 2}]
    assert await read(b'data: {"a": 1}\n\ndata: {"b": ') == [{"a": 1}]
    assert await read(b'data:{"a": 1}\n\ndata: [DONE]') == [{"a": 1}, END]


async def test_bytes_that_are_no_utf8_cost_a_character_and_not_the_answer() -> None:
    assert await read(b'data: {"t": "caf\xc3"}\n\n') == [{"t": "caf\ufffd"}]


OVERFLOWS = [
    ("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", 8192),
    ("This model's maximum context length is 32,768 tokens. Please reduce the length of the input messages.", 32768),
    ("the request exceeds the available context size, try increasing it", None),
    ("request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it", 4096),
    ("The decoder prompt (length 5000) is longer than the maximum model length of 4096.", 4096),
    ("prompt is too long: 210000 tokens > 200000 maximum", 200000),
    ("input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000, decrease input length", 200000),
    ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1048576),
    ("Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", 32768),
    ("Please reduce the length of the messages or completion.", None),
    ("input length exceeds maximum context length", None),
    ("prompt too long; exceeded max context length by 12 tokens", None),
    ("Range of input length should be [1, 30720]", 30720),
    ("too many tokens: total number of tokens in the prompt cannot exceed 4081", 4081),
    ("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000", 4096),
    ("This model's maximum prompt length is 131072 but the request contains 200000 tokens.", 131072),
    ("Invalid request: Your request exceeded model token limit: 8192", 8192),
    ("invalid params, context window exceeds limit", None),
    ("keep the first 5000 tokens when context the overflows. The model has a context length of only 4096 tokens", 4096),
    ("Request too large for model x on tokens per minute (TPM): Limit 6000, Requested 7000", 6000),
]  # fmt: skip


@pytest.mark.parametrize(("complaint", "window"), OVERFLOWS)
@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_every_way_to_say_too_long_is_understood(complaint: str, window: int | None, status: int) -> None:
    body = orjson.dumps({"error": {"message": complaint}})

    error = fault(read_refusal(status, body=body, headers={}), name="it", model="m")

    assert isinstance(error, ContextOverflow)
    assert error.window == window


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "no", "code": "context_length_exceeded"}},
        {"error": {"message": "no", "type": "exceed_context_size_error", "n_ctx": 4096}},
    ],
)
def test_codes_say_too_long_as_well(body: dict[str, Any]) -> None:
    error = fault(read_refusal(400, body=orjson.dumps(body), headers={}), name="it", model="m")

    assert isinstance(error, ContextOverflow)
    assert error.window == body["error"].get("n_ctx")


@pytest.mark.parametrize(
    "complaint",
    ["the model is overloaded", "max_tokens must be positive", "content is too short", "rate limit: 60"],
)
def test_other_complaints_are_not_taken_for_it(complaint: str) -> None:
    body = orjson.dumps({"error": {"message": complaint}})

    assert not isinstance(
        fault(read_refusal(400, body=body, headers={}), name="it", model="m"), ContextOverflow
    )


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": "plain words"}', "plain words"),
        (b'{"message": "at the top"}', "at the top"),
        (b'{"detail": "a detail"}', "a detail"),
        (b'{"detail": [{"loc": ["body", "x"], "msg": "is odd", "input": "SECRET"}]}', "body.x: is odd"),
        (b"just text", "just text"),
        (b"<html>SECRET</html>", ""),
        (b"", ""),
        (b"[1, 2]", ""),
        (b"\xff\xfe", "\ufffd\ufffd"),
    ],
)
def test_complaints_of_any_shape_are_read(body: bytes, said: str) -> None:
    refusal = read_refusal(400, body=body, headers={})

    assert refusal.complaint == said
    assert "SECRET" not in str(fault(refusal, name="it", model="m"))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Sun, 01 Mar 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Sun, 01 Mar 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_the_time_to_wait_is_read_however_it_is_written(
    headers: dict[str, str], seconds: float | None
) -> None:
    error = fault(read_refusal(429, body=b"", headers=headers, now=LATE), name="it", model="m")

    assert isinstance(error, LLMUnavailable)
    assert error.retry_after == seconds


def test_an_error_document_in_a_stream_has_the_status_of_its_code() -> None:
    refused = refused_in_stream({"error": {"message": "no", "code": 401}})

    assert refused is not None
    assert isinstance(fault(refused, name="it", model="m"), LLMRejected)
    assert refused_in_stream({"error": None, "choices": []}) is None


REFUSALS = [
    ("Unknown parameter: 'stream_options'.", "usage_in_stream", False),
    ("body.stream_options: Extra inputs are not permitted", "usage_in_stream", False),
    ("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
     "limit_field", "max_completion_tokens"),
    ("Invalid max_tokens value, the valid range of max_tokens is [1, 512]", "limit", 512),
    ("This response_format type is unavailable now", "answer_format", "json_object"),
    ("Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
     "answer_format", "json_object"),
    ("registry.ollama.ai/library/x does not support tools", "tools", False),
    ('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', "tools", False),
    ("tools param requires --jinja flag", "tools", False),
    ("No endpoints found that support tool use", "tools", False),
    ("messages.2.content: Input should be a valid string", "null_content", False),
    ("Invalid value for 'content': expected a string, got null.", "null_content", False),
    ("thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
     "reasoning", True),
    ("System role not supported", "system_role", False),
    ("Tool call id was x but must be a-z, A-Z, 0-9, with a length of 9.", "short_ids", True),
]  # fmt: skip

FULL = prompt(
    "tea?",
    assistant("", call("turn/1/0")),
    result("turn/1/0", "green"),
    tools=[RECALL],
    schema={"type": "object"},
)


@pytest.mark.parametrize(("complaint", "field", "value"), REFUSALS)
def test_a_refusal_teaches_one_thing(complaint: str, field: str, value: object) -> None:
    quirks = Quirks()

    learned = learn(quirks, complaint=complaint, sent=request(FULL, model="m", quirks=quirks))

    assert learned is not None
    changed = {name for name in Quirks.__slots__ if getattr(learned, name) != getattr(quirks, name)}
    assert changed == {field}
    assert getattr(learned, field) == value


@pytest.mark.parametrize(
    "complaint",
    [
        "Invalid schema for function 'odd': tools[3].parameters is missing",
        "The model is not allowed to answer that",
        "Your content violates our policy",
        "",
    ],
)
def test_a_refusal_about_something_else_teaches_nothing(complaint: str) -> None:
    assert learn(Quirks(), complaint=complaint, sent=request(FULL, model="m", quirks=Quirks())) is None


@given(st.text(max_size=80))
def test_learning_ends(complaint: str) -> None:
    everything = (
        f"{complaint} unsupported stream_options, stream, max_tokens, tools, response_format, content null"
    )
    quirks: Quirks | None = Quirks()
    steps = 0
    while quirks is not None:
        steps += 1
        quirks = learn(quirks, complaint=everything, sent=request(FULL, model="m", quirks=quirks))

    assert steps <= 10


@given(
    stream=st.booleans(), tools=st.booleans(), null_content=st.just(True), reasoning=st.booleans(),
    system_role=st.booleans(), short_ids=st.booleans(),
)  # fmt: skip
def test_a_legal_prompt_stays_legal_in_every_shape(**quirks: Any) -> None:
    body = request(FULL, model="m", quirks=Quirks(**quirks))

    assert wire_faults(body["messages"]) == []
    assert orjson.loads(encode(body))["messages"] == body["messages"]
