"""API clients, operators and strangers at the HTTP address."""

import asyncio
import io
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import openai
import pytest

from gateway.errors import GatewayError, LLMUnavailable
from gateway.llm.scripted import Held, ScriptedLLM
from gateway.service.clock import ManualClock
from memory.audience import person_audience
from tests.helpers.web_house import WebHouse, web_house

PEOPLE = """
[people.ann]
role = "owner"
web_token = "ann's own token"
web = ["diary"]
[people.bob]
web_token = "bob's own token"
web = ["bob-desk"]
[channels.web]
token = "the house's token"
"""


@asynccontextmanager
async def sdk(house: WebHouse, *, key: str = "unused") -> AsyncIterator[openai.AsyncOpenAI]:
    """The SDK that clients use, pointed at us."""
    async with openai.AsyncOpenAI(base_url=f"{house.url}/v1", api_key=key, max_retries=0) as client:
        yield client


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


# ---------------------------------------------------------------- completions


async def test_twenty_turns_over_the_sdk_are_one_conversation(tmp_path: Path) -> None:
    llm = ScriptedLLM(otherwise=lambda prompt: f"{len(prompt.messages)} seen, newest {prompt.newest}")
    history: list[Any] = []
    answers = []
    async with web_house(tmp_path, llm) as house, sdk(house) as client:
        for number in range(20):
            history.append({"role": "user", "content": f"turn {number}"})
            answers.append(await client.chat.completions.create(model="mine", messages=history, user="ann"))
            history.append({"role": "assistant", "content": answers[-1].choices[0].message.content})
        kept = await house.gateway.stores.sessions.read("web:ann", from_seq=1, to_seq=100)

    assert [message.content for message in kept] == [entry["content"] for entry in history]
    assert history[-1]["content"] == "39 seen, newest turn 19"
    assert {(answer.model, answer.choices[0].finish_reason) for answer in answers} == {("mine", "stop")}
    usage = answers[-1].usage
    assert usage is not None
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens > 0


async def test_a_streamed_answer_comes_in_pieces_with_its_usage(tmp_path: Path) -> None:
    llm = ScriptedLLM("one two three four five", piece=4)
    async with web_house(tmp_path, llm) as house, sdk(house) as client:
        stream = await client.chat.completions.create(
            model="mine",
            messages=[{"role": "user", "content": "count"}],
            stream=True,
            stream_options={"include_usage": True},
        )
        chunks = [chunk async for chunk in stream]

    words = "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
    ends = [choice.finish_reason for chunk in chunks for choice in chunk.choices if choice.finish_reason]
    assert words == "one two three four five"
    assert ends == ["stop"]
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-1].usage is not None
    assert {(chunk.id, chunk.model) for chunk in chunks} == {(chunks[0].id, "mine")}


async def test_text_parts_are_taken_and_the_session_is_named_by_header_before_user(tmp_path: Path) -> None:
    content = [{"type": "text", "text": "first"}, {"type": "text", "text": "second"}]
    async with web_house(tmp_path) as house:
        status, document = await house.complete(
            "", messages=[{"role": "user", "content": content}], user="u", headers={"X-Mneme-Session": "h"}
        )
        audience = await house.gateway.stores.sessions.audience_of("web:h")

    assert status == 200
    assert document["choices"][0]["message"]["content"] == "heard: first\nsecond"
    assert audience == person_audience("owner")


async def test_retries_with_the_same_key_are_one_message_however_they_come(tmp_path: Path) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM(Held(answer="once", until=gate), otherwise="twice")
    key = {"Idempotency-Key": "k/1"}
    async with web_house(tmp_path, llm) as house:
        together = [asyncio.create_task(house.complete("hello", headers=key)) for _ in range(3)]
        await llm.asked(1)
        gate.set()
        answers = await asyncio.gather(*together)
        answers.append(await house.complete("hello", headers=key))
    async with web_house(tmp_path, llm) as house:
        answers.append(await house.complete("hello", headers=key))
        other = await house.complete("hello", headers={"Idempotency-Key": "k/2"})

    assert {document["choices"][0]["message"]["content"] for _, document in answers} == {"once"}
    assert len({document["id"] for _, document in answers}) == 1
    assert other[1]["choices"][0]["message"]["content"] == "twice"


