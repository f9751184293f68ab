import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from channels.messages import InboundMessage, Quoted
from gateway.errors import ContextOverflow, LLMRejected, LLMUnavailable
from gateway.llm.client import Completion, Usage
from gateway.llm.rote import RoteLLM
from gateway.llm.scripted import Held, ScriptedLLM
from gateway.tools.tool import ToolContext
from memory.messages import AssistantMessage, Provenance, ToolCall, ToolMessage, UserMessage
from tests.helpers.echo import EchoTool, calls
from tests.helpers.house import House, house

KEY = "loopback:main"


async def stored(inside: House, key: str = KEY) -> list[str]:
    """The session as short lines: role and words."""
    lines = []
    for message in await inside.gateway.stores.sessions.read(key, from_seq=1, to_seq=1000):
        role = {UserMessage: "user", AssistantMessage: "assistant", ToolMessage: "tool"}[type(message)]
        lines.append(f"{role}: {message.content}")
    return lines


@pytest.fixture(params=["sqlite", "jsonl"])
def store(request: pytest.FixtureRequest) -> dict[str, str]:
    return {"sessions__store": request.param}


async def test_a_question_is_answered_and_both_are_kept_in_order(
    tmp_path: Path, store: dict[str, str]
) -> None:
    async with house(tmp_path, overrides=store) as inside:
        replies = [await inside.ask("one"), await inside.ask("two")]
        lines = await stored(inside)

    assert replies == ["heard: one", "heard: two"]
    assert lines == ["user: one", "assistant: heard: one", "user: two", "assistant: heard: two"]


async def test_the_conversation_goes_on_after_a_restart(tmp_path: Path, store: dict[str, str]) -> None:
    async with house(tmp_path, overrides=store) as inside:
        await inside.ask("one")
    llm = ScriptedLLM(otherwise="again")
    async with house(tmp_path, llm, overrides=store) as inside:
        await inside.loopback.say("two", message_id="later")
        await inside.calm()

    assert [message.content for message in llm.prompts[0].messages[:2]] == ["one", "heard: one"]


async def test_messages_that_arrive_during_a_turn_are_the_next_turn_together(tmp_path: Path) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM(Held(answer="first", until=gate), otherwise="rest")
    async with house(tmp_path, llm) as inside:
        await inside.loopback.say("one")
        await llm.asked(1)
        await inside.loopback.say("two")
        await inside.loopback.say("three")
        gate.set()
        await inside.calm()
        lines = await stored(inside)

    assert len(llm.prompts) == 2
    assert lines == ["user: one", "assistant: first", "user: two", "user: three", "assistant: rest"]


async def test_with_busy_queue_each_message_is_a_turn_of_its_own(tmp_path: Path) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM(Held(answer="first", until=gate), otherwise="rest")
    async with house(tmp_path, llm, overrides={"sessions__busy": "queue"}) as inside:
        await inside.loopback.say("one")
        await llm.asked(1)
        await inside.loopback.say("two")
        await inside.loopback.say("three")
        gate.set()
        await inside.calm()

    assert [prompt.newest for prompt in llm.prompts] == ["one", "two", "three"]


async def test_a_redelivered_message_starts_no_second_turn(tmp_path: Path) -> None:
    async with house(tmp_path) as inside:
        await inside.loopback.say("one", message_id="7")
        await inside.loopback.say("one", message_id="7")
        await inside.calm()
        await inside.loopback.say("one", message_id="7")
        await inside.calm()
        lines = await stored(inside)

    assert lines == ["user: one", "assistant: heard: one"]


async def test_tools_run_side_by_side_and_their_results_reach_the_model_in_call_order(tmp_path: Path) -> None:
    tool = EchoTool()
    tool.gates["a"] = asyncio.Event()
    llm = ScriptedLLM(calls("a", "b"), otherwise="done")
    async with house(tmp_path, llm, tools=[tool]) as inside:
        message_id = await inside.loopback.say("go")
        await tool.ran(2)
        tool.gates["a"].set()
        reply = await inside.loopback.reply_to(message_id)
        results = [m.content for m in llm.prompts[1].messages if isinstance(m, ToolMessage)]
        await inside.calm()
        repairs = dict(inside.gateway.reports.repairs)

    assert reply.text == "done"
    assert results == ["echo a", "echo b"]
    assert tool.runs == ["loopback:main/1/1/0", "loopback:main/1/1/1"]
    assert repairs == {}  # that one ended before the other is no fault


