"""Listening to a strict Bot API server, over the real library."""

import asyncio
import logging
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from structlog.testing import capture_logs

from channels.errors import ChannelRefused
from channels.messages import ChatKind
from channels.telegram.adapter import TelegramAdapter
from tests.helpers.telegram_running import Received, StoreDown, adapter_for, reply, running, settings_for
from tests.helpers.telegram_server import TelegramServer


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer().serving() as serving:
        yield serving


async def test_what_is_written_arrives_in_order(server: TelegramServer) -> None:
    received = Received()
    async with adapter_for(server) as adapter, running(adapter, received):
        for number in range(5):
            await server.say(7, f"text {number}")
        messages = await received.count(5)

    assert [message.text for message in messages] == [f"text {number}" for number in range(5)]
    assert messages[0].id == "telegram:7/1"
    assert messages[0].delivery_id == "telegram:update:1000:501"
    assert (messages[0].chat_kind, messages[0].sender_id, messages[0].language) == (
        ChatKind.DIRECT,
        "7",
        "en",
    )


async def test_what_was_written_while_we_were_down_is_not_thrown_away(server: TelegramServer) -> None:
    """With a webhook left over from before."""
    server.webhook = {"url": "https://old.example.org"}
    for number in range(4):
        await server.say(7, f"text {number}")
    received = Received()
    async with adapter_for(server) as adapter, running(adapter, received):
        messages = await received.count(4)

    assert [message.text for message in messages] == [f"text {number}" for number in range(4)]
    assert server.webhook == {}


async def test_an_update_is_confirmed_only_after_it_was_taken_in(server: TelegramServer) -> None:
    received = Received(down=True)
    async with adapter_for(server) as adapter, running(adapter, received):
        await server.say(7, "keep me")
        await received.refusals(3)
        unconfirmed = len(server.pending)
        received.down = False
        await received.count(1)
        await server.wait_for(lambda: not server.pending)

    assert unconfirmed == 1
    assert [message.text for message in received.messages] == ["keep me"]


async def test_a_failure_that_nobody_foresaw_ends_the_run_and_confirms_nothing(
    server: TelegramServer,
) -> None:
    async def broken(_: object) -> None:
        raise LookupError

    await server.say(7, "keep me")
    async with adapter_for(server) as adapter:
        with pytest.raises(LookupError):
            await adapter.run(broken)

    assert len(server.pending) == 1


async def test_what_comes_after_a_failure_waits_for_it(server: TelegramServer) -> None:
    taken: list[str] = []

    async def receive(message: object) -> None:
        text = str(getattr(message, "text", ""))
        taken.append(text)
        if text == "two" and taken.count("two") == 1:
            raise StoreDown

    for text in ("one", "two", "three"):
        await server.say(7, text)
    async with adapter_for(server) as adapter, running(adapter, receive):  # type: ignore[arg-type]  # a plain function does
        await server.wait_for(lambda: not server.pending)

    assert taken == ["one", "two", "two", "three"]


@pytest.mark.parametrize("token", ["1000:wrong", "nonsense"])
async def test_a_wrong_token_ends_the_run_with_a_clear_refusal(server: TelegramServer, token: str) -> None:
    async with adapter_for(server, token=token) as adapter:
        with pytest.raises(ChannelRefused) as refused:
            await adapter.run(Received())

    assert token not in str(refused.value)


@pytest.mark.parametrize(
    "fault",
    [{"status": 502}, {"drop": True}, {"status": 429, "description": "Too Many Requests", "retry_after": 0}],
)
async def test_polling_goes_on_after_an_outage(server: TelegramServer, fault: dict[str, object]) -> None:
    """There is no way to be started and not to fetch."""
    received = Received()
    server.fail(times=6, **fault)
    async with adapter_for(server) as adapter, running(adapter, received):
        await server.say(7, "after the storm")
        await received.count(1)

    assert adapter.health().ok


async def test_the_first_poll_after_a_failure_is_not_held_open(server: TelegramServer) -> None:
    """Else an outage that is over would be told only when the poll ends."""
    server.fail(method="getUpdates")
    async with adapter_for(server) as adapter, running(adapter, Received()):
        await server.wait_for(lambda: server.polls == 2)

    assert [int(poll["timeout"]) for poll in server.called("getUpdates")] == [5, 0, 5]


async def test_a_poll_that_hangs_is_given_up_and_rebuilt(server: TelegramServer) -> None:
    """The watch looks at the last good poll, not at a socket."""
    received = Received()
    server.fail(method="getUpdates", hang=True)
    async with adapter_for(server, poll_seconds=0, stall_seconds=0.3) as adapter, running(adapter, received):
        await server.say(7, "after the silence")
        await received.count(1)

    assert [message.text for message in received.messages] == ["after the silence"]


async def test_another_poller_is_explained_in_one_line_and_polling_goes_on(server: TelegramServer) -> None:
    received = Received()
    conflict = (
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
    )
    async with adapter_for(server) as adapter, running(adapter, received):
        await server.wait_for(lambda: server.polls > 0)
        server.fail(method="getUpdates", status=409, description=conflict, times=10_000)
        await server.push(unknown={})
        await server.wait_for(lambda: len(server.called("getUpdates")) > 4)
        health = adapter.health()
        server.heal()
        await server.say(7, "still here")
        await received.count(1)

    assert not health.ok
    assert "another process polls with this bot's token" in str(health.error)


