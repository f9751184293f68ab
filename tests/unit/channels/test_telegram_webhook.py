"""The webhook's handler, mounted on a real server as the gateway does."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from channels.telegram.adapter import TelegramAdapter
from channels.telegram.webhook import SECRET_HEADER
from tests.helpers.telegram_running import Received, StoreDown, running, settings_for
from tests.helpers.telegram_server import TelegramServer


class Hook:
    """A server with the webhook, and how Telegram calls it."""

    def __init__(self, adapter: TelegramAdapter, address: str, secret: str) -> None:
        self.adapter = adapter
        self.address = address
        self.secret = secret

    async def call(
        self, update: Any, *, headers: Mapping[str, str] | None = None, raw: bytes | None = None
    ) -> int:
        """The status of one call."""
        sent = {SECRET_HEADER: self.secret} if headers is None else headers
        body = {"data": raw} if raw is not None else {"json": update}
        async with (
            aiohttp.ClientSession() as session,
            session.post(self.address, headers=sent, **body) as answer,
        ):
            return answer.status


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer().serving() as serving:
        yield serving


@pytest.fixture
async def hook(server: TelegramServer) -> AsyncIterator[Hook]:
    settings = settings_for(server, mode="webhook", webhook_url="https://bot.example.org/telegram/1000")
    adapter = TelegramAdapter(settings, unavailable=(StoreDown,))
    app = web.Application()
    app.router.add_post(adapter.webhook.path, adapter.webhook.handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    address = f"http://127.0.0.1:{runner.addresses[0][1]}/telegram/1000"
    yield Hook(adapter, address, settings.webhook_secret)
    await adapter.close()
    await runner.cleanup()


async def test_the_webhook_is_registered_with_a_secret_and_keeps_what_waits(
    server: TelegramServer, hook: Hook
) -> None:
    await server.say(7, "waiting")
    async with running(hook.adapter, Received()):
        await server.wait_for(lambda: bool(server.webhook))

    assert server.webhook["url"] == "https://bot.example.org/telegram/1000"
    assert server.webhook["secret_token"] == hook.secret
    assert server.webhook["allowed_updates"] == ["message", "edited_message", "callback_query"]
    assert len(server.pending) == 1


async def test_an_update_is_answered_when_it_was_taken_in(server: TelegramServer, hook: Hook) -> None:
    received = Received()
    async with running(hook.adapter, received):
        await server.wait_for(lambda: bool(server.webhook))
        status = await hook.call({"update_id": 1, "message": server.message(7, "hello")})

    assert status == 200
    assert [message.text for message in received.messages] == ["hello"]


async def test_an_update_that_cannot_be_kept_is_asked_for_again(server: TelegramServer, hook: Hook) -> None:
    received = Received(down=True)
    async with running(hook.adapter, received):
        await server.wait_for(lambda: bool(server.webhook))
        status = await hook.call({"update_id": 1, "message": server.message(7, "hello")})

    assert status == 503


async def test_nothing_is_taken_before_the_adapter_listens(server: TelegramServer, hook: Hook) -> None:
    assert await hook.call({"update_id": 1, "message": server.message(7, "hello")}) == 503


@pytest.mark.parametrize("headers", [{}, {SECRET_HEADER: "wrong"}, {SECRET_HEADER: "\u00e9"}])
async def test_a_call_without_the_secret_is_refused(
    server: TelegramServer, hook: Hook, headers: Mapping[str, str]
) -> None:
    received = Received()
    async with running(hook.adapter, received):
        await server.wait_for(lambda: bool(server.webhook))
        status = await hook.call({"update_id": 1, "message": server.message(7, "hello")}, headers=headers)

    assert status == 403
    assert received.messages == []


@pytest.mark.parametrize(
    ("raw", "kind", "status"),
    [(b"{}", "text/plain", 415), (b"{", "application/json", 400), (b"[1]", "application/json", 400)],
)
async def test_only_a_json_object_is_an_update(hook: Hook, raw: bytes, kind: str, status: int) -> None:
    headers = {SECRET_HEADER: hook.secret, "Content-Type": kind}

    assert await hook.call(None, headers=headers, raw=raw) == status


async def test_updates_that_come_at_once_are_taken_in_one_by_one(server: TelegramServer, hook: Hook) -> None:
    inside = 0
    most = 0

    async def receive(_: object) -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(0)
        inside -= 1

    async with running(hook.adapter, receive):  # type: ignore[arg-type] # a plain function does
        await server.wait_for(lambda: bool(server.webhook))
        await asyncio.gather(
            *(hook.call({"update_id": n, "message": server.message(7, "x")}) for n in range(1, 6))
        )

    assert most == 1