async def test_three_equal_failing_calls_end_the_turn_with_a_clear_word(tmp_path: Path) -> None:
    broken = Completion(tool_calls=(ToolCall(id="x", name="echo", arguments="{bad"),))
    llm = ScriptedLLM(otherwise=broken)
    async with house(tmp_path, llm, tools=[EchoTool()]) as inside:
        reply = await inside.ask("go")

    assert len(llm.prompts) == 3
    assert "3 times" in reply


async def test_a_model_that_never_stops_asking_is_stopped(tmp_path: Path) -> None:
    llm = ScriptedLLM(otherwise=calls("again"))
    async with house(tmp_path, llm, tools=[EchoTool()]) as inside:
        reply = await inside.ask("go")

    assert len(llm.prompts) == 25
    assert "25 steps" in reply


@pytest.mark.parametrize(
    "error", [LLMUnavailable("down"), LLMRejected("no key")], ids=["unavailable", "rejected"]
)
async def test_a_failing_model_leaves_the_words_stored_and_no_apology(
    tmp_path: Path, error: Exception
) -> None:
    llm = ScriptedLLM(error, otherwise="back")  # type: ignore[arg-type] # both are LLMError
    async with house(tmp_path, llm) as inside:
        apology = await inside.ask("one")
        reply = await inside.ask("two")
        lines = await stored(inside)

    assert apology != reply == "back"
    assert str(error) not in apology
    assert lines == ["user: one", "user: two", "assistant: back"]
    assert "one\n\n" in llm.prompts[1].messages[-1].content


async def test_an_empty_answer_is_said_and_never_stored(tmp_path: Path) -> None:
    llm = ScriptedLLM(Completion(text="  "), otherwise="fine")
    async with house(tmp_path, llm) as inside:
        notice = await inside.ask("one")
        await inside.ask("two")
        lines = await stored(inside)

    assert "no answer" in notice
    assert lines == ["user: one", "user: two", "assistant: fine"]


async def test_too_long_shrinks_the_view_twice_and_then_says_so(tmp_path: Path) -> None:
    llm = ScriptedLLM(*["old answer " * 50] * 5, *[ContextOverflow("too long")] * 3, otherwise="fits")
    async with house(tmp_path, llm) as inside:
        for number in range(5):
            await inside.ask(f"old {number} " * 50)
        notice = await inside.ask("new")
        sizes = [prompt.estimated_tokens for prompt in llm.prompts[5:8]]
        reply = await inside.ask("short")

    assert sizes[0] > sizes[1] > sizes[2]
    assert "too long" in notice
    assert reply == "fits"


async def test_usage_is_learned_per_session(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        otherwise=lambda prompt: Completion(text="ok", usage=Usage(prompt_tokens=prompt.estimated_tokens * 2))
    )
    async with house(tmp_path, llm) as inside:
        await inside.ask("hello " * 300)
        async with inside.gateway.stores.sessions.checkout(KEY) as session:
            factor = session.calibration.factor

    assert 1.5 < factor < 2.1


async def test_stop_ends_the_turn_keeps_what_finished_and_loses_nothing_queued(tmp_path: Path) -> None:
    tool = EchoTool()
    tool.gates["slow"] = asyncio.Event()
    llm = ScriptedLLM(calls("quick"), calls("slow"), otherwise="later")
    async with house(tmp_path, llm, tools=[tool]) as inside:
        first = await inside.loopback.say("go")
        await tool.ran(2)
        second = await inside.loopback.say("and then?")
        await inside.loopback.say("/stop")
        stopped = await inside.loopback.reply_to(first)
        after = await inside.loopback.reply_to(second)
        await inside.calm()
        lines = await stored(inside)
        waiting = await inside.gateway.stores.journal.waiting()

    assert "Stopped" in stopped.text
    assert after.text == "later"
    assert "tool: echo quick" in lines
    assert any(line.startswith("tool: Cancelled") for line in lines)
    assert waiting == []


async def test_stop_without_a_turn_says_that_nothing_runs(tmp_path: Path) -> None:
    async with house(tmp_path) as inside:
        reply = await inside.ask("/stop")

    assert "Nothing is running" in reply


