"""What becomes of messages that arrive while a turn runs: `sessions.busy`."""

import asyncio
from functools import partial
from pathlib import Path

import pytest

from channels.loopback import LoopbackAdapter
from channels.messages import ChatKind, Entrance, SessionKey
from gateway.errors import LLMUnavailable
from gateway.llm.client import Prompt
from gateway.llm.scripted import Held, ScriptedLLM
from memory.messages import UserMessage
from tests.helpers.echo import EchoTool, calls
from tests.helpers.grammar import grammar_faults
from tests.helpers.house import House, house
from tests.helpers.journals import inbound

KEY = "loopback:main"
STEER = {"sessions__busy": "steer"}
INTERRUPT = {"sessions__busy": "interrupt"}


async def stored(inside: House, key: str = KEY) -> list[str]:
    """The session as short lines: role and words."""
    messages = await inside.gateway.stores.sessions.read(key, from_seq=1, to_seq=1000)
    return [f"{type(m).__name__.removesuffix('Message').lower()}: {m.content}" for m in messages]


async def left(inside: House) -> int:
    return await inside.gateway.stores.journal.unanswered()


def words(prompt: Prompt) -> list[str]:
    """The last line of each user message: what stands before it is context."""
    return [m.content.rsplit("\n\n", 1)[-1] for m in prompt.messages if isinstance(m, UserMessage)]


@pytest.mark.parametrize("store", ["sqlite", "jsonl"])
async def test_what_is_written_during_a_round_joins_the_turn_after_its_results(
    tmp_path: Path, store: str
) -> None:
    tool = EchoTool()
    tool.gates["a"] = asyncio.Event()
    llm = ScriptedLLM(calls("a", "b"), "both done")
    async with house(tmp_path, llm, tools=[tool], overrides=STEER | {"sessions__store": store}) as inside:
        await inside.loopback.say("one", message_id="1")
        await tool.ran(2)
        await inside.loopback.say("two", message_id="2")
        await inside.loopback.say("three", message_id="3")
        tool.gates["a"].set()
        await inside.calm()
        lines, waiting = await stored(inside), await left(inside)
        sent = inside.loopback.sent()

    assert lines == [
        "user: one",
        "assistant: ",
        *sorted(["tool: echo a", "tool: echo b"], reverse=True),
        "user: two",
        "user: three",
        "assistant: both done",
    ]
    assert words(llm.prompts[1]) == ["one", "three"]  # adjacent user messages are joined on the wire
    assert "two" in llm.prompts[1].messages[-1].content
    assert not grammar_faults(llm.prompts[1].messages)
    assert [(reply.text, reply.answers) for reply in sent] == [
        ("both done", tuple(f"{KEY}/{number}" for number in (1, 2, 3)))
    ]
    assert waiting == 0


async def test_what_is_written_after_the_last_round_is_the_next_turn_together(tmp_path: Path) -> None:
    tool, gate = EchoTool(), asyncio.Event()
    llm = ScriptedLLM(calls("a"), Held(answer="first", until=gate), otherwise="rest")
    async with house(tmp_path, llm, tools=[tool], overrides=STEER) as inside:
        await inside.loopback.say("one")
        await llm.asked(2)
        await inside.loopback.say("two")
        await inside.loopback.say("three")
        gate.set()
        await inside.calm()
        lines = await stored(inside)

    assert lines[-4:] == ["assistant: first", "user: two", "user: three", "assistant: rest"]


async def test_a_command_and_what_stands_behind_it_do_not_join(tmp_path: Path) -> None:
    tool = EchoTool()
    tool.gates["a"] = asyncio.Event()
    llm = ScriptedLLM(calls("a"), "first", otherwise="rest")
    async with house(tmp_path, llm, tools=[tool], overrides=STEER) as inside:
        await inside.loopback.say("one")
        await tool.ran(1)
        for text in ("two", "/new", "three"):
            await inside.loopback.say(text)
        tool.gates["a"].set()
        await inside.calm()

    assert words(llm.prompts[1])[-1] == "two"
    assert words(llm.prompts[2]) == ["three"]


async def test_somebody_else_in_a_group_does_not_steer_the_turn_of_who_is_answered(tmp_path: Path) -> None:
    (tmp_path / "mneme.toml").write_text('[access]\ngroups = ["telegram:-100"]\n')
    tool = EchoTool()
    tool.gates["a"] = asyncio.Event()
    llm = ScriptedLLM(calls("a"), "for Ann", otherwise="for Ben")
    group = LoopbackAdapter("telegram")
    say = partial(group.say, chat_id="-100", chat_kind=ChatKind.GROUP)
    async with house(tmp_path, llm, adapters=[group], tools=[tool], overrides=STEER) as inside:
        await say("one", sender_id="1001")
        await tool.ran(1)
        await say("use another tool", sender_id="1002")
        tool.gates["a"].set()
        await inside.calm()

    assert words(llm.prompts[1]) == ["one"]
    assert "use another tool" in llm.prompts[2].newest


