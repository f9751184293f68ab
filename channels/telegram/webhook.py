"""Telegram calls us: each call is checked, and answered only when its update is durable with us."""

import asyncio
import hmac
from typing import Any

import orjson
from aiohttp import web

from channels.payloads import Json
from channels.telegram.inbound import ALLOWED_UPDATES, Handle
from channels.telegram.settings import TelegramSettings

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - the header's name


class Webhook:
    """The handler of `POST /telegram/<bot id>`, for a server to mount; `open` while `handle_update` is set."""

    def __init__(self, settings: TelegramSettings, *, unavailable: tuple[type[Exception], ...] = ()) -> None:
        self._settings = settings
        self._unavailable = unavailable
        self._order = asyncio.Lock()
        self.handle_update: Handle | None = None

    @property
    def path(self) -> str:
        """Where to mount it."""
        return f"/telegram/{self._settings.bot_id}"

    @property
    def registration(self) -> dict[str, Any]:
        """The parameters of setWebhook; one connection, because updates of a chat must stay in order."""
        return {
            "url": self._settings.webhook_url,
            "secret_token": self._settings.webhook_secret,
            "allowed_updates": list(ALLOWED_UPDATES),
            "max_connections": 1,
            "drop_pending_updates": False,
        }

    async def handle(self, request: web.Request) -> web.Response:
        """200 when the update is durable; 403 without our secret; 503 when it can't be kept now."""
        said = request.headers.get(SECRET_HEADER, "")
        if not hmac.compare_digest(
            said.encode(errors="surrogateescape"), self._settings.webhook_secret.encode()
        ):
            return _answer(403, "the secret token is missing or wrong")
        if request.content_type != "application/json":
            return _answer(415, "an update is JSON")
        try:
            update = orjson.loads(await request.read())
        except orjson.JSONDecodeError:
            return _answer(400, "an update is JSON")
        if not isinstance(update, dict):
            return _answer(400, "an update is a JSON object")
        return await self._take(update)

    async def _take(self, update: Json) -> web.Response:
        async with self._order:
            if self.handle_update is None:
                return _answer(503, "not listening yet")
            try:
                await self.handle_update(update)
            except self._unavailable:
                return _answer(503, "can't be kept now")
        return web.Response()


def _answer(status: int, message: str) -> web.Response:
    return web.json_response({"error": {"message": message, "type": "telegram_webhook"}}, status=status)
