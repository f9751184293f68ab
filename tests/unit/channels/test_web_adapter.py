import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web

from channels.errors import DeliveryFailed, NotAccepted
from channels.messages import InboundMessage, OutboundMessage
from channels.web.adapter import Guest, WebAdapter
from tests.helpers.telegram_running import Received, StoreDown
from tests.helpers.web_rig import Remembered

ANN = Guest(sender_id="ann", chat_id="desk")


def reply(text: str, *, answers: tuple[str, ...] = ("web:desk/1",)) -> OutboundMessage:
    return OutboundMessage(id=answers[0], channel="web", chat_id="desk", text=text, answers=answers)


@asynccontextmanager
async def serving(adapter: WebAdapter) -> AsyncIterator[aiohttp.ClientSession]:
    """The adapter behind a server, and whoever connects is Ann at her desk."""

    async def serve(request: web.Request) -> web.StreamResponse:
        return await adapter.converse(request, ANN)

    application = web.Application()
    application.router.add_get("/ws", serve)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        async with aiohttp.ClientSession(f"http://127.0.0.1:{runner.addresses[0][1]}") as http:
            yield http
    finally:
        await runner.cleanup()


@asynccontextmanager
async def listening(adapter: WebAdapter, receive: Received) -> AsyncIterator[None]:
    task = asyncio.create_task(adapter.run(receive))
    await asyncio.sleep(0)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


@asynccontextmanager
async def deaf_client(http: aiohttp.ClientSession) -> AsyncIterator[None]:
    """Somebody who opened a socket and reads nothing from it."""
    assert http._base_url is not None
    reader, writer = await asyncio.open_connection(http._base_url.host, http._base_url.port, limit=1024)
    writer.write(
        b"GET /ws HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    await reader.readuntil(b"\r\n\r\n")
    try:
        yield
    finally:
        writer.transport.abort()


async def test_a_client_that_reads_nothing_is_cut_off_and_holds_up_nobody() -> None:
    adapter = WebAdapter(answers=Remembered(), patience=1.5)
    text = "x" * 12_000_000
    async with serving(adapter) as http, deaf_client(http), http.ws_connect("/ws", max_msg_size=0) as reader:
        async with asyncio.timeout(20):
            sending = asyncio.create_task(adapter.send(reply(text)))
            frame = await reader.receive_json()
            is_held_up = not sending.done()
            await sending
            await adapter.send(reply("again", answers=("web:desk/2",)))
            again = await reader.receive_json()

    assert is_held_up
    assert len(frame["text"]) == len(text)
    assert again["text"] == "again"


async def test_an_answer_with_nobody_there_waits_for_the_next_socket() -> None:
    adapter = WebAdapter(answers=Remembered())
    with pytest.raises(DeliveryFailed) as failed:
        await adapter.send(reply("late"))
    assert failed.value.until is not None
    before = failed.value.until.is_set()
    async with serving(adapter) as http, http.ws_connect("/ws"), asyncio.timeout(5):
        await failed.value.until.wait()

    assert not before


async def test_an_answer_to_single_requests_alone_waits_for_nobody() -> None:
    adapter = WebAdapter(answers=Remembered())
    alone, mixed = ("web:desk/request/k",), ("web:desk/request/k", "web:desk/1")
    with adapter.waiting("web:desk/request/k") as waiter:
        await adapter.send(reply("here", answers=alone))
        with pytest.raises(DeliveryFailed):
            await adapter.send(reply("here", answers=mixed))

    assert waiter.reply.result().text == "here"


async def test_what_cannot_be_kept_is_not_acknowledged() -> None:
    adapter = WebAdapter(answers=Remembered(), unavailable=(StoreDown,))
    inbox = Received(down=True)
    async with listening(adapter, inbox), serving(adapter) as http, http.ws_connect("/ws") as socket:
        await socket.send_json({"type": "message", "id": "1", "text": "hello"})
        frame = await socket.receive_json()

    assert (frame["type"], frame["id"]) == ("error", "1")


async def test_nothing_of_an_answer_goes_before_the_acknowledgement_of_its_message() -> None:
    adapter = WebAdapter(answers=Remembered())

    async with asyncio.TaskGroup() as group, serving(adapter) as http:

        async def answered_at_once(message: InboundMessage) -> None:
            group.create_task(adapter.update_stream(reply("h", answers=(message.id,))))
            group.create_task(adapter.send(reply("hi", answers=(message.id,))))
            for _ in range(20):  # rounds of the loop in which the answer could overtake
                await asyncio.sleep(0)

        running = group.create_task(adapter.run(answered_at_once))
        await asyncio.sleep(0)
        async with http.ws_connect("/ws") as socket:
            await socket.send_json({"type": "message", "id": "7", "text": "hello"})
            frames = [await socket.receive_json(timeout=5) for _ in range(3)]
        running.cancel()

    assert [frame["type"] for frame in frames] == ["ack", "delta", "reply"]


async def test_nothing_is_taken_in_once_listening_has_ended() -> None:
    adapter = WebAdapter(answers=Remembered())
    async with listening(adapter, Received()):
        await adapter.take(adapter.message(ANN, id="web:desk/1", text="hello"))
    with pytest.raises(NotAccepted):
        await adapter.take(adapter.message(ANN, id="web:desk/2", text="hello"))


async def test_an_answer_that_begins_anew_says_so_to_a_socket_and_a_late_one_gets_all_of_it() -> None:
    adapter = WebAdapter(answers=Remembered())
    async with serving(adapter) as http, http.ws_connect("/ws") as early:
        await adapter.update_stream(reply("Let me look"))
        await adapter.update_stream(reply("It is"))
        async with http.ws_connect("/ws") as late:
            await adapter.update_stream(reply("It is 7"))
            seen = [await early.receive_json() for _ in range(3)]
            whole = await late.receive_json()

    assert [(frame["text"], frame["at"]) for frame in seen] == [("Let me look", 0), ("It is", 0), (" 7", 5)]
    assert (whole["text"], whole["at"]) == ("It is 7", 0)
