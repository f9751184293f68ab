"""People on Telegram and a whole gateway between them and a model."""

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from gateway.app import operation_ports
from gateway.errors import LLMRejected, LLMUnavailable
from gateway.llm.scripted import Held, ScriptedLLM
from gateway.operations import outbox
from gateway.operations.operation import OperationPorts, Running
from tests.helpers.telegram_house import (
    FIRST,
    PEOPLE,
    TelegramHouse,
    WritingLLM,
    people_toml,
    shown_in,
    telegram_house,
)
from tests.helpers.telegram_server import TelegramServer

GROUP = -100200
FORUM = -100300
ONE_EACH = {"sessions__busy": "queue"}
SILENCE = {"access__pairing": "false"}


def mention(text: str, *, bot: str = "mneme_bot") -> dict[str, Any]:
    """A text that begins with the bot's name, as Telegram marks it."""
    return {
        "text": f"@{bot} {text}",
        "entities": [{"type": "mention", "offset": 0, "length": len(bot) + 1}],
    }


def command(text: str) -> dict[str, Any]:
    """A text that begins with a command, as Telegram marks it."""
    length = len(text.partition(" ")[0])
    return {"text": text, "entities": [{"type": "bot_command", "offset": 0, "length": length}]}


async def test_fifty_messages_in_five_chats_are_answered_in_order_each_in_its_own_placeholder(
    tmp_path: Path,
) -> None:
    chats = PEOPLE[:5]
    async with TelegramServer().serving() as server:
        llm = WritingLLM(
            otherwise=lambda prompt: f"you said {prompt.newest}", piece=16, shown=partial(shown_in, server)
        )
        async with telegram_house(tmp_path, server, llm, overrides=ONE_EACH) as inside:
            for number in range(10):
                for chat in chats:
                    await server.say(chat, f"message {number} of {chat}")
            await inside.calm()
        shown = {chat: server.chat(chat).texts for chat in chats}
        edits = [message.edits for chat in chats for message in server.chat(chat).messages]

    assert shown == {chat: [f"you said message {n} of {chat}" for n in range(10)] for chat in chats}
    assert min(edits) >= 1
    assert len(server.called("sendMessage")) == 50


async def test_a_long_answer_grows_in_the_placeholder_which_is_its_first_part(tmp_path: Path) -> None:
    answer = "\n\n".join(f"Paragraph {n}:" + " words and more words" * 20 for n in range(30))
    async with TelegramServer().serving() as server:
        llm = WritingLLM(answer, piece=2500, shown=partial(shown_in, server))
        async with telegram_house(tmp_path, server, llm) as inside:
            await server.say(FIRST, "tell me everything")
            await inside.calm()
        messages = server.chat(FIRST).messages

    assert len(messages) == 4
    assert [message.edits > 0 for message in messages] == [True, False, False, False]
    assert "\n\n".join(message.text for message in messages).split() == answer.split()


async def test_the_next_answer_is_not_shown_above_a_part_that_is_still_on_its_way(tmp_path: Path) -> None:
    long = "first part" + " words" * 700
    async with TelegramServer().serving() as server:

        async def shown(session: str, text: str) -> None:
            await shown_in(server, session, text)
            if text == long:
                server.fail(method="sendMessage", status=502)

        llm = WritingLLM(long, "second answer", piece=5000, shown=shown)
        async with telegram_house(tmp_path, server, llm, overrides=ONE_EACH) as inside:
            await server.say(FIRST, "one")
            await server.say(FIRST, "two")
            await inside.calm()
        texts = server.chat(FIRST).texts

    assert [text.split()[0] for text in texts] == ["first", "words", "second"]


