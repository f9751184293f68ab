"""What goes out to Slack, with Slack's own SDK against a strict local Slack."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from channels.errors import DeliveryFailed, DeliveryRejected
from channels.messages import Attachment, Choice, OutboundMessage
from channels.slack.adapter import SlackAdapter
from tests.helpers.slack_chats import Fault
from tests.helpers.slack_running import settings
from tests.helpers.slack_server import SlackServer

FILE = Attachment(name="plan.txt", mime="text/plain", size=4, media="abcd")


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as server:
        server.channel("D1")
        server.channel("C1")
        yield server


@pytest.fixture
def adapter(slack: SlackServer) -> SlackAdapter:
    return SlackAdapter(settings(slack), load=content)


async def content(attachment: Attachment) -> bytes:
    return b"content of " + attachment.name.encode()


def reply(text: str = "hello", **more: object) -> OutboundMessage:
    values = {"id": "turn-1", "channel": "slack", "chat_id": "D1", "text": text}
    return OutboundMessage(**(values | more))  # type: ignore[arg-type]


async def test_a_reply_is_posted_as_mrkdwn_without_previews(
    slack: SlackServer, adapter: SlackAdapter
) -> None:
    sent = await adapter.send(reply("**Yes**: a < b, see https://a.org"))
    [call] = slack.methods.called("chat.postMessage")

    assert slack.channel("D1").shown() == ["*Yes*: a &lt; b, see https://a.org"]
    assert slack.channel("D1").messages[0].ts == sent.ids[0]
    assert (call["unfurl_links"], call["unfurl_media"]) == (False, False)


async def test_a_reply_in_a_thread_stays_there(slack: SlackServer, adapter: SlackAdapter) -> None:
    root = slack.say("C1", "U1", "<@UBOT> hello")
    await adapter.send(reply("hi", chat_id="C1", thread_id=root))

    assert slack.channel("C1").shown(root) == ["hi"]
    assert slack.channel("C1").shown() == []


async def test_nothing_that_is_sent_pings_anybody(slack: SlackServer, adapter: SlackAdapter) -> None:
    text = "use <!channel> & <@U1>, a < b"
    ts = await adapter.open_stream(reply(text))
    await adapter.send(reply(text, placeholder=ts))
    await adapter.send(reply(text, choices=(Choice(label="<!here>", value="x"),)))

    assert slack.methods.pings == []


async def test_a_placeholder_becomes_the_answer(slack: SlackServer, adapter: SlackAdapter) -> None:
    ts = await adapter.open_stream(reply(""))
    await adapter.update_stream(reply("Hello,", placeholder=ts))
    sent = await adapter.send(reply("hello", placeholder=ts))
    [post] = slack.channel("D1").messages

    assert post.states == ["…", "Hello,", "hello"]
    assert sent.ids == (ts,)


async def test_the_answer_is_never_overwritten_by_what_came_before_it(
    slack: SlackServer, adapter: SlackAdapter
) -> None:
    ts = await adapter.open_stream(reply(""))
    slow = Fault(hold=asyncio.Event())
    slack.methods.fail("chat.update", slow)
    update = asyncio.create_task(adapter.update_stream(reply("Hello,", placeholder=ts)))
    await slack.until(lambda: bool(slack.methods.called("chat.update")))
    answer = asyncio.create_task(adapter.send(reply("hello", placeholder=ts)))
    assert slow.hold is not None
    slow.hold.set()
    await asyncio.gather(update, answer)
    await adapter.update_stream(reply("Hello", placeholder=ts))

    assert slack.channel("D1").shown() == ["hello"]


async def test_a_lost_placeholder_is_replaced_by_a_message(slack: SlackServer, adapter: SlackAdapter) -> None:
    await adapter.send(reply("hello", placeholder="1.000001"))

    assert slack.channel("D1").shown() == ["hello"]


async def test_streaming_keeps_the_platforms_pace(slack: SlackServer) -> None:
    adapter = SlackAdapter(settings(slack, stream_seconds=60.0))
    ts = await adapter.open_stream(reply(""))
    await adapter.update_stream(reply("h", placeholder=ts))
    other = await adapter.open_stream(reply("", chat_id="C1"))
    await adapter.send(reply("hello", placeholder=ts))

    assert slack.channel("D1").messages[0].states == ["…", "hello"]
    assert other is not None


async def test_a_rate_limit_stops_streaming_for_as_long_as_slack_says(
    slack: SlackServer, adapter: SlackAdapter
) -> None:
    ts = await adapter.open_stream(reply(""))
    slack.methods.fail("chat.update", Fault(status=429, error="ratelimited", retry_after=60))
    await adapter.update_stream(reply("h", placeholder=ts))
    await adapter.update_stream(reply("he", placeholder=ts))

    assert len(slack.methods.called("chat.update")) == 1


@pytest.mark.parametrize("method", ["chat.postMessage", "chat.update"])
async def test_a_rate_limit_of_what_is_shown_meanwhile_holds_for_the_answer_and_is_told_once(
    slack: SlackServer, adapter: SlackAdapter, method: str
) -> None:
    limited = Fault(status=429, error="ratelimited", retry_after=60)
    if method == "chat.postMessage":
        slack.methods.fail(method, limited)
    ts = await adapter.open_stream(reply(""))
    if method == "chat.update":
        slack.methods.fail(method, limited)
        await adapter.update_stream(reply("h", placeholder=ts))
    asked = len(slack.methods.called(method))
    with pytest.raises(DeliveryFailed) as caught:
        await adapter.send(reply("hello", placeholder=ts))
    asked_meanwhile = len(slack.methods.called(method)) - asked
    await adapter.send(reply("hello", placeholder=ts))

    assert caught.value.retry_after == pytest.approx(60, abs=5)
    assert asked_meanwhile == 0
    assert slack.channel("D1").shown() == ["hello"]


async def test_a_rate_limit_of_the_answer_keeps_placeholders_back(
    slack: SlackServer, adapter: SlackAdapter
) -> None:
    slack.methods.fail("chat.postMessage", Fault(status=429, error="ratelimited", retry_after=60))

    with pytest.raises(DeliveryFailed):
        await adapter.send(reply())

    assert await adapter.open_stream(reply("")) is None


async def test_a_rate_limit_is_not_forgotten_over_a_shorter_one(
    slack: SlackServer, adapter: SlackAdapter
) -> None:
    long, short = (Fault(status=429, error="ratelimited", retry_after=seconds) for seconds in (60, 0))
    slack.methods.fail("chat.postMessage", long, short)
    for _ in range(2):
        with pytest.raises(DeliveryFailed):
            await adapter.send(reply())

    assert await adapter.open_stream(reply("")) is None


async def test_a_stream_that_can_not_be_opened_is_no_error(slack: SlackServer, adapter: SlackAdapter) -> None:
    slack.methods.fail("chat.postMessage", Fault(hang_up=True))

    assert await adapter.open_stream(reply("")) is None


async def test_a_rate_limit_is_named_and_not_waited_for(slack: SlackServer, adapter: SlackAdapter) -> None:
    slack.methods.fail("chat.postMessage", Fault(status=429, error="ratelimited", retry_after=600))

    with pytest.raises(DeliveryFailed) as caught:
        await adapter.send(reply())

    assert caught.value.retry_after == 600
    assert len(slack.methods.called("chat.postMessage")) == 1


@pytest.mark.parametrize(
    "fault",
    [
        Fault(hang_up=True),
        Fault(status=503),
        Fault(status=500, error="fatal_error"),
        Fault(status=200, body="<html>maintenance</html>"),
        Fault(body=b'{"ok": \xff}', content_type="application/json"),
        Fault(body='{"ok": false, "error": null}', content_type="application/json"),
        Fault(body='{"ok": false, "error": {"code": 1}}', content_type="application/json"),
        Fault(status=200, body="ok", content_type="text/plain"),
        Fault(status=200, body="{", content_type="application/json"),
        Fault(error="internal_error"),
    ],
)
async def test_what_passes_may_be_tried_again(
    slack: SlackServer, adapter: SlackAdapter, fault: Fault
) -> None:
    slack.methods.fail("chat.postMessage", fault)

    with pytest.raises(DeliveryFailed):
        await adapter.send(reply())

    await adapter.send(reply())
    assert slack.channel("D1").shown() == ["hello"]


@pytest.mark.parametrize(
    "code", ["restricted_action", "account_inactive", "ekm_access_denied", "user_is_bot"]
)
async def test_what_slack_refuses_for_good_is_rejected(
    slack: SlackServer, adapter: SlackAdapter, code: str
) -> None:
    slack.methods.fail("chat.postMessage", Fault(error=code))

    with pytest.raises(DeliveryRejected, match=code):
        await adapter.send(reply())


async def test_a_chat_that_is_gone_rejects(slack: SlackServer, adapter: SlackAdapter) -> None:
    slack.channel("C1").archived = True
    slack.channel("C2").member = False

    with pytest.raises(DeliveryRejected, match="is_archived"):
        await adapter.send(reply(chat_id="C1"))
    with pytest.raises(DeliveryRejected, match="not_in_channel"):
        await adapter.send(reply(chat_id="C2"))
    with pytest.raises(DeliveryRejected, match="channel_not_found"):
        await adapter.send(reply(chat_id="C9"))


async def test_a_long_reply_is_several_messages(slack: SlackServer, adapter: SlackAdapter) -> None:
    text = "\n\n".join(f"{number}. <{'x' * 500}>" for number in range(20))
    for part, piece in enumerate(adapter.split(text)):
        await adapter.send(reply(piece, part=part))
    shown = slack.channel("D1").shown()

    assert len(shown) > 2
    assert all(len(post) <= 3900 for post in shown)
    assert sum(post.count("&lt;") for post in shown) == 20


async def test_a_part_that_was_not_split_is_split(slack: SlackServer, adapter: SlackAdapter) -> None:
    sent = await adapter.send(reply("word " * 2000))

    assert len(sent.ids) == len(slack.channel("D1").shown()) == 3


@pytest.mark.parametrize("code", ["invalid_blocks", "msg_too_long"])
async def test_a_refused_form_is_sent_as_plain_short_text(
    slack: SlackServer, adapter: SlackAdapter, code: str
) -> None:
    slack.methods.fail("chat.postMessage", Fault(error=code))
    sent = await adapter.send(reply("**words** " * 350, choices=(Choice(label="Yes", value="/yes"),)))
    shown = slack.channel("D1").shown()

    assert len(sent.ids) == len(shown) == 1
    assert shown[0].startswith("words words")
    assert shown[0].endswith("Yes: /yes")


async def test_buttons_come_with_sections_that_slack_takes(slack: SlackServer, adapter: SlackAdapter) -> None:
    choices = (Choice(label="Yes", value="/yes"), Choice(label="No", value="/no"))
    await adapter.send(reply("word " * 900, choices=choices))
    [post] = slack.channel("D1").messages
    *sections, actions = post.blocks

    assert sum(block["text"]["text"].count("word") for block in sections) == 900
    assert [button["value"] for button in actions["elements"]] == ["/yes", "/no"]


async def test_files_and_their_text_are_one_message(slack: SlackServer, adapter: SlackAdapter) -> None:
    await adapter.send(reply("here it is", attachments=(FILE,)))

    assert list(slack.methods.uploads.values()) == [b"content of plan.txt"]
    assert slack.channel("D1").shown() == ["here it is[plan.txt]"]


async def test_a_file_of_a_streamed_reply_follows_it(slack: SlackServer, adapter: SlackAdapter) -> None:
    ts = await adapter.open_stream(reply(""))
    await adapter.send(reply("here it is", placeholder=ts, attachments=(FILE,)))

    assert slack.channel("D1").shown() == ["here it is", "[plan.txt]"]


async def test_no_placeholder_is_left_above_files(slack: SlackServer, adapter: SlackAdapter) -> None:
    ts = await adapter.open_stream(reply(""))
    await adapter.send(reply("", placeholder=ts, attachments=(FILE,)))

    assert slack.channel("D1").shown() == ["[plan.txt]"]


async def test_a_file_without_a_way_to_its_content_is_rejected(slack: SlackServer) -> None:
    with pytest.raises(DeliveryRejected, match="attachments"):
        await SlackAdapter(settings(slack)).send(reply("", attachments=(FILE,)))
