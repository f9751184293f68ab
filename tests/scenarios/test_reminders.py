import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from channels.messages import ChatKind
from gateway.errors import LLMUnavailable
from gateway.llm.client import Completion
from gateway.llm.rote import RoteLLM
from gateway.llm.scripted import ScriptedLLM
from memory.messages import Provenance, ToolCall
from tests.helpers.grammar import grammar_faults
from tests.helpers.house import House, house


async def fire_all(inside: House) -> None:
    """Let everything that is scheduled be due now, and wait for what comes of it."""
    journal, scheduler = inside.gateway.stores.journal, inside.gateway.background.scheduler
    for reminder in await journal.reminders():
        await scheduler.add(replace(reminder, next_at=datetime.now(UTC) - timedelta(seconds=1)))
    answered = datetime.now(UTC)
    while any(reminder.next_at < answered for reminder in await journal.reminders()):
        await inside.loopback.ask("/help", chat_id="elsewhere")  # gives way until the scheduler has looked
    await inside.calm()


async def test_a_reminder_is_said_in_its_thread_without_a_model_and_kept(tmp_path: Path) -> None:
    llm = ScriptedLLM(otherwise=LLMUnavailable("away"))
    async with house(tmp_path, llm) as inside:
        await inside.loopback.say("/remind 20m tea", chat_id="room", thread_id="11", chat_kind=ChatKind.GROUP)
        await inside.calm()
        await fire_all(inside)
        sent = inside.loopback.sent("room")
        kept = await inside.gateway.stores.sessions.read("loopback:room#11", from_seq=1, to_seq=9)

    assert "I'll remind you on" in sent[0].text
    assert "mneme run" not in sent[0].text
    assert [(message.text, message.thread_id) for message in sent[1:]] == [("⏰ tea", "11")]
    assert [message.provenance for message in kept] == [Provenance.ASSISTANT] * 2
    assert llm.prompts == []


async def test_what_repeats_is_confirmed_with_the_time_after_the_first(tmp_path: Path) -> None:
    async with house(tmp_path) as inside:
        daily = await inside.ask("/remind every day 09:00 tea")
        listed = await inside.ask("/tasks")
        once = await inside.ask("/remind tomorrow 09:00 tea")

    first, after = re.findall(r"(\d{4}-\d\d-\d\d) 09:00", daily)
    assert date.fromisoformat(after) - date.fromisoformat(first) == timedelta(days=1)
    assert listed == daily
    assert "then" not in once


async def test_what_the_person_says_after_a_reminder_is_understood(tmp_path: Path) -> None:
    llm = ScriptedLLM(otherwise="well done")
    async with house(tmp_path, llm) as inside:
        await inside.ask("/remind 20m tea")
        await fire_all(inside)
        await inside.ask("done")

    (prompt,) = llm.prompts
    assert "tea" in prompt.messages[0].content
    assert prompt.messages[1].content == "⏰ tea"
    assert not grammar_faults(prompt.messages)


async def test_without_a_model_a_reminder_is_set_by_plain_words_too(tmp_path: Path) -> None:
    asked = "My dentist is Okafor.\nremind me tomorrow at 9 to call Bob\nWho is my dentist?"
    async with house(tmp_path, RoteLLM()) as inside:
        said = await inside.ask(asked)
        [reminder] = await inside.gateway.stores.journal.reminders()
        unclear = await inside.ask("remind me to call Ann")
        never = await inside.ask("remind me on 1999-01-01 to be young")
        left = await inside.gateway.stores.journal.reminders()
        shown = await inside.ask("/remind")

    assert re.match(r"I'll remind you on \d{4}-\d\d-\d\d 09:00 .*: call Bob \(\w+\)$", shown)
    assert said.startswith(f"{shown}\n\n")
    assert "“My dentist is Okafor.”" in said
    assert reminder.text == "call Bob"
    assert "say when: /remind 20m tea" in unclear
    assert never == unclear
    assert left == [reminder]


async def test_plain_words_are_confirmed_in_their_own_language_as_the_command_is(tmp_path: Path) -> None:
    async with house(tmp_path, RoteLLM()) as inside:
        said = await inside.ask("每天早上8点提醒我吃药")

    assert re.fullmatch(r"我会在 \S+ 08:00 UTC 提醒你，接着是 \S+ 08:00，以此类推：吃药（\w{8}）", said)


async def test_scheduled_work_is_a_turn_of_the_model_whose_answer_arrives(tmp_path: Path) -> None:
    call = ToolCall(
        id="x",
        name="schedule",
        arguments='{"action": "work", "when": "every day 09:00", "text": "read the news"}',
    )
    llm = ScriptedLLM(Completion(tool_calls=(call,)), "planned", "The news is good.")
    async with house(tmp_path, llm) as inside:
        await inside.ask("every morning at nine, tell me the news")
        await fire_all(inside)
        shown = [message.text for message in inside.loopback.sent()]
        left = await inside.gateway.stores.journal.reminders()

    assert shown == ["planned", "The news is good."]
    assert llm.prompts[2].newest.endswith("due now; nobody waits at the other end]\nread the news")
    assert [reminder.cron for reminder in left] == ["0 9 * * *"]


async def test_reminders_are_listed_and_cancelled_and_what_is_unclear_is_said(tmp_path: Path) -> None:
    async with house(tmp_path) as inside:
        none = await inside.ask("/remind")
        unclear = await inside.ask("/remind sometime tea")
        wordless = await inside.ask("/remind 20m")
        over = await inside.ask("/remind 2020-01-01 09:00 tea")
        made = await inside.ask("/remind every day 09:00 stretch")
        listed = await inside.ask("/remind")
        short = made.rsplit("(", 1)[1].rstrip(")")
        cancelled = await inside.ask(f"/cancel {short}")
        gone = await inside.ask(f"/cancel {short}")

    assert none == "There are no reminders."
    assert "don't understand that time" in unclear
    assert "What shall I remind you of" in wordless
    assert "2020-01-01 09:00 UTC is over" in over
    assert all("/remind 20m tea" in reply for reply in (unclear, wordless, over))
    assert listed == made
    assert "09:00, and so on: stretch" in made
    assert cancelled == "Cancelled: stretch."
    assert "no task or reminder" in gone


async def test_a_chinese_person_is_reminded_in_chinese_and_in_their_zone(tmp_path: Path) -> None:
    async with house(tmp_path, overrides={"gateway__timezone": "Asia/Shanghai"}) as inside:
        made = await inside.ask("/remind 2030年5月1日上午九点给安打电话")
        over = await inside.ask("/remind 昨天下午三点开会")
        wordless = await inside.ask("/remind 三分钟后")
        (kept,) = await inside.gateway.stores.journal.reminders()

    assert made.startswith("我会在 2030-05-01 09:00 Asia/Shanghai 提醒你：给安打电话")
    assert "已经过去了" in over
    assert "要提醒你什么" in wordless
    assert kept.next_at == datetime(2030, 5, 1, 1, tzinfo=UTC)