async def test_a_key_that_comes_again_with_other_words_is_refused(tmp_path: Path) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM(Held(answer="once", until=gate))
    key = {"Idempotency-Key": "k/1"}
    async with web_house(tmp_path, llm) as house:
        first = asyncio.create_task(house.complete("hello", headers=key))
        await llm.asked(1)
        waiting = await house.complete("goodbye", headers=key)
        gate.set()
        await first
        status, answered = await house.complete("goodbye", headers=key, stream=True)
        again = await house.complete("hello", headers=key)

    assert (waiting[0], status, again[0]) == (422, 422, 200)
    assert '"k/1"' in answered["error"]["message"]
    assert answered == waiting[1]
    assert len(llm.prompts) == 1


async def test_of_two_that_use_one_key_at_once_one_is_answered(tmp_path: Path) -> None:
    key = {"Idempotency-Key": "k"}
    async with web_house(tmp_path) as house:
        answers = await asyncio.gather(*(house.complete(word, headers=key) for word in ("one", "two")))

    assert sorted(status for status, _ in answers) == [200, 422]


async def test_a_client_that_hangs_up_stops_nothing(tmp_path: Path) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM(Held(answer="for whoever asks", until=gate))
    key = {"Idempotency-Key": "1"}
    async with web_house(tmp_path, llm) as house:
        call = asyncio.create_task(house.complete("hello", headers=key))
        stream = asyncio.create_task(house.complete("hello", headers=key, stream=True))
        await llm.asked(1)
        for task in (call, stream):
            task.cancel()
        await asyncio.wait({call, stream})
        gate.set()
        await house.gateway.drain()
        owed = await house.gateway.stores.journal.entries()
        status, document = await house.complete("hello", headers=key)

    assert owed == []
    assert (status, document["choices"][0]["message"]["content"]) == (200, "for whoever asks")
    assert len(llm.prompts) == 1


async def test_an_api_client_is_answered_while_an_older_answer_waits_for_a_socket(tmp_path: Path) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM(Held(answer="for the socket", until=gate), otherwise="for the client")
    async with web_house(tmp_path, llm) as house:
        async with house.talk() as talk:
            await talk.say("hello", id="1")
            await talk.next("ack")
        gate.set()
        await house.gateway.drain()
        status, document = await house.complete("hi")
        async with house.talk() as talk:
            late = [(await talk.next("reply"))["text"] for _ in range(2)]

    assert (status, document["choices"][0]["message"]["content"]) == (200, "for the client")
    assert late == ["for the socket", "for the client"]


async def test_a_model_that_fails_is_said_and_a_stopped_answer_ends_the_request(tmp_path: Path) -> None:
    llm = ScriptedLLM(LLMUnavailable("down"), Held(answer="never", until=asyncio.Event()))
    async with web_house(tmp_path, llm) as house:
        failed = await house.complete("hello", headers={"Idempotency-Key": "1"})
        gone = await house.complete("hello", headers={"Idempotency-Key": "1"})
        waiting = asyncio.create_task(house.complete("again"))
        await llm.asked(2)
        stop = await house.complete("/stop")
        stopped = await waiting

    assert "model can't be reached" in failed[1]["choices"][0]["message"]["content"]
    assert (gone[0], gone[1]["error"]["type"]) == (410, "no_answer")
    assert "Stopped" in stopped[1]["choices"][0]["message"]["content"]
    assert stop[0] == 410


async def test_models_name_who_answers(tmp_path: Path) -> None:
    async with web_house(tmp_path, ScriptedLLM(name="the-model")) as house, sdk(house) as client:
        models = [model.id async for model in client.models.list()]

    assert models == ["the-model"]


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "not valid JSON"),
        (b"[]", "must be a JSON object"),
        (b"{}", "messages must be a list"),
        (b'{"messages":[]}', "messages must be a list that isn't empty"),
        (b'{"messages":["x"]}', "messages[0] must be an object with a role"),
        (b'{"messages":[{"role":"assistant","content":"x"}]}', 'no message with role "user"'),
        (b'{"messages":[{"role":"user","content":""}]}', "messages[0].content holds no text"),
        (b'{"messages":[{"role":"user","content":[{"type":"image_url"}]}]}', 'part of type "text"'),
        (b'{"messages":[{"role":"user","content":"x"}],"stream":1}', "stream must be true or false"),
        (b'{"messages":[{"role":"user","content":"x"}],"n":2}', "n must be 1"),
        (b'{"messages":[{"role":"user","content":"x"}],"user":"a\\u0000b"}', "printable"),
    ],
)
async def test_a_request_that_cannot_be_read_is_told_what_is_wrong(
    tmp_path: Path, body: bytes, said: str
) -> None:
    headers = {"Content-Type": "application/json"}
    async with (
        web_house(tmp_path) as house,
        house.client.post("/v1/chat/completions", data=body, headers=headers) as response,
    ):
        document = await response.json()

    assert response.status == 400
    assert said in document["error"]["message"]
    assert document["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"Content-Type": "text/plain"}, b"{}", 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, b"a=b", 415),
        ({"Content-Type": "application/json"}, b" " * (1024 * 1024 + 1), 413),
        ({"Content-Type": "application/json", "Origin": "https://evil.example"}, b"{}", 403),
        ({"Content-Type": "application/json", "Origin": "null"}, b"{}", 403),
        ({"Content-Type": "application/json", "Host": "evil.example"}, b"{}", 403),
        ({"Content-Type": "application/json", "X-Forwarded-For": "203.0.113.9"}, b"{}", 403),
    ],
)
async def test_what_no_client_of_ours_would_send_is_refused(
    tmp_path: Path, headers: Mapping[str, str], body: bytes, status: int
) -> None:
    async with (
        web_house(tmp_path) as house,
        house.client.post("/v1/chat/completions", data=io.BytesIO(body), headers=headers) as response,
    ):
        document = await response.json()

    assert response.status == status
    assert document["error"]["message"]


