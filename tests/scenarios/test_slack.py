"""People on Slack and a whole gateway between them and a model."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from gateway.errors import LLMRejected, LLMUnavailable
from gateway.llm.scripted import Held, ScriptedLLM
from tests.helpers.slack_chats import Fault
from tests.helpers.slack_house import ME, SlackHouse, slack_house
from tests.helpers.slack_server import SlackServer

ONE_EACH = {"sessions__busy": "queue"}


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as server:
        yield server


async def test_fifty_messages_in_direct_chats_channels_and_threads_are_answered_in_order_each_by_one_post(
    tmp_path: Path, slack: SlackServer
) -> None:
    llm = ScriptedLLM(otherwise=lambda prompt: f"heard: {prompt.newest}", piece=4)
    async with slack_house(tmp_path, slack, llm, overrides=ONE_EACH) as inside:
        roots = {chat: slack.say(chat, "U1", f"{ME} message 0 in {chat}") for chat in ("C1", "C2")}
        await inside.calm()
        asked: dict[str, int] = {}
        for number in range(10):
            for chat, user in (("D1", "U1"), ("D2", "U2")):
                slack.say(chat, user, f"message {number} in {chat}")
            for chat, root in roots.items():
                if number:
                    slack.say(chat, "U2", f"message {number} in {chat}", thread_ts=root)
            asked[slack.say("C3", "U1", f"{ME} message {number} in C3")] = number
        await inside.calm()
    shown = {chat: slack.channel(chat).shown(roots.get(chat)) for chat in ("D1", "D2", "C1", "C2")}

    assert shown == {chat: [f"heard: message {n} in {chat}" for n in range(10)] for chat in shown}
    assert [slack.channel("C3").shown(root) for root in asked] == [
        [f"heard: message {number} in C3"] for number in range(10)
    ]
    assert len(slack.methods.called("chat.postMessage")) == 50


async def test_an_answer_is_edited_into_the_placeholder_that_showed_it_growing(
    tmp_path: Path, slack: SlackServer
) -> None:
    llm = ScriptedLLM("one two three", piece=4)
    async with slack_house(tmp_path, slack, llm) as inside:
        slack.say("D1", "U1", "count")
        await inside.calm()
    posts = [post for post in slack.channel("D1").messages if post.user == "UBOT"]

    assert [post.text for post in posts] == ["one two three"]
    assert len(posts[0].states) >= 2


async def test_commands_are_named_as_they_can_be_typed_in_slack(tmp_path: Path, slack: SlackServer) -> None:
    async with slack_house(tmp_path, slack) as inside:
        for text in ("!help", "!nwe", "!why"):
            slack.say("D1", "U1", text)
            await inside.calm()
    listed, unknown, usage = slack.channel("D1").shown(None)

    assert listed.startswith("!new – ")
    assert (unknown, usage) == (
        "I don't know !nwe. Did you mean !new?",
        "Write it like this: !why slack:D1#17",
    )
    assert "\n/" not in listed


async def test_a_later_direct_message_is_not_answered_in_the_thread_of_an_earlier_one(
    tmp_path: Path, slack: SlackServer
) -> None:
    async with slack_house(tmp_path, slack) as inside:
        slack.say("D1", "U1", "first")
        await inside.calm()
        slack.say("D1", "U1", "second")
        await inside.calm()
        root = slack.say("D1", "U1", "third")
        await inside.calm()
        slack.say("D1", "U1", "aside", thread_ts=root)
        await inside.calm()
        stored = await inside.stored("slack:D1")
        aside = await inside.stored(f"slack:D1#{root}")

    assert slack.channel("D1").shown() == ["heard: first", "heard: second", "heard: third"]
    assert slack.channel("D1").shown(root) == ["heard: aside"]
    assert len(stored) == 6
    assert aside == ["aside", "heard: aside"]


async def test_a_mention_opens_a_thread_that_goes_on_without_mention_also_after_a_restart(
    tmp_path: Path, slack: SlackServer
) -> None:
    async with slack_house(tmp_path, slack) as inside:
        root = slack.say("C1", "U1", f"{ME} plan the party")
        await inside.calm()
        slack.say("C1", "U2", "with cake", thread_ts=root)
        await inside.calm()
    async with slack_house(tmp_path, slack) as inside:
        slack.say("C1", "U1", "and music", thread_ts=root)
        other = slack.say("C1", "U1", "not for the bot")
        slack.say("C1", "U1", "nor is this", thread_ts=other)
        await inside.calm()
        stored = await inside.stored(f"slack:C1#{root}")

    replies = slack.channel("C1").shown(root)
    assert [reply.split()[-1] for reply in replies] == ["party", "cake", "music"]
    assert slack.channel("C1").shown() == slack.channel("C1").shown(other) == []
    assert len(stored) == 6


@pytest.mark.parametrize("scope", ["thread", "chat", "user"])
async def test_in_every_scope_a_thread_that_began_with_a_mention_needs_no_other_after_a_restart(
    tmp_path: Path, slack: SlackServer, scope: str
) -> None:
    overrides = {"sessions__scope": scope}
    async with slack_house(tmp_path, slack, overrides=overrides) as inside:
        root = slack.say("C1", "U1", f"{ME} plan the party")
        await inside.calm()
    async with slack_house(tmp_path, slack, overrides=overrides) as inside:
        slack.say("C1", "U2", "with cake", thread_ts=root)
        other = slack.say("C1", "U1", "not for the bot")
        slack.say("C1", "U1", "nor is this", thread_ts=other)
        await inside.calm()

    assert [reply.split()[-1] for reply in slack.channel("C1").shown(root)] == ["party", "cake"]
    assert slack.channel("C1").shown() == slack.channel("C1").shown(other) == []


@pytest.mark.parametrize("scope", ["thread", "user"])
async def test_a_thread_that_the_bot_was_called_into_needs_no_other_mention_after_a_restart(
    tmp_path: Path, slack: SlackServer, scope: str
) -> None:
    overrides = {"sessions__scope": scope}
    async with slack_house(tmp_path, slack, overrides=overrides) as inside:
        root = slack.say("C1", "U2", "who knows about cake?")
        slack.say("C1", "U1", f"{ME} do you know", thread_ts=root)
        await inside.calm()
    async with slack_house(tmp_path, slack, overrides=overrides) as inside:
        slack.say("C1", "U1", "and now", thread_ts=root)
        await inside.calm()

    assert [reply.split()[-1] for reply in slack.channel("C1").shown(root)] == ["know", "now"]


async def test_two_events_about_one_message_are_one_turn(tmp_path: Path, slack: SlackServer) -> None:
    llm = ScriptedLLM(otherwise="once")
    async with slack_house(tmp_path, slack, llm) as inside:
        root = slack.say("C1", "U1", f"{ME} hello")
        await inside.calm()

    assert len(slack.sockets.deliveries) == 2
    assert len(llm.prompts) == 1
    assert slack.channel("C1").shown(root) == ["once"]


async def test_an_event_that_comes_again_while_the_model_thinks_and_later_is_answered_once(
    tmp_path: Path, slack: SlackServer
) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM(Held(answer="once", until=gate), otherwise="again")
    async with slack_house(tmp_path, slack, llm) as inside:
        slack.say("D1", "U1", "hello")
        await llm.asked(1)
        first = slack.sockets.deliveries[0]
        await slack.until(lambda: first.acknowledged)
        slack.sockets.redeliver(first)
        slack.sockets.redeliver(first)
        gate.set()
        await inside.calm()
        slack.sockets.redeliver(first)
        await inside.calm()

    assert first.tries == 1
    assert slack.channel("D1").shown() == ["once"]
    assert len(llm.prompts) == 1


async def test_other_apps_and_the_previews_of_our_own_posts_start_nothing(
    tmp_path: Path, slack: SlackServer
) -> None:
    llm = ScriptedLLM(otherwise="never")
    async with slack_house(tmp_path, slack, llm) as inside:
        slack.channel("C1")
        bot: dict[str, Any] = {"channel": "C1", "bot_id": "B9", "user": "U1", "text": f"{ME} loop"}
        for number in range(5):
            slack.emit({"type": "app_mention", "ts": f"1.{number}", **bot})
            slack.emit({"type": "message", "subtype": "bot_message", "ts": f"2.{number}", **bot})
        own = {"type": "message", "user": "UBOT", "bot_id": "BBOT", "ts": "3.1", "text": "http://a.example"}
        preview = {"subtype": "message_changed", "hidden": True, "channel": "C1", "ts": "3.2"}
        slack.emit(
            {"type": "message", "message": {**own, "attachments": [{}]}, "previous_message": own, **preview}
        )
        await inside.calm()

    assert llm.prompts == []
    assert slack.channel("C1").shown() == []


async def test_an_edit_before_its_turn_replaces_the_words_and_a_deletion_is_no_message(
    tmp_path: Path, slack: SlackServer
) -> None:
    gate = asyncio.Event()
    llm = ScriptedLLM(Held(answer="first", until=gate), otherwise="rest")
    async with slack_house(tmp_path, slack, llm) as inside:
        one = slack.say("D1", "U1", "one")
        await llm.asked(1)
        two = slack.say("D1", "U1", "tow")
        slack.edit("D1", two, "two")
        slack.edit("D1", one, "ONE")
        deleted = {"type": "message", "user": "U1", "text": "two", "ts": two}
        slack.emit(
            {
                "type": "message",
                "subtype": "message_deleted",
                "channel": "D1",
                "channel_type": "im",
                "ts": slack.next_ts(),
                "deleted_ts": two,
                "previous_message": deleted,
            }
        )
        await slack.until(lambda: all(delivery.acknowledged for delivery in slack.sockets.deliveries))
        gate.set()
        await inside.calm()
        stored = await inside.stored("slack:D1")

    assert stored == ["one", "first", "two", "[edit of an earlier message]\nONE", "rest"]
    assert slack.channel("D1").shown() == ["first", "rest"]


async def test_a_long_answer_comes_in_parts_of_which_the_placeholder_is_the_first(
    tmp_path: Path, slack: SlackServer
) -> None:
    answer = "\n\n".join(f"Paragraph {n}:" + " words and <more> & more" * 20 for n in range(25))
    llm = ScriptedLLM(answer, piece=500)
    async with slack_house(tmp_path, slack, llm) as inside:
        slack.say("D1", "U1", "tell me everything")
        await inside.calm()
    posts = [post for post in slack.channel("D1").messages if post.user == "UBOT"]
    shown = " ".join(post.text for post in posts)

    assert len(posts) > 2
    assert [len(post.states) > 1 for post in posts] == [True] + [False] * (len(posts) - 1)
    assert shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").split() == answer.split()


async def test_a_channel_that_must_wait_holds_up_no_other(tmp_path: Path, slack: SlackServer) -> None:
    limited = Fault(error="ratelimited", status=429, retry_after=120)
    async with slack_house(tmp_path, slack, overrides={"gateway__drain_seconds": "0.1"}) as inside:
        slack.methods.fail("chat.postMessage", limited)
        slack.say("D1", "U1", "one")
        await slack.until(lambda: len(slack.methods.called("chat.postMessage")) == 1, within=20)
        slack.say("D2", "U2", "two")
        await slack.until(lambda: slack.channel("D2").shown() == ["heard: two"])
        await inside.calm()
        owed = await inside.house.gateway.stores.journal.entries()

    assert [entry.attempts for entry in owed if entry.message.chat_id == "D1"] == [1]
    assert slack.channel("D1").shown() == []


@pytest.mark.parametrize("error", [LLMUnavailable("HTTP 500 at 10.0.0.1"), LLMRejected("HTTP 401 key sk-1")])
async def test_a_failing_model_is_acknowledged_said_once_and_not_repeated(
    tmp_path: Path, slack: SlackServer, error: LLMUnavailable | LLMRejected
) -> None:
    llm = ScriptedLLM(error, otherwise="back")
    async with slack_house(tmp_path, slack, llm) as inside:
        slack.say("D1", "U1", "hello")
        await inside.calm()
        delivery = slack.sockets.deliveries[0]
        slack.sockets.redeliver(delivery)
        await inside.calm()
        [sorry] = slack.channel("D1").shown()

    assert len(llm.prompts) == delivery.tries == 1
    assert str(error) not in sorry


async def test_what_was_scheduled_in_a_thread_is_said_and_filed_there(
    tmp_path: Path, slack: SlackServer
) -> None:
    async with slack_house(tmp_path, slack) as inside:
        root = slack.say("C1", "U1", f"{ME} hello")
        await inside.calm()
        slack.say("C1", "U1", "!remind 20m tea", thread_ts=root)
        await inside.calm()
        await fire_all(inside)
        await slack.until(lambda: len(slack.channel("C1").shown(root)) == 3)
        await inside.calm()
        stored = await inside.stored(f"slack:C1#{root}")

    assert slack.channel("C1").shown(root)[-1] == "⏰ tea"
    assert stored[-1] == "⏰ tea"
    assert slack.channel("C1").shown() == []


async def fire_all(inside: SlackHouse) -> None:
    """Everything that is scheduled is due now."""
    gateway = inside.house.gateway
    for reminder in await gateway.stores.journal.reminders():
        due = replace(reminder, next_at=datetime.now(UTC) - timedelta(seconds=1))
        await gateway.background.scheduler.add(due)


async def test_commands_work_with_an_exclamation_mark_and_as_slash_command(
    tmp_path: Path, slack: SlackServer
) -> None:
    llm = ScriptedLLM(otherwise="never")
    async with slack_house(tmp_path, slack, llm) as inside:
        slack.channel("D1")
        slack.say("D1", "U1", "!status")
        await inside.calm()
        slack.command("D1", "U1", "status")
        await inside.calm()
        replies = slack.channel("D1").shown()

    assert [reply.partition(":")[0] for reply in replies] == ["Model", "Model"]
    assert llm.prompts == []


async def test_without_pairing_a_stranger_meets_silence_whatever_they_do_and_the_log_names_their_id(
    tmp_path: Path, slack: SlackServer
) -> None:
    llm = ScriptedLLM(otherwise="never")
    with capture_logs() as logs:
        async with slack_house(tmp_path, slack, llm, overrides={"access__pairing": "false"}) as inside:
            said = slack.say("D9", "U9", "let me in")
            slack.edit("D9", said, "please")
            slack.command("D9", "U9", "status")
            slack.say("C1", "U9", f"{ME} hello")
            await inside.calm()

    assert {line["sender"] for line in logs if line["event"] == "stranger_refused"} == {"U9"}
    assert llm.prompts == []
    assert slack.methods.called("chat.postMessage") == []


async def test_a_file_alone_says_what_it_is_and_is_no_empty_turn(tmp_path: Path, slack: SlackServer) -> None:
    file = {"name": "note.m4a", "mimetype": "audio/mp4", "size": 7, "url_private": "http://files.example/1"}
    async with slack_house(tmp_path, slack) as inside:
        slack.say("D1", "U1", "", subtype="file_share", files=[file])
        await inside.calm()
        stored = await inside.stored("slack:D1")

    assert stored[0] == "[attachment: note.m4a (audio/mp4, 7 bytes)]"
    assert slack.channel("D1").shown() == [f"heard: {stored[0]}"]
