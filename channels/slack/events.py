"""The one way in for everything that Slack tells us: over a socket or as a signed request, through Bolt."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import structlog
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.adapter.socket_mode.async_internals import send_async_response
from slack_bolt.async_app import AsyncApp, AsyncBoltRequest
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse
from slack_sdk.signature import SignatureVerifier
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest

from channels.payloads import Json
from channels.slack.api import quiet_logger
from channels.slack.settings import SlackSettings

_log = structlog.get_logger(__name__)

Accept = Callable[[Json], Awaitable[None]]
"""Takes a payload in; when it returns, Slack may be told so, and if it raises, Slack must deliver again."""


class Events:
    """Acknowledges a payload after `accept` returned, over either way, and never before."""

    def __init__(self, settings: SlackSettings, *, accept: Accept) -> None:
        self._accept = accept
        self._verifier = SignatureVerifier(settings.signing_secret) if settings.signing_secret else None
        self._app = AsyncApp(
            name="mneme",
            logger=quiet_logger(),
            # Bolt would ask auth.test, and acknowledge what it could not authorize; who we are is known already.
            authorize=_authorize,
            # Listeners must finish before Slack hears from us: our only one accepts, and is quick.
            process_before_response=True,
            # Checked here, over the bytes as they came; which messages are ours is decided in `inbound`.
            request_verification_enabled=False,
            ssl_check_enabled=False,
            ignoring_self_events_enabled=False,
            attaching_function_token_enabled=False,
        )
        self._app.use(self._take)
        self._app.error(self._failed)

    async def envelope(self, client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        """An envelope from a socket; a failure leaves it unacknowledged."""
        answer = await self._dispatch(_read(mode="socket_mode", body=request.payload))
        await send_async_response(client, request, answer, 0)

    async def request(self, request: web.Request) -> web.Response:
        """A request to `/slack/events`: 401 if it isn't Slack's, 500 if it could not be accepted, else 200."""
        raw = await request.read()
        if not self._signed(raw, request.headers):
            return web.json_response(
                {"error": {"message": "not signed by Slack", "type": "unauthorized"}}, status=401
            )
        try:
            read = _read(body=raw.decode(), query=request.query_string, headers=dict(request.headers))
        except ValueError:
            return web.json_response(
                {"error": {"message": "not JSON", "type": "invalid_request"}}, status=400
            )
        return await to_aiohttp_response(await self._dispatch(read))

    async def _dispatch(self, request: AsyncBoltRequest | None) -> BoltResponse:
        """What can't be read is acknowledged: it would be no better the next time."""
        if request is None:
            _log.warning("payload_unreadable")
            return BoltResponse(status=200, body="")
        return await self._app.async_dispatch(request)

    def _signed(self, raw: bytes, headers: Mapping[str, str]) -> bool:
        timestamp = headers.get("X-Slack-Request-Timestamp", "")
        signature = headers.get("X-Slack-Signature", "")
        if self._verifier is None or not (timestamp.isdecimal() and signature.isascii()):
            return False
        try:
            return self._verifier.is_valid(raw, timestamp, signature)
        except UnicodeDecodeError:
            return False

    async def _take(self, body: dict[str, Any]) -> BoltResponse:
        await self._accept(body)
        return BoltResponse(status=200, body="")

    async def _failed(self, error: Exception) -> None:
        """Bolt has caught what kept a payload from being accepted; Slack hears 500 or nothing."""
        _log.error("event_not_accepted", exc_info=error)


def _read(**given: Any) -> AsyncBoltRequest | None:
    """A payload as Bolt takes it; None where it has another shape than Slack's. ValueError: it isn't JSON at all."""
    try:
        request = AsyncBoltRequest(**given)
    except (AttributeError, IndexError, KeyError, TypeError):
        return None
    return request if isinstance(request.body.get("event", {}), dict) else None


async def _authorize(enterprise_id: str | None, team_id: str | None) -> AuthorizeResult:
    return AuthorizeResult(enterprise_id=enterprise_id, team_id=team_id)