async def test_a_body_without_a_length_is_measured_while_it_comes(tmp_path: Path) -> None:
    async def body() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield b" " * 65536

    headers = {"Content-Type": "application/json"}
    async with (
        web_house(tmp_path) as house,
        house.client.post("/v1/chat/completions", data=body(), headers=headers) as response,
    ):
        assert response.status == 413


async def test_a_page_of_another_site_opens_no_socket(tmp_path: Path) -> None:
    async with web_house(tmp_path) as house:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            async with house.talk(origin="https://evil.example"):
                pass

    assert refused.value.status == 403


async def test_unknown_paths_and_methods_are_json_errors(tmp_path: Path) -> None:
    async with web_house(tmp_path) as house:
        async with house.client.get("/nowhere") as missing:
            nothing = await missing.json()
        async with house.client.delete("/health") as wrong:
            pass

    assert (missing.status, wrong.status) == (404, 405)
    assert nothing["error"]["type"] == "invalid_request_error"


async def test_a_flood_of_refused_requests_is_slowed_and_harms_nobody_else(tmp_path: Path) -> None:
    async with web_house(tmp_path, toml=PEOPLE, clock=ManualClock()) as house:
        refused = [await house.complete("hello", headers=bearer("wrong")) for _ in range(25)]
        async with house.client.post("/v1/chat/completions", headers=bearer("wrong")) as last:
            retry_after = last.headers["Retry-After"]
        served, _ = await house.complete("hello", headers=bearer("the house's token"))

    assert [status for status, _ in refused] == [401] * 20 + [429] * 5
    assert refused[-1][1]["error"]["type"] == "rate_limit_error"
    assert int(retry_after) >= 1
    assert served == 200


@pytest.mark.slow
async def test_one_person_has_a_thousand_unanswered_messages_and_no_more(tmp_path: Path) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM(Held(answer="late", until=gate), otherwise="rest")
    async with web_house(tmp_path, llm, toml=PEOPLE) as house:
        async with house.talk("flood", token="bob's own token") as talk:
            for number in range(1000):
                await talk.say("x", id=str(number))
            while (await talk.next("ack"))["id"] != "999":
                pass
            await talk.say("x", id="1000")
            refused = await talk.next("error")
            await talk.say("x", id="999")
            again = await talk.next("ack")
        too_many = await house.complete("x", headers=bearer("bob's own token"))
        other = await house.complete("x", headers=bearer("ann's own token"), user="diary")
        gate.set()

    assert refused["id"] == "1000"
    assert again["id"] == "999"
    assert too_many[0] == 429
    assert other[0] == 200


# ---------------------------------------------------------------- people


async def test_tokens_name_people_and_sessions_are_theirs(tmp_path: Path) -> None:
    async with web_house(tmp_path, toml=PEOPLE) as house:
        ann, bob, shared = (
            bearer(token) for token in ("ann's own token", "bob's own token", "the house's token")
        )
        found = {
            "ann in hers": await house.complete("x", headers=ann, user="diary"),
            "bob in ann's": await house.complete("x", headers=bob, user="diary"),
            "bob by ann's name": await house.complete("x", headers=bob, user="ann"),
            "bob first": await house.complete("x", headers=bob, user="new"),
            "ann second": await house.complete("x", headers=ann, user="new"),
            "house in bob's": await house.complete("x", headers=shared, user="bob-desk"),
            "house in a new one": await house.complete("x", headers=shared, user="hall"),
            "nobody": await house.complete("x"),
            "a stranger": await house.complete("x", headers=bearer("guess")),
        }
        audiences = {
            name: await house.gateway.stores.sessions.audience_of(f"web:{name}")
            for name in ("diary", "ann", "new", "bob-desk", "hall")
        }

    assert {name: status for name, (status, _) in found.items()} == {
        "ann in hers": 200,
        "bob in ann's": 403,
        "bob by ann's name": 200,
        "bob first": 200,
        "ann second": 403,
        "house in bob's": 200,
        "house in a new one": 200,
        "nobody": 401,
        "a stranger": 401,
    }
    assert audiences == {
        "diary": "person-ann",
        "ann": "person-bob",
        "new": "person-bob",
        "bob-desk": "person-bob",
        "hall": "person-ann",
    }


