"""Sending against a strict Bot API server, over the real library."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from channels.errors import DeliveryFailed, DeliveryRejected
from channels.messages import Attachment, ChatKind, Choice
from channels.telegram.adapter import TelegramAdapter
from channels.telegram.markup import split
from tests.helpers.telegram_running import adapter_for, reply, settings_for
from tests.helpers.telegram_server import TelegramServer


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer().serving() as running:
        running.chat(7)
        yield running


@pytest.fixture
async def adapter(server: TelegramServer) -> AsyncIterator[TelegramAdapter]:
    async with adapter_for(server) as made:
        yield made


def squeezed(text: str) -> str:
    return "".join(text.split())


async def test_markdown_is_shown_with_its_styles(server: TelegramServer, adapter: TelegramAdapter) -> None:
    sent = await adapter.send(reply(7, "**bold** `a<b` [here](https://example.org)"))

    shown = server.chat(7).messages
    assert [message.source for message in shown] == [
        '<b>bold</b> <code>a&lt;b</code> <a href="https://example.org">here</a>'
    ]
    assert sent.ids == (str(shown[0].message_id),)


@pytest.mark.parametrize(
    "text",
    [
        "😀" * 4500,
        "<&>" * 1400,
        "a <b>broken <i> tags </b>" * 360,
        "word " * 3000,
        "```\n" + "x = '<&>'\n" * 900 + "```",
    ],
)
async def test_no_text_is_too_long_on_any_path(
    server: TelegramServer, adapter: TelegramAdapter, text: str
) -> None:
    """One bound everywhere, counted in UTF-16 units, and no emoji cut in half."""
    await adapter.send(reply(7, text))

    shown = squeezed("".join(server.chat(7).texts))
    assert shown == squeezed(text.replace("```", ""))


async def test_each_part_of_a_split_is_one_message(server: TelegramServer, adapter: TelegramAdapter) -> None:
    parts = split("**" + "long " * 4000 + "end**")
    for number, part in enumerate(parts):
        await adapter.send(reply(7, part, part=number))

    assert len(server.chat(7).messages) == len(parts) > 1


@pytest.mark.parametrize(
    "text", ["lone _ and * and [ and ` here", "use `parse_mode` with _x and <b>", "1 < 2 & 3 > 2"]
)
async def test_a_text_about_markup_arrives_as_it_reads(
    server: TelegramServer, adapter: TelegramAdapter, text: str
) -> None:
    await adapter.send(reply(7, text))

    assert server.chat(7).texts == [text.replace("`parse_mode`", "parse_mode")]


async def test_markup_that_the_server_refuses_goes_out_as_plain_text_in_parts(
    server: TelegramServer, adapter: TelegramAdapter
) -> None:
    """The way out of a parse error splits as well, and never repeats what was refused."""
    server.fail(method="sendMessage", status=400, description="Bad Request: can't parse entities: no")
    text = " ".join(f"{number}<&>" for number in range(1500))
    await adapter.send(reply(7, f"**{text}**"))

    bodies = [call["text"] for call in server.called("sendMessage")]
    assert squeezed("".join(server.chat(7).texts)) == squeezed(text)
    assert len(bodies) == len(set(bodies))


async def test_what_is_refused_in_every_form_is_rejected_and_not_repeated(
    server: TelegramServer, adapter: TelegramAdapter
) -> None:
    server.fail(method="sendMessage", status=400, description="Bad Request: message is too long", times=9)

    with pytest.raises(DeliveryRejected):
        await adapter.send(reply(7, "**text**"))
    assert [call["text"] for call in server.called("sendMessage")] == ["<b>text</b>", "text"]


@pytest.mark.parametrize(
    ("status", "description"),
    [
        (403, "Forbidden: bot was blocked by the user"),
        (403, "Forbidden: bot was kicked from the supergroup chat"),
        (403, "Forbidden: user is deactivated"),
        (400, "Bad Request: chat not found"),
    ],
)
async def test_a_chat_that_is_gone_rejects_at_once(
    server: TelegramServer, adapter: TelegramAdapter, status: int, description: str
) -> None:
    server.fail(status=status, description=description)

    with pytest.raises(DeliveryRejected):
        await adapter.send(reply(7, "hello"))
    assert len(server.called("sendMessage")) == 1


async def test_a_flood_wait_is_named_and_not_slept_and_other_chats_go_on(
    server: TelegramServer, adapter: TelegramAdapter
) -> None:
    server.chat(8)
    server.fail(chat=7, status=429, description="Too Many Requests: retry after 120", retry_after=120)
    async with asyncio.timeout(10):
        with pytest.raises(DeliveryFailed) as failed:
            await adapter.send(reply(7, "to A"))
        await adapter.send(reply(8, "to B"))

    assert failed.value.retry_after == 120
    assert server.chat(8).texts == ["to B"]


@pytest.mark.parametrize("fault", [{"status": 502}, {"status": 500}, {"drop": True}])
async def test_an_outage_is_a_failure_for_later(
    server: TelegramServer, adapter: TelegramAdapter, fault: dict[str, object]
) -> None:
    server.fail(**fault)

    with pytest.raises(DeliveryFailed):
        await adapter.send(reply(7, "hello"))


@pytest.mark.parametrize("status", [200, 302, 400, 401, 403, 404, 407, 502])
async def test_a_proxy_that_answers_instead_is_a_failure_for_later(
    server: TelegramServer, adapter: TelegramAdapter, status: int
) -> None:
    server.fail(status=status, page="<html><body>not from here</body></html>", times=3)

    with pytest.raises(DeliveryFailed):
        await adapter.send(reply(7, "hello"))


async def test_a_server_that_hangs_is_a_failure_for_later(server: TelegramServer) -> None:
    server.fail(hang=True)
    async with adapter_for(server, request_seconds=0.2) as adapter:
        with pytest.raises(DeliveryFailed):
            await adapter.send(reply(7, "hello"))


async def test_a_revoked_token_keeps_what_is_owed(server: TelegramServer) -> None:
    async with adapter_for(server, token="1000:other") as adapter:
        with pytest.raises(DeliveryFailed):
            await adapter.send(reply(7, "hello"))


async def test_no_error_shows_the_token(server: TelegramServer) -> None:
    server.fail(status=400, description=f"Bad Request: https://api/bot{server.token}/x", times=9)
    async with adapter_for(server) as adapter:
        with pytest.raises(DeliveryRejected) as rejected:
            await adapter.send(reply(7, "hello"))

    assert server.token not in str(rejected.value)


async def test_the_placeholder_becomes_the_answer(server: TelegramServer, adapter: TelegramAdapter) -> None:
    placeholder = await adapter.open_stream(reply(7, "", reply_to="1"))
    await adapter.update_stream(reply(7, "So **fa", placeholder=placeholder))
    sent = await adapter.send(reply(7, "So **far**", placeholder=placeholder))

    assert server.chat(7).texts == ["So far"]
    assert sent.ids == (placeholder,)


async def test_an_answer_that_was_edited_in_before_a_crash_counts_as_sent(
    server: TelegramServer, adapter: TelegramAdapter
) -> None:
    placeholder = await adapter.open_stream(reply(7, ""))
    await adapter.send(reply(7, "done", placeholder=placeholder))
    again = await adapter.send(reply(7, "done", placeholder=placeholder))

    assert again.ids == (placeholder,)
    assert server.chat(7).texts == ["done"]


async def test_a_placeholder_that_was_deleted_is_replaced_by_a_new_message(
    server: TelegramServer, adapter: TelegramAdapter
) -> None:
    placeholder = await adapter.open_stream(reply(7, ""))
    server.chat(7).messages.clear()
    await adapter.send(reply(7, "done", placeholder=placeholder))

    assert server.chat(7).texts == ["done"]


async def test_a_stream_shows_only_what_one_message_holds(
    server: TelegramServer, adapter: TelegramAdapter
) -> None:
    """The edit path has the same bound."""
    placeholder = await adapter.open_stream(reply(7, ""))
    await adapter.update_stream(reply(7, "😀" * 4500, placeholder=placeholder))

    assert server.chat(7).texts == ["😀" * 2048]


async def test_a_stream_keeps_to_the_platforms_pace(server: TelegramServer) -> None:
    async with adapter_for(server, edit_seconds=60.0) as adapter:
        placeholder = await adapter.open_stream(reply(7, ""))
        await adapter.update_stream(reply(7, "too soon", placeholder=placeholder))

    assert server.called("editMessageText") == []


async def test_a_flooded_chat_is_left_alone_by_streams(
    server: TelegramServer, adapter: TelegramAdapter
) -> None:
    placeholder = await adapter.open_stream(reply(7, ""))
    server.fail(chat=7, status=429, description="Too Many Requests", retry_after=60)
    await adapter.update_stream(reply(7, "one", placeholder=placeholder))
    await adapter.update_stream(reply(7, "two", placeholder=placeholder))

    assert len(server.called("editMessageText")) == 1


@pytest.mark.parametrize("method", ["sendMessage", "editMessageText"])
async def test_a_flood_wait_of_what_is_shown_meanwhile_holds_for_the_answer_and_is_told_once(
    server: TelegramServer, adapter: TelegramAdapter, method: str
) -> None:
    server.fail(method=method, status=429, description="Too Many Requests", retry_after=60)
    placeholder = await adapter.open_stream(reply(7, ""))
    await adapter.update_stream(reply(7, "one", placeholder=placeholder))
    asked = len(server.called(method))
    with pytest.raises(DeliveryFailed) as failed:
        await adapter.send(reply(7, "hello", placeholder=placeholder))
    asked_meanwhile = len(server.called(method)) - asked
    await adapter.send(reply(7, "hello", placeholder=placeholder))

    assert failed.value.retry_after == pytest.approx(60, abs=5)
    assert asked_meanwhile == 0
    assert server.chat(7).texts == ["hello"]


async def test_courtesies_never_fail(server: TelegramServer, adapter: TelegramAdapter) -> None:
    server.fail(times=9, status=400, description="Bad Request: chat not found")
    await adapter.typing(reply(7, ""))
    await adapter.update_stream(reply(7, "x", placeholder="1"))

    assert await adapter.open_stream(reply(7, "")) is None


async def test_a_reply_stands_below_its_question_even_if_that_was_deleted(
    server: TelegramServer, adapter: TelegramAdapter
) -> None:
    asked = server.message(7, "question")
    await adapter.send(reply(7, "answer", reply_to=str(asked["message_id"])))
    await adapter.send(reply(7, "late answer", reply_to="99999"))

    assert [message.reply_to for message in server.chat(7).messages] == [asked["message_id"], None]


async def test_the_general_topic_is_left_out_when_sending_and_named_when_typing(
    server: TelegramServer, adapter: TelegramAdapter
) -> None:
    forum = server.chat(-100, forum=True)
    forum.topics.add("11")
    for thread in ("1", "11"):
        to_topic = reply(-100, thread, thread_id=thread, chat_kind=ChatKind.GROUP)
        await adapter.typing(to_topic)
        await adapter.send(to_topic)

    assert [message.thread for message in forum.messages] == [None, "11"]
    assert forum.actions == [("typing", "1"), ("typing", "11")]


async def test_choices_are_buttons_and_too_long_ones_are_text(
    server: TelegramServer, adapter: TelegramAdapter
) -> None:
    await adapter.send(reply(7, "May I?", choices=(Choice(label="Yes", value="yes"),)))
    await adapter.send(reply(7, "May I?", choices=(Choice(label="Yes", value="y" * 65),)))

    button, text = server.chat(7).messages
    assert button.markup == {"inline_keyboard": [[{"text": "Yes", "callback_data": "yes"}]]}
    assert text.text == f"May I?\n\n• Yes: {'y' * 65}"


async def test_hundreds_of_chats_are_answered_side_by_side(
    server: TelegramServer, adapter: TelegramAdapter
) -> None:
    chats = [server.chat(1000 + number) for number in range(200)]
    server.fail(chat=1000, hang=True)
    async with asyncio.timeout(20):
        hanging = asyncio.create_task(adapter.send(reply(1000, "stuck")))
        await asyncio.gather(*(adapter.send(reply(chat.id, "hi")) for chat in chats[1:]))
        hanging.cancel()
        await asyncio.wait({hanging})

    assert all(chat.texts == ["hi"] for chat in chats[1:])


async def content(attachment: Attachment) -> bytes:
    return attachment.name.encode()


async def test_files_go_out_as_pictures_and_documents(server: TelegramServer) -> None:
    adapter = TelegramAdapter(settings_for(server), load=content)
    files = (
        Attachment(name="a.png", mime="image/png", size=5),
        Attachment(name="b.pdf", mime="application/pdf", size=5),
    )
    sent = await adapter.send(reply(7, "here", attachments=files))
    await adapter.close()

    assert server.uploads == [("7", "a.png", b"a.png"), ("7", "b.pdf", b"b.pdf")]
    assert [name for name, _ in server.calls] == ["sendMessage", "sendPhoto", "sendDocument"]
    assert len(sent.ids) == 3


async def test_no_placeholder_is_left_above_files(server: TelegramServer) -> None:
    adapter = TelegramAdapter(settings_for(server), load=content)
    placeholder = await adapter.open_stream(reply(7, ""))
    files = (Attachment(name="b.pdf", mime="application/pdf", size=5),)
    await adapter.send(reply(7, "", placeholder=placeholder, attachments=files))
    await adapter.close()

    assert server.chat(7).texts == ["b.pdf"]


async def test_an_empty_part_for_a_chat_that_is_gone_is_rejected(adapter: TelegramAdapter) -> None:
    with pytest.raises(DeliveryRejected, match="Chat not found"):
        await adapter.send(reply(8, "", placeholder="1"))


async def test_a_file_that_somebody_sent_is_fetched(server: TelegramServer, adapter: TelegramAdapter) -> None:
    server.files["f1"] = b"content"

    assert await adapter.fetch(Attachment(name="x", mime="y", size=7, remote_id="f1")) == b"content"


async def test_an_empty_reply_is_rejected_instead_of_sent(
    server: TelegramServer, adapter: TelegramAdapter
) -> None:
    server.fail(method="sendMessage", status=400, description="Bad Request: message text is empty", times=2)

    with pytest.raises(DeliveryRejected):
        await adapter.send(reply(7, "\u200b"))
