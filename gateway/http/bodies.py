"""The body of a request: JSON, an object, and not too much of it."""

import asyncio
from typing import Any

import orjson
from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from gateway.http.problems import HttpProblem, bad_request

LARGEST_BODY = 1 << 20
"""In bytes, of what comes to the public address."""
LARGEST_OPERATION = 1 << 30
"""In bytes, on the control socket: an operator carries whole conversations."""
BODY_SECONDS = 60.0
"""For the whole of a body: whoever sends it byte by byte holds a connection, and nothing else is wrong with it."""


async def read_object(request: web.Request, *, patience: float = BODY_SECONDS) -> dict[str, Any]:
    """The JSON object that the body holds; refused with 413, 415, 408 or 400, in this order. `patience` in seconds."""
    if (request.content_length or 0) > request.client_max_size:
        raise _too_large(request)
    if request.content_type != "application/json":
        raise HttpProblem(
            415, "the body must be JSON, sent as Content-Type: application/json", kind="invalid_request_error"
        )
    try:
        async with asyncio.timeout(patience):
            data = await request.read()
        document = orjson.loads(data)
    except web.HTTPRequestEntityTooLarge as error:
        raise _too_large(request) from error
    except TimeoutError as error:
        raise HttpProblem(408, "the body took too long", kind="invalid_request_error") from error
    except (HttpProcessingError, web.RequestPayloadError) as error:
        raise bad_request("the body can't be decompressed, or is not whole") from error
    except orjson.JSONDecodeError as error:
        raise bad_request(f"the body is not valid JSON: {error}") from error
    if not isinstance(document, dict):
        raise bad_request("the body must be a JSON object")
    return document


def _too_large(request: web.Request) -> HttpProblem:
    return HttpProblem(
        413, f"the body is larger than {request.client_max_size} bytes", kind="invalid_request_error"
    )
