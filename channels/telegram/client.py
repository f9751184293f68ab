"""The Bot API over python-telegram-bot: plain JSON in and out, and our errors.

Importing this module imports the vendor, which takes more than a second: the adapter does it in a thread.
"""

import asyncio
import logging
import os
from contextlib import suppress
from typing import Any, Self

# The library's own opt-in to its next behaviour; without it, each flood control error comes with a warning.
os.environ.setdefault("PTB_TIMEDELTA", "true")

from telegram import Bot, InputFile
from telegram.request import HTTPXRequest

from channels.errors import DeliveryFailed
from channels.payloads import Json, mappings
from channels.telegram.faults import mapped
from channels.telegram.inbound import ALLOWED_UPDATES
from channels.telegram.mentions import Me
from channels.telegram.settings import TelegramSettings

_SENDS_AT_ONCE = 512
"""More parallel requests wait for a connection instead of opening one."""

_CLOSE_SECONDS = 2.0
"""A connection that hangs may hang in closing too."""


class _Api(Bot):
    """The vendor's bot without its object layer, which drops or refuses whatever it does not know yet."""

    async def call(self, method: str, data: dict[str, Any], *, read_timeout: float | None = None) -> Any:
        if read_timeout is None:
            return await self._post(method, data)
        return await self._post(method, data, read_timeout=read_timeout)


class Client:
    """One bot's requests: polls on a connection of their own, everything else on a pool.

    Making one reads certificates, which is work for a thread.
    """

    def __init__(self, settings: TelegramSettings) -> None:
        self._settings = settings
        _silence_vendor_logs()
        self._poll_request = self._request(connections=1)
        self._send_request = self._request(connections=_SENDS_AT_ONCE)
        self._api = self._bot()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def call(self, method: str, **parameters: Any) -> Any:
        """The result of one Bot API method; parameters that are None are left out."""
        with mapped(self._settings):
            return await self._api.call(method, parameters)

    async def me(self) -> Me:
        """Who the bot is; also the cheapest round trip."""
        answer = await self.call("getMe")
        return Me(int(answer["id"]), str(answer.get("username") or ""))

    async def updates(self, offset: int | None, *, wait: bool = True) -> list[Json]:
        """The next updates, with `wait` held open while there are none; `offset` confirms all that are lower.

        A poll that hangs beyond its time raises DeliveryFailed, and the next one gets a new connection.
        """
        settings = self._settings
        seconds = settings.poll_seconds if wait else 0
        data = {"offset": offset, "timeout": seconds, "allowed_updates": list(ALLOWED_UPDATES)}
        longest = seconds + settings.stall_seconds
        try:
            with mapped(settings):
                async with asyncio.timeout(longest):
                    found = await self._api.call("getUpdates", data, read_timeout=longest + 1)
        except TimeoutError as error:
            await self._rebuild_polling()
            raise DeliveryFailed(f"a poll hung for {longest:g} s") from error
        return mappings(found)

    async def upload(self, method: str, field: str, content: bytes, *, name: str, **parameters: Any) -> Any:
        """The result of a method that takes a file."""
        return await self.call(method, **{field: InputFile(content, filename=name)}, **parameters)

    async def download(self, file_id: str) -> bytes:
        """The content of a file that somebody sent."""
        found = await self.call("getFile", file_id=file_id)
        path = str(found.get("file_path") or "")
        base = self._settings.base_url.rstrip("/")
        with mapped(self._settings):
            return await self._send_request.retrieve(f"{base}/file/bot{self._settings.token}/{path}")

    async def close(self) -> None:
        """Let all connections go."""
        await _shut(self._poll_request)
        await _shut(self._send_request)

    def _bot(self) -> _Api:
        base = self._settings.base_url.rstrip("/")
        return _Api(
            self._settings.token,
            base_url=f"{base}/bot",
            base_file_url=f"{base}/file/bot",
            request=self._send_request,
            get_updates_request=self._poll_request,
        )

    def _request(self, *, connections: int) -> HTTPXRequest:
        seconds = self._settings.request_seconds
        return HTTPXRequest(
            connection_pool_size=connections,
            read_timeout=seconds,
            write_timeout=seconds,
            connect_timeout=seconds,
            pool_timeout=seconds,
            media_write_timeout=3 * seconds,
            proxy=self._settings.proxy or None,
            # Reading all certificates takes a tenth of a second; a server that speaks plain HTTP has none.
            httpx_kwargs={"verify": self._settings.base_url.startswith("https:")},
        )

    async def _rebuild_polling(self) -> None:
        stale = self._poll_request
        self._poll_request = await asyncio.to_thread(self._request, connections=1)
        self._api = self._bot()
        await _shut(stale)


async def _shut(request: HTTPXRequest) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(_CLOSE_SECONDS):
            await request.shutdown()


def _silence_vendor_logs() -> None:
    """The HTTP client logs each address, which holds the token, and the library logs what people wrote."""
    for name in ("httpx", "httpcore", "telegram"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