async def test_each_topic_of_a_forum_is_a_conversation_and_is_answered_there(tmp_path: Path) -> None:
    async with TelegramServer().serving() as server:
        forum = server.chat(FORUM, forum=True)
        forum.topics |= {"11", "12"}
        async with telegram_house(tmp_path, server, overrides={"sessions__scope": "thread"}) as inside:
            for topic in (11, 12):
                fields: dict[str, Any] = {"message_thread_id": topic, "is_topic_message": True}
                await server.say(FORUM, **mention(f"in {topic}"), **fields)
            await server.say(FORUM, **mention("in General"))
            await inside.calm()
            stored = [await inside.stored(f"telegram:{FORUM}#{topic}") for topic in (11, 12, 1)]

    assert {(message.thread, message.text) for message in forum.messages} == {
        ("11", "heard: @mneme_bot in 11"),
        ("12", "heard: @mneme_bot in 12"),
        (None, "heard: @mneme_bot in General"),
    }
    assert [len(session) for session in stored] == [2, 2, 2]


async def test_with_scope_chat_a_forum_is_one_conversation_and_replies_stay_in_their_topics(
    tmp_path: Path,
) -> None:
    async with TelegramServer().serving() as server:
        forum = server.chat(FORUM, forum=True)
        forum.topics |= {"11", "12"}
        overrides = {"sessions__scope": "chat", **ONE_EACH}
        async with telegram_house(tmp_path, server, overrides=overrides) as inside:
            for topic in (11, 12):
                fields: dict[str, Any] = {"message_thread_id": topic, "is_topic_message": True}
                await server.say(FORUM, **mention(f"in {topic}"), **fields)
            await inside.calm()
            stored = await inside.stored(f"telegram:{FORUM}")

    assert [(message.thread, message.text) for message in forum.messages] == [
        ("11", "heard: @mneme_bot in 11"),
        ("12", "heard: @mneme_bot in 12"),
    ]
    assert len(stored) == 4


async def test_in_a_group_only_what_is_said_to_the_bot_is_answered_as_a_reply_to_it(tmp_path: Path) -> None:
    async with TelegramServer().serving() as server:
        llm = ScriptedLLM(otherwise="yes?")
        async with telegram_house(tmp_path, server, llm, overrides=ONE_EACH) as inside:
            await server.say(GROUP, "among us")
            asked = [await server.say(GROUP, **mention("hello"))]
            await inside.calm()
            own = {
                "message_id": server.chat(GROUP).messages[0].message_id,
                "from": {"id": 1000},
                "text": "yes?",
            }
            asked += [await server.say(GROUP, "and you?", reply_to_message=own)]
            asked += [await server.say(GROUP, **command("/status@mneme_bot"))]
            await server.say(GROUP, **command("/status@other_bot"))
            await inside.calm()
        replies = server.chat(GROUP).messages

    assert len(llm.prompts) == 2
    assert [message.reply_to for message in replies] == [message["message_id"] for message in asked]
    assert replies[2].text.startswith("Model:")


async def test_a_member_of_an_allowed_group_is_answered_there_and_not_in_private(tmp_path: Path) -> None:
    async with TelegramServer().serving() as server:
        toml = people_toml(groups=[GROUP])
        async with telegram_house(tmp_path, server, toml=toml, overrides=SILENCE) as inside:
            await server.say(GROUP, **mention("hello"), sender=5000)
            await server.say(5000, "hello")
            await inside.calm()

    assert server.chat(GROUP).texts == ["heard: @mneme_bot hello"]
    assert server.chat(5000).texts == []


async def test_a_paste_that_the_client_cut_into_three_is_one_turn_with_the_whole_text(tmp_path: Path) -> None:
    parts = ["\N{GRINNING FACE}" * 2048, "b" * 4096, "the end"]
    async with TelegramServer().serving() as server:
        llm = ScriptedLLM(otherwise="read", window=100_000)
        async with telegram_house(tmp_path, server, llm, overrides=ONE_EACH) as inside:
            for part in parts:
                await server.say(FIRST, part)
            await inside.calm()

    assert [prompt.newest for prompt in llm.prompts] == ["\n\n".join(parts)]
    assert server.chat(FIRST).texts == ["read"]


