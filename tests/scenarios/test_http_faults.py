"""What is no request, or breaks off in the middle: an error in our shape, and nothing in the log for a person to read."""

import asyncio
import json
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from tests.helpers.web_house import WebHouse, web_house

COMPLETIONS = "/v1/chat/completions"
HELLO = json.dumps({"messages": [{"role": "user", "content": "hello"}]})
POST = f"POST {COMPLETIONS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


async def sent(house: WebHouse, request: bytes) -> tuple[int, dict[str, object]]:
    """What these very bytes are answered with, on a connection of their own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", house.server.port)
    try:
        writer.write(request)
        await writer.drain()
        async with asyncio.timeout(10):
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        return int(head.split()[1]), json.loads(body)
    finally:
        writer.close()
        await writer.wait_closed()


async def cut_off(house: WebHouse, request: bytes) -> None:
    """Send these bytes and no more; returns when the server has noticed and let go."""
    reader, writer = await asyncio.open_connection("127.0.0.1", house.server.port)
    writer.write(request)
    writer.write_eof()
    async with asyncio.timeout(10):
        await reader.read()
    writer.close()
    await writer.wait_closed()


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /health HTTP/1.1\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 20_000 + b"\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nAuthorization\xff: Bearer secret\r\n\r\n",
        f"{POST}Content-Length: many\r\n\r\n{HELLO}".encode(),
        f"{POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n{HELLO}".encode(),
        f"{POST}Connection: close\r\nContent-Encoding: gzip\r\nContent-Length: {len(HELLO)}\r\n\r\n{HELLO}".encode(),
        f"{POST}Connection: close\r\nIdempotency-Key: \xff\r\nContent-Length: {len(HELLO)}\r\n\r\n{HELLO}".encode(
            "latin-1"
        ),
        b"GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    ],
)
async def test_what_is_no_request_gets_an_error_object_and_no_line_in_the_log(
    request_bytes: bytes, tmp_path: Path
) -> None:
    async with web_house(tmp_path) as house:
        with capture_logs() as lines:
            status, document = await sent(house, request_bytes)
        answered, _ = await house.complete("still there?")

    error = document["error"]
    assert status == 400
    assert isinstance(error, dict)
    assert error["type"] == "invalid_request_error"
    assert "secret" not in error["message"]
    assert [line for line in lines if line["log_level"] != "debug"] == []
    assert answered == 200


async def test_a_client_that_hangs_up_in_the_middle_of_its_request_is_no_news(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with web_house(tmp_path) as house:
        with capture_logs() as lines:
            await cut_off(house, f"{POST}Content-Length: 500\r\n\r\n{HELLO}".encode())
        kept = await house.gateway.stores.sessions.heads()

    assert [line for line in lines if line["log_level"] != "debug"] == []
    assert caplog.records == []
    assert kept == []


async def test_monitors_may_ask_for_the_head_alone_and_a_wrong_method_is_told_the_right_one(
    tmp_path: Path,
) -> None:
    async with (
        web_house(tmp_path) as house,
        house.client.head("/health") as health,
        house.client.get(COMPLETIONS) as wrong,
    ):
        pass

    assert health.status == 200
    assert (wrong.status, wrong.headers["Allow"]) == (405, "POST")