async def test_whoever_is_called_otherwise_now_is_told_why_their_session_is_closed(tmp_path: Path) -> None:
    renamed = PEOPLE.replace("[people.bob]", "[people.rob]")
    async with web_house(tmp_path, toml=PEOPLE) as house:
        await house.complete("x", headers=bearer("bob's own token"), user="notes")
        await house.complete("x", headers=bearer("ann's own token"), user="diary")
    async with web_house(tmp_path, toml=renamed) as house:
        headers = bearer("bob's own token")
        found = [await house.complete("x", headers=headers, user=name) for name in ("notes", "diary")]

    assert [status for status, _ in found] == [403, 403]
    assert [document["error"]["message"].partition(" for a name")[0] for _, document in found] == [
        "this session is kept",
        "this session is somebody else's",
    ]


async def test_who_names_no_session_writes_in_their_own(tmp_path: Path) -> None:
    async with web_house(tmp_path, toml=PEOPLE) as house:
        statuses = [
            (await house.complete("x", headers=bearer(token)))[0]
            for token in ("bob's own token", "the house's token", "ann's own token")
        ]
        async with house.talk("", protocols=("mneme", "base64url.bearer.Ym9iJ3Mgb3duIHRva2Vu")) as talk:
            await talk.ask("hello", id="1")
        audiences = [
            await house.gateway.stores.sessions.audience_of(key) for key in ("web:default", "web:bob")
        ]

    assert statuses == [200, 200, 200]
    assert audiences == ["person-ann", "person-bob"]


async def test_nobody_takes_the_session_in_which_others_write_who_name_none(tmp_path: Path) -> None:
    async with web_house(tmp_path, toml=PEOPLE) as house:
        ann, bob = bearer("ann's own token"), bearer("bob's own token")
        async with house.client.get("/v1/memory", params={"session": "default"}, headers=bob) as looked:
            pass
        taken = [
            await house.complete("x", headers=bob, user="default"),
            await house.complete("x", headers=ann, user="bob"),
        ]
        own = [await house.complete("x", headers=headers) for headers in (ann, bob)]

    assert looked.status == 403
    assert [status for status, _ in taken] == [403, 403]
    assert [status for status, _ in own] == [200, 200]


async def test_a_browser_brings_its_token_as_a_subprotocol(tmp_path: Path) -> None:
    encoded = "Ym9iJ3Mgb3duIHRva2Vu"
    toml = PEOPLE.replace("ann's own token", "ann-token")
    async with web_house(tmp_path, toml=toml) as house:
        async with house.talk("a", protocols=("mneme", f"base64url.bearer.{encoded}")) as talk:
            reply = await talk.ask("hello", id="1")
            chosen = talk.socket.protocol
        async with house.talk("b", protocols=("mneme", "bearer.ann-token")) as talk:
            await talk.ask("hello", id="1")
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            async with house.talk("a", protocols=("mneme", "bearer.guess")):
                pass
        audience = await house.gateway.stores.sessions.audience_of("web:b")

    assert (reply["text"], chosen) == ("heard: hello", "mneme")
    assert refused.value.status == 401
    assert audience == "person-ann"


async def test_memory_is_shown_to_its_person_alone(tmp_path: Path) -> None:
    async with web_house(tmp_path, toml=PEOPLE) as house:
        await house.complete(
            "the blue heron nests by the mill", headers=bearer("ann's own token"), user="diary"
        )
        await house.gateway.stores.index.caught_up()
        found = {}
        for name in ("ann", "bob"):
            query = {"query": "heron", "session": "diary" if name == "ann" else "bob-desk"}
            headers = bearer(f"{name}'s own token")
            async with house.client.get("/v1/memory", params=query, headers=headers) as response:
                found[name] = (await response.json())["hits"]
        async with house.client.get(
            "/v1/memory", params={"session": "diary"}, headers=bearer("bob's own token")
        ) as response:
            status = response.status

    assert {hit["ref"] for hit in found["ann"]} == {"web:diary#1", "web:diary#2"}
    assert found["bob"] == []
    assert status == 403