async def test_the_pictures_of_an_album_are_one_turn(tmp_path: Path) -> None:
    async with TelegramServer().serving() as server:
        llm = ScriptedLLM(otherwise="nice")
        async with telegram_house(tmp_path, server, llm, overrides=ONE_EACH) as inside:
            for number in range(3):
                photo = [{"file_id": f"p{number}", "width": 10, "height": 10, "file_size": 5}]
                caption: dict[str, Any] = {"caption": "our cat"} if not number else {}
                await server.say(FIRST, photo=photo, media_group_id="album", **caption)
            await inside.calm()
            asked = "\n".join(message.content for message in llm.prompts[0].messages)

    assert len(llm.prompts) == 1
    assert "our cat" in asked
    assert asked.count("[attachment: photo.jpg (image/jpeg, 5 bytes)]") == 3
    assert server.chat(FIRST).texts == ["nice"]


async def test_an_update_that_comes_three_times_while_the_model_thinks_is_answered_once(
    tmp_path: Path,
) -> None:
    gate = asyncio.Event()
    async with TelegramServer().serving() as server:
        llm = ScriptedLLM(Held(answer="once", until=gate), otherwise="again")
        async with telegram_house(tmp_path, server, llm) as inside:
            message = server.message(FIRST, "hello")
            number = await server.push(message=message)
            await llm.asked(1)
            for _ in range(2):
                await server.push(message=message, update_id=number)
                await server.push(message=message)
            gate.set()
            await inside.calm()

    assert server.chat(FIRST).texts == ["once"]
    assert len(llm.prompts) == 1


async def test_what_was_written_while_the_daemon_was_down_is_answered_in_order(tmp_path: Path) -> None:
    async with TelegramServer().serving() as server:
        for number in range(4):
            await server.say(FIRST, f"held {number}")
        async with telegram_house(tmp_path, server, overrides=ONE_EACH) as inside:
            await inside.calm()

    assert server.chat(FIRST).texts == [f"heard: held {number}" for number in range(4)]


async def test_an_edit_before_its_turn_replaces_the_words_and_a_later_one_is_told_to_the_next_turn(
    tmp_path: Path,
) -> None:
    gate = asyncio.Event()
    async with TelegramServer().serving() as server:
        llm = ScriptedLLM(Held(answer="first", until=gate), otherwise="rest")
        async with telegram_house(tmp_path, server, llm) as inside:
            one = await server.say(FIRST, "one")
            await llm.asked(1)
            two = await server.say(FIRST, "tow")
            await server.push(edited_message={**two, "text": "two", "edit_date": two["date"] + 1})
            await server.push(edited_message={**one, "text": "ONE", "edit_date": one["date"] + 1})
            await server.wait_for(lambda: not server.pending)
            gate.set()
            await inside.calm()
            stored = await inside.stored(f"telegram:{FIRST}")

    assert stored == ["one", "first", "two", "[edit of an earlier message]\nONE", "rest"]
    assert server.chat(FIRST).texts == ["first", "rest"]


async def test_a_late_edit_alone_is_answered_by_nobody(tmp_path: Path) -> None:
    async with TelegramServer().serving() as server:
        llm = ScriptedLLM(otherwise="ok")
        async with telegram_house(tmp_path, server, llm) as inside:
            said = await server.say(FIRST, "hello")
            await inside.calm()
            await server.push(edited_message={**said, "text": "hallo", "edit_date": said["date"] + 1})
            await inside.calm()

    assert len(llm.prompts) == 1
    assert server.chat(FIRST).texts == ["ok"]


async def test_without_pairing_a_stranger_meets_silence_whatever_they_do_and_the_log_names_their_number(
    tmp_path: Path,
) -> None:
    stranger: dict[str, Any] = {"id": 666, "is_bot": False, "first_name": "p1001", "username": "p1001"}
    async with TelegramServer().serving() as server:
        llm = ScriptedLLM(otherwise="never")
        with capture_logs() as logs:
            async with telegram_house(tmp_path, server, llm, overrides=SILENCE) as inside:
                said = await server.say(666, "let me in")
                await server.push(edited_message={**said, "text": "please", "edit_date": said["date"] + 1})
                shown = server.message(GROUP, "buttons")
                await server.push(
                    callback_query={"id": "9", "from": stranger, "message": shown, "data": "/status"}
                )
                await server.push(message_reaction={"chat": {"id": 666}, "user": stranger})
                await server.say(GROUP, **mention("hello"), sender=666)
                await inside.calm()

    refused = [line for line in logs if line["event"] == "stranger_refused"]
    assert {line["sender"] for line in refused} == {"666"}
    assert llm.prompts == []
    assert {name for name, _ in server.calls} == {"getMe", "getUpdates"}


