"""Histories that broke other systems, told through the whole gateway to a server as strict as the strictest."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gateway.llm.client import ToolSchema
from gateway.llm.openai import OpenAIClient
from gateway.llm.settings import Endpoint
from gateway.tools.tool import ToolContext
from memory.messages import AssistantMessage, Message, Provenance, ToolCall, ToolMessage, UserMessage
from memory.sessions.session import Session
from tests.helpers.house import House, house
from tests.helpers.model_answers import Answer, refusal, tool_call
from tests.helpers.model_server import ModelServer

KEY = "loopback:main"
AT = datetime(2026, 3, 1, tzinfo=UTC)


class WorkTool:
    """Answers after `gate` is set; `text` is what it answers."""

    provenance = Provenance.TOOL
    schema = ToolSchema(name="work", description="work", parameters={"type": "object", "properties": {}})

    def __init__(self, text: str = "worked") -> None:
        self.text = text
        self.gate = asyncio.Event()
        self.gate.set()
        self.started = asyncio.Event()

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        self.started.set()
        await self.gate.wait()
        return self.text


def user(text: str) -> Message:
    return UserMessage(content=text, at=AT)


def says(text: str, *call_ids: str) -> Message:
    calls = tuple(ToolCall(id=call_id, name="work", arguments="{}") for call_id in call_ids)
    return AssistantMessage(content=text, at=AT, tool_calls=calls)


def result(call_id: str, text: str) -> Message:
    return ToolMessage(content=text, at=AT, tool_call_id=call_id, name="work")


async def keep(inside: House, messages: Sequence[Message]) -> None:
    """Put these into the session as if an older program had."""
    session = Session(key=KEY, audience="person-owner", created_at=AT, updated_at=AT)
    for message in messages:
        session.add(message)
    await inside.gateway.stores.sessions.adopt(session)


@asynccontextmanager
async def strict_house(
    state: Path, server: ModelServer, *, history: Sequence[Message] = (), tool: WorkTool | None = None
) -> AsyncIterator[House]:
    """A gateway on a strict model server, its session begun with `history`."""
    llm = OpenAIClient(Endpoint(base_url=server.base_url, model=server.model, context_window=server.window))
    try:
        async with house(state, llm, tools=[tool or WorkTool()]) as inside:
            await keep(inside, history)
            yield inside
    finally:
        await llm.close()


BROKEN: dict[str, list[Message]] = {
    "a result whose call was never saved": [
        user("run it"),
        says("", "c1"),
        result("c1", "ok"),
        result("c2", "listing"),
        says("done"),
    ],
    "two results for one call and one without an id": [
        user("run it"),
        says("", "c1"),
        result("c1", "one"),
        result("c1", "two"),
        result("", "x"),
        says("ok"),
    ],
    "the same id in two turns": [
        user("a"),
        says("", "run:0"),
        result("run:0", "A"),
        says("first"),
        user("b"),
        says("", "run:0"),
        result("run:0", "B"),
        says("second"),
    ],
    "a call that never got its result": [user("go"), says("", "c1", "c2"), result("c1", "half")],
    "an answer without a word": [user("hi"), says(""), user("hello?"), says("  ")],
    "answers one after the other": [says("hello"), says("again"), user("one"), user("two")],
    "a lone surrogate": [user("bad \udc80 text"), says("fine")],
}


@pytest.mark.parametrize("name", BROKEN)
async def test_a_broken_history_is_mended_on_the_way_and_both_next_turns_are_answered(
    tmp_path: Path, name: str
) -> None:
    async with ModelServer() as server, strict_house(tmp_path, server, history=BROKEN[name]) as inside:
        before = await inside.gateway.stores.sessions.read(KEY, from_seq=1, to_seq=100)
        replies = [await inside.ask("next"), await inside.ask("and then")]
        after = await inside.gateway.stores.sessions.read(KEY, from_seq=1, to_seq=len(before))

    assert replies == ["ok", "ok"]
    assert server.rejected == []
    assert after == before


async def test_the_second_result_of_a_reused_id_is_sent_as_it_is(tmp_path: Path) -> None:
    history = BROKEN["the same id in two turns"]
    async with ModelServer() as server, strict_house(tmp_path, server, history=history) as inside:
        await inside.ask("next")
        sent = [message["content"] for message in server.requests[0]["messages"] if message["role"] == "tool"]

    assert sent == ["A", "B"]


async def test_a_stream_that_dies_inside_a_call_leaves_nothing_half(tmp_path: Path) -> None:
    broken = Answer(
        calls=[tool_call("c1", name="work", arguments='{"text": "a long argument"}')], cut_after=3
    )
    async with (
        ModelServer(broken, broken, broken) as server,
        strict_house(tmp_path, server) as inside,
    ):
        notice = await inside.ask("go")
        replies = [await inside.ask("hi"), await inside.ask("hi again")]
        kept = await inside.gateway.stores.sessions.read(KEY, from_seq=1, to_seq=10)

    assert "can't be reached" in notice
    assert replies == ["ok", "ok"]
    assert not any(isinstance(message, ToolMessage) for message in kept)
    assert server.rejected == []


async def test_a_message_during_a_slow_tool_waits_and_the_true_result_is_kept(tmp_path: Path) -> None:
    tool = WorkTool("the true result")
    tool.gate.clear()
    script = Answer(calls=[tool_call("c1", name="work")])
    async with ModelServer(script) as server, strict_house(tmp_path, server, tool=tool) as inside:
        first = await inside.loopback.say("go")
        await tool.started.wait()
        second = await inside.loopback.say("are you there?")
        tool.gate.set()
        replies = [(await inside.loopback.reply_to(message)).text for message in (first, second)]
        kept = await inside.gateway.stores.sessions.read(KEY, from_seq=1, to_seq=10)

    assert replies == ["ok", "ok"]
    assert [m.content for m in kept if isinstance(m, ToolMessage)] == ["the true result"]
    assert server.rejected == []


def _empty_id() -> Answer:
    return Answer(calls=[tool_call("", name="work")])


def _no_index() -> Answer:
    return Answer(calls=[tool_call("c1", name="work", arguments='{"a": 1}')], indexed=False, piece=3)


def _same_ids() -> Answer:
    return Answer(calls=[tool_call("c", name="work"), tool_call("c", name="work")])


@pytest.mark.parametrize("odd", [_empty_id, _no_index, _same_ids])
async def test_odd_calls_get_ids_of_ours_and_later_turns_go_on(
    tmp_path: Path, odd: Callable[[], Answer]
) -> None:
    async with ModelServer(odd()) as server, strict_house(tmp_path, server) as inside:
        replies = [await inside.ask("go"), await inside.ask("on"), await inside.ask("and on")]

    assert replies == ["ok", "ok", "ok"]
    assert server.rejected == []


async def test_broken_arguments_come_back_as_errors_until_the_model_answers(tmp_path: Path) -> None:
    broken = Answer(calls=[tool_call("c1", name="work", arguments="{bad")])
    async with ModelServer(broken, broken) as server, strict_house(tmp_path, server) as inside:
        reply = await inside.ask("go")
        kept = await inside.gateway.stores.sessions.read(KEY, from_seq=1, to_seq=10)

    assert reply == "ok"
    assert [message.is_error for message in kept if isinstance(message, ToolMessage)] == [True, True]
    assert server.rejected == []


async def test_null_content_and_errors_are_never_replayed(tmp_path: Path) -> None:
    async with (
        ModelServer(Answer(text=None), refusal(400, "a strange complaint")) as server,
        strict_house(tmp_path, server) as inside,
    ):
        notices = [await inside.ask("one"), await inside.ask("two")]
        reply = await inside.ask("hi")
        sent = server.requests[-1]["messages"]

    assert reply == "ok"
    assert all("strange complaint" not in notice for notice in notices)
    assert [message["role"] for message in sent] == ["system", "user"]
    assert "strange complaint" not in str(sent)


async def test_two_failed_turns_put_no_invented_words_under_the_user(tmp_path: Path) -> None:
    failing = [refusal(500)] * 6
    async with ModelServer(*failing) as server, strict_house(tmp_path, server) as inside:
        await inside.ask("first")
        await inside.ask("second")
        reply = await inside.ask("third")
        words = server.requests[-1]["messages"][-1]["content"]

    assert reply == "ok"
    assert words.endswith("first\n\nsecond\n\nthird")


async def test_a_tool_that_returns_a_lone_surrogate_ruins_no_save(tmp_path: Path) -> None:
    script = Answer(calls=[tool_call("c1", name="work")])
    async with (
        ModelServer(script) as server,
        strict_house(tmp_path, server, tool=WorkTool("bytes \udc80 here")) as inside,
    ):
        replies = [await inside.ask("go"), await inside.ask("on")]

    assert replies == ["ok", "ok"]
    assert server.rejected == []
