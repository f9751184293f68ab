"""Connections of clients that begin to say something and never end."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from gateway.http.bodies import patient, read_object
from gateway.http.connections import Runner
from gateway.http.problems import HttpProblem

POST = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
SOON = 0.05


async def ours(request: web.Request) -> web.StreamResponse:
    """What reads an object."""
    await read_object(request, patience=SOON)
    return web.Response()


async def theirs(request: web.Request) -> web.StreamResponse:
    """A webhook, which reads by itself."""
    await request.read()
    return web.Response()


@pytest.fixture(params=[ours, patient(theirs, patience=SOON)], ids=["ours", "webhook"])
async def port(request: pytest.FixtureRequest) -> AsyncIterator[int]:
    """A server that has little patience, and answers with the status of a body that it was sent."""

    async def answer(asked: web.Request) -> web.StreamResponse:
        try:
            response: web.StreamResponse = await request.param(asked)
        except HttpProblem as problem:
            return web.Response(status=problem.status)
        return response

    application = web.Application()
    application.router.add_post("/", answer)
    runner = Runner(application, idle_seconds=SOON)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield runner.addresses[0][1]
    await runner.cleanup()


@pytest.mark.parametrize("beginning", [b"", b"POST / HT", POST + b"X-Slow: "])
async def test_a_connection_that_makes_no_request_is_closed(port: int, beginning: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(beginning)
    async with asyncio.timeout(10):
        said = await reader.read()
    writer.close()

    assert said == b""


@pytest.mark.parametrize(
    "body", [b"Content-Length: 100\r\n\r\n{", b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"]
)
async def test_a_body_that_never_ends_is_refused(port: int, body: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(POST + body)
    async with asyncio.timeout(10):
        said = await reader.readline()
    writer.close()

    assert said.startswith(b"HTTP/1.1 408 ")