async def test_new_hides_the_past_from_the_model_and_deletes_nothing(
    tmp_path: Path, store: dict[str, str]
) -> None:
    llm = ScriptedLLM(otherwise="ok")
    async with house(tmp_path, llm, overrides=store) as inside:
        await inside.ask("secret of the past")
        await inside.ask("/new")
        await inside.ask("hello")
        lines = await stored(inside)

    [asked] = [prompt for prompt in llm.prompts if prompt.newest == "hello"]

    assert [message.seq for message in asked.messages] == [3]
    assert lines[0] == "user: secret of the past"


async def test_undo_takes_the_last_exchange_out_of_the_view(tmp_path: Path, store: dict[str, str]) -> None:
    llm = ScriptedLLM(otherwise="ok")
    async with house(tmp_path, llm, overrides=store) as inside:
        await inside.ask("keep")
        await inside.ask("regret")
        await inside.ask("/undo")
        await inside.ask("go on")

    assert [message.seq for message in llm.prompts[-1].messages] == [1, 2, 5]


async def test_retry_asks_the_last_question_again(tmp_path: Path, store: dict[str, str]) -> None:
    llm = ScriptedLLM("bad", "good")
    async with house(tmp_path, llm, overrides=store) as inside:
        await inside.ask("question")
        again = await inside.ask("/retry")

    assert again == "good"
    assert [prompt.newest for prompt in llm.prompts] == ["question", "question"]
    assert len(llm.prompts[1].messages) == 1


async def test_the_status_says_how_a_conversation_stands(tmp_path: Path) -> None:
    async with house(tmp_path, overrides={"gateway__timezone": "Asia/Tokyo"}) as inside:
        await inside.ask("one")
        lines = (await inside.ask("/status")).splitlines()

    since = datetime.strptime(f"{lines[4]} +0900", "Running since %Y-%m-%d %H:%M %z")
    assert lines[1:4] == [
        "Conversation: 2 messages; summed up so far: 0",
        "The model's room: 1 % full",
        "Waiting: 0 messages, 0 tasks",
    ]
    assert timedelta(0) <= datetime.now(UTC) - since < timedelta(minutes=5)


async def test_an_unknown_command_gets_a_suggestion_and_never_reaches_the_model(tmp_path: Path) -> None:
    llm = ScriptedLLM(otherwise="ok")
    async with house(tmp_path, llm) as inside:
        reply = await inside.ask("/nwe")
        path = await inside.ask("/etc/hosts is what?")

    assert "/new" in reply
    assert path == "ok"
    assert len(llm.prompts) == 1


async def test_an_edit_before_the_turn_replaces_and_after_it_is_told_to_the_next(tmp_path: Path) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM(Held(answer="first", until=gate), otherwise="rest")
    async with house(tmp_path, llm) as inside:
        await inside.loopback.say("one", message_id="1")
        await llm.asked(1)
        await inside.loopback.say("tow", message_id="2")
        await inside.loopback.say("two", message_id="2e", edit_of="loopback:main/2")
        await inside.loopback.say("ONE", message_id="1e", edit_of="loopback:main/1")
        gate.set()
        await inside.calm()
        lines = await stored(inside)

    assert len(llm.prompts) == 2
    assert lines[2:4] == ["user: two", "user: [edit of an earlier message]\nONE"]


async def test_long_tool_output_is_whole_in_the_store_and_short_in_the_view(tmp_path: Path) -> None:
    class LongTool(EchoTool):
        async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
            return "word " * 8000

    llm = ScriptedLLM(calls("x"), otherwise="done", window=200_000)
    async with house(tmp_path, llm, tools=[LongTool()]) as inside:
        await inside.ask("go")
        kept = [line for line in await stored(inside) if line.startswith("tool")]
        shown = [m for m in llm.prompts[1].messages if isinstance(m, ToolMessage)]

    assert len(kept[0]) > 40_000
    assert len(shown[0].content) < 17_000
    assert f"{KEY}#3" in shown[0].content


async def test_a_message_larger_than_the_window_is_cut_in_the_view_alone(tmp_path: Path) -> None:
    llm = ScriptedLLM(otherwise="ok", window=2048)
    async with house(tmp_path, llm) as inside:
        await inside.ask("giant " * 20_000)
        await inside.ask("hi")
        lines = await stored(inside)
        sizes = [prompt.estimated_tokens + prompt.max_output for prompt in llm.prompts]

    assert max(sizes) <= 2048
    assert len(lines[0]) > 100_000