# ---------------------------------------------------------------- how it is


async def test_health_metrics_and_readiness_are_there_for_everybody(tmp_path: Path) -> None:
    async with web_house(tmp_path, toml=PEOPLE) as house:
        answers = {}
        for path in ("/health", "/ready", "/metrics", "/"):
            async with house.client.get(path) as response:
                answers[path] = (response.status, await response.text())
            async with house.control.get(path) as response:
                assert response.status == 200

    assert {path: status for path, (status, _) in answers.items()} == dict.fromkeys(answers, 200)
    assert "mneme_queue_length" in answers["/metrics"][1]
    assert "token" not in answers["/health"][1]


async def test_the_page_runs_its_own_script_and_nothing_else(tmp_path: Path) -> None:
    async with web_house(tmp_path) as house, house.client.get("/") as response:
        policy = response.headers["Content-Security-Policy"]
        html = await response.text()

    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "://" not in html.split("<script>")[0]
    assert "innerHTML" not in html


# ---------------------------------------------------------------- addresses


async def test_an_address_in_use_is_one_clear_error(tmp_path: Path) -> None:
    async with web_house(tmp_path / "one") as house:
        address = f"127.0.0.1:{house.server.port}"
        with pytest.raises(GatewayError) as refused:
            async with web_house(tmp_path / "two", overrides={"gateway__http": address}):
                pass

    assert str(refused.value).startswith(f"{address} is in use already")
    assert "gateway.http" in str(refused.value)
    assert not (tmp_path / "two" / "control.sock").exists()


async def test_the_control_socket_is_the_owners_alone_and_replaces_a_stale_one(tmp_path: Path) -> None:
    (tmp_path / "control.sock").write_text("left by a crash")
    async with web_house(tmp_path) as house:
        mode = (tmp_path / "control.sock").stat().st_mode & 0o777
        async with house.control.get("/health") as response:
            assert response.status == 200
        async with house.client.post("/control/status", json={}) as outside:
            pass
        async with house.control.post("/control/status", json={}) as inside:
            document = await inside.json()

    assert mode == 0o600
    assert outside.status == 404
    assert document["ready"] is True
    assert {channel["name"] for channel in document["channels"]} == {"web", "terminal"}
    assert not (tmp_path / "control.sock").exists()


async def test_the_control_socket_may_lie_deeper_than_an_address_is_long(tmp_path: Path) -> None:
    async with web_house(tmp_path / ("deep" * 30)) as house, house.control.get("/ready") as response:
        assert response.status == 200


async def test_an_operator_may_carry_in_more_than_a_client(tmp_path: Path) -> None:
    line = '{"role":"user","content":"' + "x" * 200_000 + '"}'
    body = io.BytesIO(json.dumps({"lines": [line] * 10, "key": "web:carried"}).encode())
    headers = {"Content-Type": "application/json"}
    async with (
        web_house(tmp_path) as house,
        house.control.post("/control/sessions-import", data=body, headers=headers) as response,
    ):
        document = await response.json()

    assert (response.status, document["messages"]) == (200, 10)


async def test_an_operation_that_fails_says_why_and_how_to_exit(tmp_path: Path) -> None:
    async with web_house(tmp_path) as house:
        results = {}
        for name, arguments in {
            "sessions-show": {"key": "web:none"},
            "outbox-retry": {"id": "x/0"},
            "nonsense": {},
            "outbox-drop": {"wrong": 1},
        }.items():
            async with house.control.post(f"/control/{name}", json=arguments) as response:
                results[name] = (response.status, (await response.json())["error"])

    assert {status for status, _ in results.values()} == {422}
    assert {error["exit"] for _, error in results.values()} == {1}
    assert 'no dead letter "x/0"' in results["outbox-retry"][1]["message"]


async def test_a_terminal_names_any_session_by_its_key(tmp_path: Path) -> None:
    async with web_house(tmp_path) as house:
        for key in ("terminal:main", "web:desk"):
            async with house.control.ws_connect("/ws", params={"key": key}) as socket:
                await socket.send_json({"type": "message", "id": "1", "text": f"in {key}"})
                while (frame := await socket.receive_json())["type"] != "reply":
                    pass
                assert frame["text"] == f"heard: in {key}"
        kept = {
            key: [m.content for m in await house.gateway.stores.sessions.read(key, from_seq=1, to_seq=9)]
            for key in ("terminal:main", "web:desk")
        }

    assert kept["terminal:main"] == ["in terminal:main", "heard: in terminal:main"]
    assert kept["web:desk"] == ["in web:desk", "heard: in web:desk"]
