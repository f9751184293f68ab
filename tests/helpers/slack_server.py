"""A strict Slack on localhost: Web API, Socket Mode and signed requests, with faults on demand."""

import asyncio
import hashlib
import hmac
import itertools
import json
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from aiohttp import ClientSession, web

from tests.helpers.connections import open_connections
from tests.helpers.slack_chats import Channel, Post
from tests.helpers.slack_methods import Methods
from tests.helpers.slack_sockets import Delivery, SocketMode

TEAM = "T1"
BOT_USER = "UBOT"
BOT_ID = "BBOT"


class SlackServer:
    """One workspace with one app. `ack_seconds` is how long an envelope may stay unacknowledged.

    What changes is waited for with `until`; nothing here needs a sleep.
    """

    def __init__(self, *, ack_seconds: float = 3.0) -> None:
        self.bot_token = "xoxb-good"
        self.app_token = "xapp-good"
        self.signing_secret = "signing-secret"
        self.users = {"U1": "ann", "U2": "bob"}
        self.channels: dict[str, Channel] = {}
        self.methods = Methods(self)
        self.sockets = SocketMode(self, ack_seconds=ack_seconds)
        self._numbers = itertools.count(1)
        self._changed = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self._address = ""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/api/{method}", self.methods.handle)
        app.router.add_get("/socket", self.sockets.handle)
        app.router.add_post("/upload/{file_id}", self.methods.upload)
        app.router.add_get("/files/{name}", self.methods.download)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self._address = f"{host}:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.sockets.close()
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def base_url(self) -> str:
        """What `base_url` is set to."""
        return f"http://{self._address}/api/"

    @property
    def address(self) -> str:
        """Host and port."""
        return self._address

    def connections(self) -> int:
        """How many are open."""
        return open_connections(self._runner)

    def changed(self) -> None:
        """Let who waits look again."""
        self._changed.set()

    async def until(self, condition: Callable[[], bool], *, within: float = 5.0) -> None:
        """Return as soon as the condition holds; TimeoutError if it doesn't within that many seconds.

        It is looked at whenever something happens here, and now and then, for what only our side knows.
        """
        async with asyncio.timeout(within):
            while not condition():
                self._changed.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.02):
                        await self._changed.wait()

    def channel(self, channel_id: str) -> Channel:
        """A chat, made when first named: D… is direct, G… a group of people, C… a channel."""
        if channel_id not in self.channels:
            kind = {"D": "im", "G": "mpim"}.get(channel_id[0], "channel")
            self.channels[channel_id] = Channel(id=channel_id, kind=kind)
        return self.channels[channel_id]

    def next_ts(self) -> str:
        """A new message timestamp."""
        return f"1700000000.{next(self._numbers):06d}"

    def say(
        self,
        channel: str,
        user: str,
        text: str,
        *,
        thread_ts: str | None = None,
        announce: tuple[str, ...] = ("message", "app_mention"),
        **more: Any,
    ) -> str:
        """A person writes; announced as a message and, where it mentions the app, as app_mention too. Its ts."""
        chat = self.channel(channel)
        post = Post(ts=self.next_ts(), user=user, text=text, thread_ts=thread_ts)
        chat.messages.append(post)
        event = {"channel": channel, "user": user, "text": text, "ts": post.ts, "event_ts": post.ts, **more}
        if thread_ts is not None:
            event["thread_ts"] = thread_ts
        if "message" in announce:
            self.emit({"type": "message", "channel_type": chat.kind, **event})
        if "app_mention" in announce and f"<@{BOT_USER}>" in text and chat.kind != "im":
            self.emit({"type": "app_mention", **event})
        return post.ts

    def edit(self, channel: str, ts: str, text: str) -> Delivery:
        """A person changes what they wrote."""
        chat = self.channel(channel)
        post = chat.find(ts)
        before, post.text = post.text, text
        edited = {"user": post.user, "ts": self.next_ts()}
        old = {"type": "message", "user": post.user, "text": before, "ts": ts}
        return self.emit(
            {
                "type": "message",
                "subtype": "message_changed",
                "hidden": True,
                "channel": channel,
                "channel_type": chat.kind,
                "ts": edited["ts"],
                "message": {**old, "text": text, "edited": edited},
                "previous_message": old,
            }
        )

    def emit(self, event: dict[str, Any]) -> Delivery:
        """Any event, with an id of its own."""
        return self.sockets.deliver("events_api", self.callback(event))

    def callback(self, event: dict[str, Any]) -> dict[str, Any]:
        """The wrapper of the Events API around an event."""
        number = next(self._numbers)
        return {
            "token": "legacy",
            "team_id": TEAM,
            "api_app_id": "A1",
            "type": "event_callback",
            "event_id": f"Ev{number:08d}",
            "event_time": 1700000000 + number,
            "authorizations": [{"team_id": TEAM, "user_id": BOT_USER, "is_bot": True}],
            "event": event,
        }

    def command(self, channel: str, user: str, text: str) -> Delivery:
        """A person uses `/mneme text`."""
        payload = {
            "command": "/mneme",
            "text": text,
            "team_id": TEAM,
            "channel_id": channel,
            "user_id": user,
            "user_name": self.users.get(user, user),
            "trigger_id": f"trigger.{next(self._numbers)}",
        }
        return self.sockets.deliver("slash_commands", payload)

    def press(self, channel: str, user: str, ts: str, value: str) -> Delivery:
        """A person presses a button of a message."""
        post = self.channel(channel).find(ts)
        payload = {
            "type": "block_actions",
            "team": {"id": TEAM},
            "user": {"id": user, "name": self.users.get(user, user), "team_id": TEAM},
            "channel": {"id": channel},
            "message": {"ts": ts, "thread_ts": post.thread_ts},
            "actions": [{"action_id": "choice-0", "value": value, "action_ts": self.next_ts()}],
        }
        return self.sockets.deliver("interactive", payload)

    def signed(self, body: bytes, *, age: float = 0.0) -> dict[str, str]:
        """The headers of a request from Slack whose signature is `age` seconds old."""
        timestamp = str(int(time.time() - age))
        digest = hmac.new(
            self.signing_secret.encode(), b"v0:%s:%s" % (timestamp.encode(), body), hashlib.sha256
        )
        return {
            "Content-Type": "application/json",
            "X-Slack-Request-Timestamp": timestamp,
            "X-Slack-Signature": f"v0={digest.hexdigest()}",
        }

    async def post(self, url: str, payload: dict[str, Any], *, retry: int = 0) -> tuple[int, str]:
        """Deliver a payload over HTTP, as the first try or a retry; status and body of the answer."""
        body = json.dumps(payload).encode()
        headers = self.signed(body)
        if retry:
            headers |= {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": "http_timeout"}
        async with ClientSession() as session, session.post(url, data=body, headers=headers) as answer:
            return answer.status, await answer.text()