async def test_nothing_of_the_runtime_context_is_stored(tmp_path: Path) -> None:
    llm = ScriptedLLM(otherwise="ok")
    async with house(tmp_path, llm) as inside:
        await inside.ask("hello")
        lines = await stored(inside)

    assert "<record>" in llm.prompts[0].messages[-1].content
    assert lines == ["user: hello", "assistant: ok"]


async def test_the_system_part_is_the_same_bytes_until_a_memory_file_changes(tmp_path: Path) -> None:
    llm = ScriptedLLM(otherwise="ok")
    async with house(tmp_path, llm) as inside:
        await inside.ask("one")
        await inside.ask("two")
        notes = tmp_path / "memory" / "person-owner" / "MEMORY.md"
        notes.parent.mkdir(parents=True, exist_ok=True)
        notes.write_text("Likes tea.\n")
        await inside.ask("three")
        first, second, third = (prompt.system for prompt in llm.prompts)

    assert first == second
    assert "Likes tea." in third


async def test_thirty_messages_at_once_in_each_of_twenty_sessions_stay_in_order(tmp_path: Path) -> None:
    async with house(tmp_path) as inside:
        said = [
            inside.loopback.say(f"m{number}", chat_id=f"chat{chat}", message_id=f"{number:03}")
            for number in range(30)
            for chat in range(20)
        ]
        await asyncio.gather(*said)
        await inside.calm()
        orders = []
        for chat in range(20):
            lines = await stored(inside, f"loopback:chat{chat}")
            orders.append([line.removeprefix("user: ") for line in lines if line.startswith("user")])

    assert orders == [[f"m{number}" for number in range(30)]] * 20


async def test_what_somebody_replies_to_is_kept_apart_as_words_of_somebody_else(tmp_path: Path) -> None:
    llm = ScriptedLLM(otherwise="ok")
    async with house(tmp_path, llm) as inside:
        message = InboundMessage(
            id="loopback:main/q",
            channel="loopback",
            chat_id="main",
            sender_id="owner",
            text="is that so?",
            received_at=datetime.now(UTC),
            quoted=Quoted(text="the moon is cheese", sender_name="Eve"),
        )
        await inside.gateway.intake.receive(message)
        await inside.calm()
        kept = await inside.gateway.stores.sessions.read(KEY, from_seq=1, to_seq=10)

    assert [(m.content, m.provenance) for m in kept[:2]] == [
        ("[in reply to Eve: the moon is cheese]", Provenance.STRANGER),
        ("is that so?", Provenance.OWNER),
    ]
    assert "moon is cheese]\n\nis that so?" in llm.prompts[0].messages[-1].content


async def test_what_was_said_first_is_quoted_after_three_hundred_other_messages(tmp_path: Path) -> None:
    async with house(tmp_path, RoteLLM(), overrides={"sessions__max_messages": "100"}) as inside:
        await inside.ask("My dentist is Dr. Okafor, on 12 March.")
        for number in range(300):
            place = ("harbour", "garden", "engine", "letter")[number % 4]
            await inside.ask(f"Note {number}: the {place} has number {number * 7 % 113} today.")
        await inside.gateway.stores.index.caught_up()
        reply = await inside.ask("When is my dentist appointment?")

    assert "Dr. Okafor, on 12 March" in reply
    assert f"{KEY}#1" in reply


async def test_the_model_reads_the_steps_of_a_skill_that_the_prompt_names(tmp_path: Path) -> None:
    place = tmp_path / "memory" / "person-owner" / "skills" / "rent" / "SKILL.md"
    place.parent.mkdir(parents=True)
    place.write_text("---\ndescription: pay the rent\n---\n1. Ask for the amount.\n")
    look = Completion(tool_calls=(ToolCall(id="c", name="files", arguments='{"name": "rent"}'),))
    llm = ScriptedLLM(look, "How much is it?")
    async with house(tmp_path, llm) as inside:
        said = await inside.ask("Please pay the rent")
        messages = await inside.gateway.stores.sessions.read("loopback:main", from_seq=1, to_seq=9)

    assert said == "How much is it?"
    assert "- rent: pay the rent" in llm.prompts[0].system
    [result] = [message for message in messages if isinstance(message, ToolMessage)]
    assert result.content.endswith("1. Ask for the amount.")
    assert result.provenance is Provenance.FILE
