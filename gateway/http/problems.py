"""What a request is refused with: a status, a sentence and a type, as one JSON shape everywhere."""

import json
from collections.abc import Mapping

import orjson
from aiohttp import web

from gateway.errors import GatewayError


class HttpProblem(GatewayError):
    """A request that isn't served; the text is for whoever sent it."""

    def __init__(
        self, status: int, message: str, *, kind: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.headers = dict(headers or {})


def bad_request(message: str) -> HttpProblem:
    """The request says nothing that we understand."""
    return HttpProblem(400, message, kind="invalid_request_error")


def forbidden(message: str) -> HttpProblem:
    """Whoever asks may not have it."""
    return HttpProblem(403, message, kind="permission_error")


def unauthorized(message: str) -> HttpProblem:
    """We don't know who asks."""
    return HttpProblem(
        401, message, kind="authentication_error", headers={"WWW-Authenticate": 'Bearer realm="mneme"'}
    )


def too_many(message: str, *, retry_after: int) -> HttpProblem:
    """Later; `retry_after` in seconds."""
    return HttpProblem(429, message, kind="rate_limit_error", headers={"Retry-After": str(retry_after)})


def unavailable(message: str, *, retry_after: int = 5) -> HttpProblem:
    """We can't now; `retry_after` in seconds."""
    return HttpProblem(503, message, kind="unavailable_error", headers={"Retry-After": str(retry_after)})


def json_response(
    document: object, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> web.Response:
    """One JSON document."""
    try:
        body = orjson.dumps(document)
    except orjson.JSONEncodeError:
        # A stored record may hold a number of more than 64 bits, or half a character.
        body = json.dumps(document).encode()
    return web.Response(body=body, status=status, content_type="application/json", headers=headers)


def error_response(
    status: int, message: str, *, kind: str, headers: Mapping[str, str] | None = None
) -> web.Response:
    """The shape of every error."""
    return json_response({"error": {"message": message, "type": kind}}, status=status, headers=headers)
