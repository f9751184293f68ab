"""The connections of the server: what is no request, or breaks off, gets our shape of an error and no traceback in the log."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any

import structlog
from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from gateway.http.problems import error_response

log = structlog.get_logger(__name__)

_BY_THE_CLIENT = (HttpProcessingError, web.RequestPayloadError, ConnectionError)
"""What goes wrong because of whoever is at the other end; its text may hold a piece of a header, and so of a token."""

IDLE_SECONDS = 75.0
"""What a connection has for the head of its next request; each holds a descriptor, of which there are only so many."""

_OPTIONS: Mapping[str, Any] = {"access_log": None}
"""No line a request: a turn has its own. The annotations of aiohttp leave None out, its code doesn't."""


class Runner(web.AppRunner):
    """Serves an application with our connections, each of which may be idle for so many seconds."""

    def __init__(self, app: web.Application, *, idle_seconds: float = IDLE_SECONDS, **options: Any) -> None:
        super().__init__(app, **options)
        self._idle_seconds = idle_seconds

    @property
    def server(self) -> Callable[[], asyncio.Protocol] | None:  # type: ignore[override]  # a site only calls it
        """What makes a connection, once it is set up."""
        server = super().server
        if server is None:
            return None
        loop = asyncio.get_running_loop()
        return partial(_Connection, server, loop=loop, keepalive_timeout=self._idle_seconds, **_OPTIONS)


class _Connection(web.RequestHandler):
    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Answer what was no request with 400, and what broke off halfway likewise; our own fault is for a person to see."""
        is_ours = status >= HTTPStatus.INTERNAL_SERVER_ERROR and not isinstance(exc, _BY_THE_CLIENT)
        if is_ours:
            log.error("request_failed", method=request.method, path=request.path, exc_info=exc)
        else:
            log.debug("request_garbled", why=type(exc).__name__)
        if request.writer.output_size > 0:
            raise ConnectionError("the answer has begun, and breaks off here")
        response = _failed() if is_ours else _malformed()
        response.force_close()
        return response

    def log_exception(self, *args: Any, **kw: Any) -> None:
        """What happens beside a request; clients that leave are no news."""
        if not isinstance(kw.get("exc_info"), _BY_THE_CLIENT):
            super().log_exception(*args, **kw)


def _failed() -> web.Response:
    return error_response(500, "this went wrong here; the log says more", kind="server_error")


def _malformed() -> web.Response:
    return error_response(
        400, "this is no whole HTTP request, or its headers are too long", kind="invalid_request_error"
    )