async def test_nobody_is_let_in_by_an_empty_list(tmp_path: Path) -> None:
    async with (
        TelegramServer().serving() as server,
        telegram_house(tmp_path, server, toml="[access]\npairing = false\n", overrides=SILENCE) as inside,
    ):
        await server.say(FIRST, "hello")
        await inside.calm()

    assert server.chat(FIRST).texts == []


async def test_a_chat_that_must_wait_holds_up_no_other(tmp_path: Path) -> None:
    slow, quick = PEOPLE[:2]
    async with TelegramServer().serving() as server:
        server.fail(
            method="sendMessage",
            chat=slow,
            times=3,
            status=429,
            description="Too Many Requests: retry after 120",
            retry_after=120,
        )
        async with telegram_house(tmp_path, server, overrides={"gateway__drain_seconds": "0.1"}) as inside:
            await server.say(slow, "one")
            await server.wait_for(lambda: bool(server.called("sendMessage")))
            await server.say(quick, "two")
            await server.wait_for(lambda: server.chat(quick).texts == ["heard: two"])
            owed = await inside.house.gateway.stores.journal.entries()

    assert [entry.attempts for entry in owed if entry.message.chat_id == str(slow)] == [1]
    assert server.chat(slow).texts == []


def operator_of(inside: TelegramHouse) -> OperationPorts:
    """What the operator's commands reach through the daemon."""
    stores, gateway = inside.house.gateway.stores, inside.house.gateway

    async def status() -> dict[str, Any]:
        return {}

    return replace(
        operation_ports(gateway.settings, stores),
        running=Running(
            status=status,
            reload=status,
            requeue=gateway.delivery.requeue,
            cancel_job=gateway.background.worker.cancel,
        ),
    )


async def test_a_reply_to_a_chat_that_blocks_the_bot_waits_for_the_operator(tmp_path: Path) -> None:
    async with TelegramServer().serving() as server, telegram_house(tmp_path, server) as inside:
        server.chat(FIRST).blocked = True
        await server.say(FIRST, "hello")
        await inside.calm()
        ports = operator_of(inside)
        [dead] = (await outbox.list_outbox(ports))["entries"]
        server.chat(FIRST).blocked = False
        await outbox.retry_entry(ports, id=dead["id"])
        await inside.calm()
        left = (await outbox.list_outbox(ports))["entries"]

    assert (dead["status"], dead["chat_id"]) == ("dead", str(FIRST))
    assert "blocked" in dead["error"]
    assert server.chat(FIRST).texts == ["heard: hello"]
    assert left == []


async def test_a_part_that_is_dropped_before_its_time_is_not_sent_and_holds_up_nothing(
    tmp_path: Path,
) -> None:
    async with TelegramServer().serving() as server:
        server.fail(
            method="sendMessage",
            chat=FIRST,
            status=429,
            description="Too Many Requests: retry after 600",
            retry_after=600,
        )
        async with telegram_house(tmp_path, server) as inside:
            ports = operator_of(inside)
            await server.say(FIRST, "one")
            await inside.calm()
            [waiting] = (await outbox.list_outbox(ports))["entries"]
            await outbox.drop_entry(ports, id=waiting["id"])
            await server.say(FIRST, "two")
            await inside.calm()
            left = (await outbox.list_outbox(ports))["entries"]

    assert (waiting["status"], waiting["attempts"]) == ("due", 1)
    assert server.chat(FIRST).texts == ["heard: two"]
    assert left == []


