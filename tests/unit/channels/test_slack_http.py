"""HTTP mode: what Slack posts to us is verified, kept, and only then answered."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from channels.slack.adapter import SlackAdapter
from tests.helpers.slack_running import Inbox, running, settings, until_health
from tests.helpers.slack_server import SlackServer


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as server:
        yield server


@pytest.fixture
def adapter(slack: SlackServer) -> SlackAdapter:
    return SlackAdapter(settings(slack, app_token="", signing_secret=slack.signing_secret))


@asynccontextmanager
async def mounted(adapter: SlackAdapter) -> AsyncIterator[str]:
    """The address at which a server of ours has the adapter's handler."""
    app = web.Application()
    app.router.add_post(adapter.path, adapter.handle)
    async with TestServer(app) as server:
        yield str(server.make_url(adapter.path))


async def post(url: str, body: bytes, headers: dict[str, str]) -> int:
    async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=headers) as answer:
        return answer.status


def hello(slack: SlackServer) -> dict[str, object]:
    return slack.callback(
        {"type": "message", "channel": "D1", "channel_type": "im", "user": "U1", "ts": "1.1", "text": "hello"}
    )


async def test_only_what_slack_signed_lately_is_taken(slack: SlackServer, adapter: SlackAdapter) -> None:
    inbox = Inbox(slack)
    body = json.dumps(hello(slack)).encode()
    good = slack.signed(body)
    async with mounted(adapter) as url, running(adapter, inbox):
        await until_health(slack, adapter, ok=True)
        refused = [
            await post(url, body, {"Content-Type": "application/json"}),
            await post(url, body, good | {"X-Slack-Signature": "v0=" + "0" * 64}),
            await post(url, body, good | {"X-Slack-Signature": "v0=é"}),
            await post(url, body, slack.signed(body, age=360)),
            await post(url, body, slack.signed(body, age=-360)),
            await post(url, body, good | {"X-Slack-Request-Timestamp": "now"}),
            await post(url, body.replace(b"hello", b"hallo"), good),
            await post(url, b"\xff", slack.signed(b"\xff")),
        ]
        before = inbox.received
        accepted = await post(url, body, good)

    assert refused[:-1] == [401] * 7
    assert refused[-1] in {400, 401}
    assert before == 0
    assert accepted == 200
    assert inbox.order == ["hello"]


async def test_the_address_is_verified(slack: SlackServer, adapter: SlackAdapter) -> None:
    async with mounted(adapter) as url:
        status, body = await slack.post(url, {"type": "url_verification", "challenge": "c3"})

    assert status == 200
    assert "c3" in body


async def test_a_retry_is_the_same_message(slack: SlackServer, adapter: SlackAdapter) -> None:
    inbox = Inbox(slack)
    payload = hello(slack)
    async with mounted(adapter) as url, running(adapter, inbox):
        await until_health(slack, adapter, ok=True)
        statuses = [(await slack.post(url, payload, retry=retry))[0] for retry in range(3)]

    assert statuses == [200, 200, 200]
    assert inbox.received == 3
    assert len(inbox.messages) == 1


async def test_what_could_not_be_kept_is_not_acknowledged(slack: SlackServer, adapter: SlackAdapter) -> None:
    inbox = Inbox(slack)
    inbox.failures = [OSError("disk full")]
    payload = hello(slack)
    async with mounted(adapter) as url, running(adapter, inbox):
        await until_health(slack, adapter, ok=True)
        first, _ = await slack.post(url, payload)
        second, _ = await slack.post(url, payload, retry=1)

    assert (first, second) == (500, 200)
    assert inbox.order == ["hello"]


async def test_the_answer_waits_until_the_message_is_kept(slack: SlackServer, adapter: SlackAdapter) -> None:
    arrived, durable = asyncio.Event(), asyncio.Event()

    async def receive(_message: object) -> None:
        arrived.set()
        await durable.wait()

    async with mounted(adapter) as url, running(adapter, receive):
        await until_health(slack, adapter, ok=True)
        answer = asyncio.create_task(slack.post(url, hello(slack)))
        await arrived.wait()
        early = answer.done()
        durable.set()
        status, _ = await answer

    assert not early
    assert status == 200


async def test_before_anybody_listens_nothing_is_acknowledged(
    slack: SlackServer, adapter: SlackAdapter
) -> None:
    async with mounted(adapter) as url:
        status, _ = await slack.post(url, hello(slack))

    assert status == 500


@pytest.mark.parametrize(
    "body", [b"[]", b"null", b'"x"', b"7", b'{"event": [1]}', b'{"event": {"channel": 5}}']
)
async def test_json_of_any_shape_is_taken_once(
    slack: SlackServer, adapter: SlackAdapter, body: bytes
) -> None:
    async with mounted(adapter) as url, running(adapter, Inbox(slack)):
        await until_health(slack, adapter, ok=True)
        status = await post(url, body, slack.signed(body))

    assert status == 200


async def test_slash_commands_come_as_forms(slack: SlackServer, adapter: SlackAdapter) -> None:
    inbox = Inbox(slack)
    body = b"command=%2Fmneme&text=status&channel_id=D1&user_id=U1&user_name=ann&trigger_id=7.7&team_id=T1"
    headers = slack.signed(body) | {"Content-Type": "application/x-www-form-urlencoded"}
    async with mounted(adapter) as url, running(adapter, inbox):
        await until_health(slack, adapter, ok=True)
        status = await post(url, body, headers)

    assert status == 200
    assert inbox.order == ["/status"]


def test_each_workspace_has_an_address_and_a_name_of_its_own(slack: SlackServer) -> None:
    other = SlackAdapter(settings(slack, workspace="work"))

    assert (other.name, other.path) == ("slack-work", "/slack/events/work")
