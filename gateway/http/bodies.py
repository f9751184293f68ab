"""The body of a request: not too much of it, not too slowly, and a JSON object where we are who reads it."""

import asyncio
from typing import Any

import orjson
from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from gateway.http.guard import Handler
from gateway.http.problems import HttpProblem, bad_request

LARGEST_BODY = 1 << 20
"""In bytes, of what comes to the public address."""
LARGEST_OPERATION = 1 << 30
"""In bytes, on the control socket: an operator carries whole conversations."""
BODY_SECONDS = 60.0
"""For the whole of a body: whoever sends it byte by byte holds a connection, and nothing else is wrong with it."""


def patient(handle: Handler, *, patience: float = BODY_SECONDS) -> Handler:
    """A handler that reads the body as it likes, such as a webhook's: it is called when the body is there.

    Whoever is too slow is refused as by `read_object`.
    """

    async def wait(request: web.Request) -> web.StreamResponse:
        await _read(request, patience=patience)  # the request keeps it
        return await handle(request)

    return wait


async def read_object(request: web.Request, *, patience: float = BODY_SECONDS) -> dict[str, Any]:
    """The JSON object that the body holds; refused with 413, 415, 408 or 400, in this order. `patience` in seconds."""
    if (request.content_length or 0) > request.client_max_size:
        raise _too_large(request)
    if request.content_type != "application/json":
        raise HttpProblem(
            415, "the body must be JSON, sent as Content-Type: application/json", kind="invalid_request_error"
        )
    try:
        document = orjson.loads(await _read(request, patience=patience))
    except orjson.JSONDecodeError as error:
        raise bad_request(f"the body is not valid JSON: {error}") from error
    if not isinstance(document, dict):
        raise bad_request("the body must be a JSON object")
    return document


async def _read(request: web.Request, *, patience: float) -> bytes:
    try:
        async with asyncio.timeout(patience):
            return await request.read()
    except web.HTTPRequestEntityTooLarge as error:
        raise _too_large(request) from error
    except TimeoutError as error:
        raise HttpProblem(408, "the body took too long", kind="invalid_request_error") from error
    except (HttpProcessingError, web.RequestPayloadError) as error:
        raise bad_request("the body can't be decompressed, or is not whole") from error


def _too_large(request: web.Request) -> HttpProblem:
    return HttpProblem(
        413, f"the body is larger than {request.client_max_size} bytes", kind="invalid_request_error"
    )