async def test_a_dead_letter_that_is_retried_twice_is_sent_once(tmp_path: Path) -> None:
    async with TelegramServer().serving() as server, telegram_house(tmp_path, server) as inside:
        server.chat(FIRST).blocked = True
        await server.say(FIRST, "hello")
        await inside.calm()
        ports = operator_of(inside)
        [dead] = (await outbox.list_outbox(ports))["entries"]
        server.chat(FIRST).blocked = False
        retries = [outbox.retry_entry(ports, id=dead["id"]) for _ in range(2)]
        done = await asyncio.gather(*retries, return_exceptions=True)
        await inside.calm()

    assert sorted(type(one).__name__ for one in done) == ["OperationFailed", "dict"]
    assert server.chat(FIRST).texts == ["heard: hello"]


async def test_who_writes_too_fast_is_told_so_once_and_nothing_of_it_is_lost(tmp_path: Path) -> None:
    overrides = ONE_EACH | {"access__messages_per_minute": "2", "gateway__drain_seconds": "0"}
    async with (
        TelegramServer().serving() as server,
        telegram_house(tmp_path, server, ScriptedLLM(otherwise="ok"), overrides=overrides) as inside,
    ):
        chat = server.chat(FIRST)
        for number in range(5):
            await server.say(FIRST, f"message {number}")
        await server.wait_for(lambda: chat.texts.count("ok") == 2 and len(chat.texts) == 3)
        await server.say(FIRST, **command("/stop"))
        await server.wait_for(lambda: len(chat.texts) == 4)
        waiting = await inside.house.gateway.stores.journal.waiting()

    assert sum("That is a lot at once" in text for text in chat.texts) == 1
    assert chat.texts[-1].startswith("Nothing is running. Messages waiting: ")
    assert [entry.message.text for entry in waiting] == ["message 2", "message 3", "message 4"]


async def test_updates_of_unknown_kinds_and_shapes_hold_nothing_up(tmp_path: Path) -> None:
    odd: list[dict[str, Any]] = [
        {"story": {"id": 1}},
        {"message": None},
        {"message": {"message_id": 1}},
        {"message": {"message_id": "x", "chat": [], "from": 3, "date": "today", "text": 5}},
        {"edited_message": {"chat": {"id": FIRST, "type": "private"}}},
        {"callback_query": {"id": 5}},
        {"poll": {"id": "1"}},
    ]
    async with TelegramServer().serving() as server, telegram_house(tmp_path, server) as inside:
        for update in odd:
            await server.push(**update)
        await server.say(FIRST, new_chat_title="service")
        await server.say(FIRST, "hello")
        await inside.calm()

    assert server.chat(FIRST).texts == ["heard: hello"]


async def test_a_voice_message_alone_says_what_it_is_and_is_no_empty_turn(tmp_path: Path) -> None:
    async with TelegramServer().serving() as server:
        server.fail(method="getFile", hang=True)
        async with telegram_house(tmp_path, server) as inside:
            await server.say(FIRST, voice={"file_id": "v1", "duration": 3, "file_size": 4000})
            await inside.calm()
            stored = await inside.stored(f"telegram:{FIRST}")

    assert stored[0] == "[attachment: voice.ogg (audio/ogg, 4000 bytes)]"
    assert server.chat(FIRST).texts == [f"heard: {stored[0]}"]


@pytest.mark.parametrize(
    "error", [LLMUnavailable("HTTP 503 at 10.0.0.1"), LLMRejected("HTTP 401 key sk-1"), RuntimeError("boom")]
)
async def test_a_failing_model_gives_one_short_sentence_and_the_chat_goes_on(
    tmp_path: Path, error: Exception
) -> None:
    async def fail(_prompt: object) -> str:
        raise error

    llm = ScriptedLLM(fail, otherwise="back")
    async with TelegramServer().serving() as server, telegram_house(tmp_path, server, llm) as inside:
        with capture_logs() as logs:
            await server.say(FIRST, "hello")
            await inside.calm()
        await server.say(FIRST, "again")
        await inside.calm()
        sorry, answer = server.chat(FIRST).texts

    assert [line["log_level"] for line in logs if line["event"] in {"model_failed", "turn_broke"}]
    assert str(error) not in sorry
    assert len(sorry) < 120
    assert answer == "back"