async def test_an_edit_of_a_message_that_joined_is_told_and_does_not_replace_it(tmp_path: Path) -> None:
    tool = EchoTool()
    tool.gates |= {"a": asyncio.Event(), "b": asyncio.Event()}
    llm = ScriptedLLM(calls("a"), calls("b"), "done")
    async with house(tmp_path, llm, tools=[tool], overrides=STEER) as inside:
        await inside.loopback.say("one")
        await tool.ran(1)
        await inside.loopback.say("two", message_id="2")
        tool.gates["a"].set()
        await tool.ran(2)
        await inside.loopback.say("too", message_id="2e", edit_of=f"{KEY}/2")
        tool.gates["b"].set()
        await inside.calm()
        lines = await stored(inside)

    assert [line for line in lines if line.startswith("user")] == [
        "user: one",
        "user: two",
        "user: [edit of an earlier message]\ntoo",
    ]


async def test_stop_keeps_what_joined_and_answers_it_too(tmp_path: Path) -> None:
    tool, gate = EchoTool(), asyncio.Event()
    tool.gates["a"] = asyncio.Event()
    llm = ScriptedLLM(calls("a"), Held(answer="never", until=gate))
    async with house(tmp_path, llm, tools=[tool], overrides=STEER) as inside:
        await inside.loopback.say("one")
        await tool.ran(1)
        await inside.loopback.say("two")
        tool.gates["a"].set()
        await llm.asked(2)
        await inside.loopback.say("/stop")
        await inside.calm()
        lines, waiting = await stored(inside), await left(inside)

    assert [line for line in lines if line.startswith("user")] == ["user: one", "user: two"]
    assert waiting == 0


async def test_a_model_that_fails_after_messages_joined_is_said_once_for_all_of_them(tmp_path: Path) -> None:
    tool = EchoTool()
    tool.gates["a"] = asyncio.Event()
    llm = ScriptedLLM(calls("a"), LLMUnavailable("away"), otherwise="back")
    async with house(tmp_path, llm, tools=[tool], overrides=STEER) as inside:
        await inside.loopback.say("one")
        await tool.ran(1)
        await inside.loopback.say("two")
        tool.gates["a"].set()
        await inside.calm()
        sent, lines, waiting = inside.loopback.sent(), await stored(inside), await left(inside)

    assert [len(reply.answers) for reply in sent] == [2]
    assert lines == ["user: one", "assistant: ", "tool: echo a", "user: two"]
    assert waiting == 0


async def test_an_interrupting_message_ends_the_turn_keeps_what_finished_and_is_answered(
    tmp_path: Path,
) -> None:
    tool = EchoTool()
    tool.gates["slow"] = asyncio.Event()
    llm = ScriptedLLM(calls("quick", "slow"), otherwise="the new one")
    async with house(tmp_path, llm, tools=[tool], overrides=INTERRUPT) as inside:
        await inside.loopback.say("one")
        await tool.ran(2)
        await inside.loopback.say("two")
        await inside.calm()
        lines, waiting = await stored(inside), await left(inside)
        sent = inside.loopback.sent()

    assert [reply.text for reply in sent] == ["(Interrupted by your next message.)", "the new one"]
    assert [line for line in lines if not line.startswith("tool")] == [
        "user: one",
        "assistant: ",
        "user: two",
        "assistant: the new one",
    ]
    assert "tool: echo quick" in lines
    assert words(llm.prompts[1]) == ["one", "two"]
    assert not grammar_faults(llm.prompts[1].messages)
    assert waiting == 0


@pytest.mark.parametrize("text", ["/status", "/help"])
async def test_a_command_interrupts_nothing(tmp_path: Path, text: str) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM(Held(answer="first", until=gate))
    async with house(tmp_path, llm, overrides=INTERRUPT) as inside:
        await inside.loopback.say("one")
        await llm.asked(1)
        await inside.loopback.say(text)
        gate.set()
        await inside.calm()
        sent = inside.loopback.sent()

    assert sent[0].text == "first"
    assert len(sent) == 2


async def test_nobody_interrupts_the_answer_to_somebody_else(tmp_path: Path) -> None:
    (tmp_path / "mneme.toml").write_text('[access]\ngroups = ["telegram:-100"]\n')
    held = Held(answer="for Ann", until=asyncio.Event())
    llm, group = ScriptedLLM(held, otherwise="for Ben"), LoopbackAdapter("telegram")
    say = partial(group.say, chat_id="-100", chat_kind=ChatKind.GROUP)
    async with house(tmp_path, llm, adapters=[group], overrides=INTERRUPT) as inside:
        await say("one", sender_id="1001")
        await llm.asked(1)
        await say("two", sender_id="1002")
        held.until.set()
        await inside.calm()
        sent = group.sent("-100")

    assert [reply.text for reply in sent] == ["for Ann", "for Ben"]