async def test_the_first_start_waits_for_the_network() -> None:
    tries = asyncio.Semaphore(0)

    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()
        tries.release()

    nowhere = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    server = TelegramServer(base_url=f"http://127.0.0.1:{nowhere.sockets[0].getsockname()[1]}")
    async with nowhere, adapter_for(server) as adapter, running(adapter, Received()):
        for _ in range(3):
            await tries.acquire()

    assert "can't be reached" in str(adapter.health().error)


async def test_a_proxy_starts_the_channel_and_is_used(server: TelegramServer) -> None:
    """Requests for a host that only the proxy knows arrive through it."""
    received = Received()
    changes = {"base_url": "http://telegram.invalid", "proxy": server.base_url}
    async with adapter_for(server, **changes) as adapter, running(adapter, received):
        await server.say(7, "through the proxy")
        await received.count(1)

    assert adapter.health().ok


def test_a_socks_proxy_can_be_built() -> None:
    from channels.telegram.client import Client  # noqa: PLC0415 - the vendor takes a second

    settings = settings_for(TelegramServer(base_url="http://127.0.0.1:1"), proxy="socks5://127.0.0.1:2")

    assert isinstance(Client(settings), Client)


async def test_no_log_line_shows_the_token_or_what_people_write(
    server: TelegramServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger("aiohttp").setLevel(logging.WARNING)
    logging.getLogger("asyncio").setLevel(logging.WARNING)
    received = Received()
    server.fail(
        method="getUpdates", status=502, description=f"https://api/bot{server.token}/getUpdates", times=2
    )
    with capture_logs() as events:
        async with adapter_for(server) as adapter, running(adapter, received):
            await server.say(7, "my secret")
            await received.count(1)
            await adapter.send(reply(7, "my answer"))
    said = caplog.text + repr(events)

    assert "telegram_poll_failed" in said
    assert not [word for word in (server.token, "my secret", "my answer") if word in said]


async def test_the_same_update_delivered_again_keeps_its_ids(server: TelegramServer) -> None:
    """The inbox knows it by either id."""
    received = Received()
    message = server.message(7, "once")
    async with adapter_for(server) as adapter, running(adapter, received):
        for _ in range(3):
            await server.push(update_id=600, message=message)
        await received.count(1)
        await server.wait_for(lambda: not server.pending)

    assert {(message.id, message.delivery_id) for message in received.messages} == {
        ("telegram:7/1", "telegram:update:1000:600")
    }


async def test_a_pressed_button_is_a_message_and_stops_waiting(server: TelegramServer) -> None:
    received = Received()
    press = {
        "id": "q1",
        "from": {"id": 7, "is_bot": False, "first_name": "Ann"},
        "message": server.message(7, "May I?"),
        "data": "yes",
    }
    async with adapter_for(server) as adapter, running(adapter, received):
        await server.push(callback_query=press)
        await server.wait_for(lambda: bool(server.called("answerCallbackQuery")))

    assert [(message.text, message.sender_id) for message in received.messages] == [("yes", "7")]


async def test_a_strangers_press_has_no_effect_at_all(server: TelegramServer) -> None:
    """The adapter answers nobody whom it wasn't told to answer."""
    received = Received()
    adapter = TelegramAdapter(settings_for(server))
    press = {"id": "q1", "from": {"id": 9}, "message": server.message(7, "May I?"), "data": "yes"}
    async with running(adapter, received):
        await server.push(callback_query=press)
        await received.count(1)
        await server.wait_for(lambda: not server.pending)
    await adapter.close()

    assert server.called("answerCallbackQuery") == []


async def test_a_long_paste_is_one_group_in_order(server: TelegramServer) -> None:
    parts = ["😀" * 2048, "😀" * 2048, "😀" * 100]
    received = Received()
    async with adapter_for(server) as adapter, running(adapter, received):
        for part in parts:
            await server.say(7, part)
        messages = await received.count(3)

    assert [message.text for message in messages] == parts
    assert {message.group_id for message in messages} == {messages[0].id}
    assert all(message.ready_at is not None for message in messages)


async def test_health_needs_a_round_trip_of_late(server: TelegramServer) -> None:
    times = [datetime(2026, 1, 1, tzinfo=UTC)]
    server.chat(7)
    adapter = TelegramAdapter(settings_for(server), now=lambda: times[0])
    before = adapter.health()
    await adapter.send(reply(7, "hello"))
    after = adapter.health()
    times.append(datetime(2026, 1, 1, 0, 5, tzinfo=UTC))
    times.pop(0)
    stale = adapter.health()
    await adapter.close()

    assert [before.ok, after.ok, stale.ok] == [False, True, False]


async def test_the_vendor_is_not_imported_before_it_is_needed() -> None:
    code = "import sys, channels.telegram.adapter; sys.exit('telegram' in sys.modules)"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code)

    assert await process.wait() == 0