async def test_a_message_does_not_end_the_relay_of_what_a_job_brought_back(tmp_path: Path) -> None:
    held = Held(answer="what the job found", until=asyncio.Event())
    llm = ScriptedLLM(held, otherwise="and the rest")
    async with house(tmp_path, llm, overrides=INTERRUPT) as inside:
        home = {"channel": "loopback", "chat_id": "main", "sender_id": "owner", "session": KEY}
        found = inbound(f"{KEY}/job", **home, entrance=Entrance.SUBAGENT)
        entry = await inside.gateway.stores.journal.accept(found)
        assert entry is not None
        inside.gateway.bus.publish(entry)
        await llm.asked(1)
        await inside.loopback.say("two")
        held.until.set()
        await inside.calm()
        sent = inside.loopback.sent()

    assert [reply.text for reply in sent] == ["what the job found", "and the rest"]


async def test_an_edit_of_the_message_that_is_answered_interrupts_nothing(tmp_path: Path) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM(Held(answer="first", until=gate))
    async with house(tmp_path, llm, overrides=INTERRUPT) as inside:
        await inside.loopback.say("one", message_id="1")
        await llm.asked(1)
        await inside.loopback.say("won", message_id="1e", edit_of=f"{KEY}/1")
        gate.set()
        await inside.calm()
        sent = inside.loopback.sent()

    assert [reply.text for reply in sent] == ["first"]


async def test_a_turn_whose_answer_is_being_stored_is_not_stopped_any_more(tmp_path: Path) -> None:
    loop, tries = asyncio.get_running_loop(), list[bool]()

    def answer(_prompt: Prompt) -> str:
        inside.gateway.stores.database.on_commit(committed)
        return "whole"

    def committed(_seconds: float) -> None:
        loop.call_soon_threadsafe(lambda: tries.append(inside.gateway.dispatcher.stop(SessionKey(KEY))))

    async with house(tmp_path, ScriptedLLM(otherwise=answer)) as inside:
        reply = await inside.ask("one")

    assert reply == "whole"
    assert tries
    assert not any(tries)


async def test_what_came_meanwhile_is_seen_by_a_turn_that_goes_on_after_a_restart(tmp_path: Path) -> None:
    tool = EchoTool()
    tool.gates["a"] = asyncio.Event()
    hurried = STEER | {"gateway__drain_seconds": "0.01"}
    async with house(tmp_path, ScriptedLLM(calls("a")), tools=[tool], overrides=hurried) as inside:
        await inside.loopback.say("one", message_id="1")
        await tool.ran(1)
        await inside.loopback.say("two", message_id="2")
    llm = ScriptedLLM(otherwise="both")
    async with house(tmp_path, llm, tools=[EchoTool()], overrides=STEER) as inside:
        await inside.calm()
        lines, waiting = await stored(inside), await left(inside)

    assert words(llm.prompts[0]) == ["one", "two"]
    assert lines == ["user: one", "assistant: ", "tool: echo a", "user: two", "assistant: both"]
    assert waiting == 0


async def test_after_a_restart_a_turn_goes_on_before_what_had_to_wait_and_stands_before_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "mneme.toml").write_text('[access]\ngroups = ["telegram:-100"]\n')
    tool, key = EchoTool(), "telegram:-100"
    tool.gates["a"] = asyncio.Event()
    group = LoopbackAdapter("telegram")
    say = partial(group.say, chat_id="-100", chat_kind=ChatKind.GROUP)
    slow = {"access__messages_per_minute": "1"}
    hurried, llm = slow | {"gateway__drain_seconds": "0.01"}, ScriptedLLM("for Ann", calls("a"))
    async with house(tmp_path, llm, adapters=[group], tools=[tool], overrides=hurried) as inside:
        await group.reply_to(await say("one", sender_id="1001"), chat_id="-100")
        await say("too fast", sender_id="1001")
        await say("two", sender_id="1002")
        await tool.ran(1)
    again = LoopbackAdapter("telegram")
    llm = ScriptedLLM("for Ben", otherwise="for Ann again")
    async with house(tmp_path, llm, adapters=[again], tools=[EchoTool()], overrides=slow) as inside:
        await inside.calm()
        lines = await stored(inside, key)

    assert [reply.text for reply in again.sent("-100")] == ["for Ben", "for Ann again"]
    assert [line.rsplit(" ", 1)[-1] for line in lines if line.startswith("user")] == ["one", "two", "fast"]


async def test_a_member_gains_nothing_by_writing_just_before_the_owner(tmp_path: Path) -> None:
    (tmp_path / "mneme.toml").write_text(
        'people.ann = {telegram = "1001", role = "owner"}\n'
        '[access]\ngroups = ["telegram:-100"]\n[tools]\nmember = []\n'
    )
    held = Held(answer="first", until=asyncio.Event())
    llm, group = ScriptedLLM(held, otherwise="later"), LoopbackAdapter("telegram")
    say = partial(group.say, chat_id="-100", chat_kind=ChatKind.GROUP)
    async with house(tmp_path, llm, adapters=[group]) as inside:
        await say("begin", sender_id="1001")
        await llm.asked(1)
        await say("recall her secrets", sender_id="1002")
        await say("and go on", sender_id="1001")
        held.until.set()
        await inside.calm()
        await say("alone again", sender_id="1001")
        await inside.calm()

    assert [bool(prompt.tools) for prompt in llm.prompts] == [True, False, True]
    assert "recall her secrets" in llm.prompts[1].newest
    assert "and go on" in llm.prompts[1].newest
