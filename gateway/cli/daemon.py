"""Operations by the running daemon, over its control socket."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import aiohttp

from gateway.cli.exit_codes import USAGE
from gateway.errors import ConfigError
from gateway.http.sockets import unix_address
from gateway.operations.operation import Document, OperationFailed

_ADDRESS = "http://localhost"
"""The socket has no host; HTTP wants one."""


class Daemon:
    """Asks for operations, each for as long as it takes."""

    def __init__(self, http: aiohttp.ClientSession) -> None:
        self._http = http

    async def perform(self, name: str, arguments: dict[str, Any]) -> Document:
        """The document of an operation; what failed there is raised here."""
        body = BytesIO(json.dumps(arguments).encode())
        headers = {"Content-Type": "application/json"}
        try:
            async with self._http.post(f"/control/{name}", data=body, headers=headers) as response:
                document: Document = await response.json(content_type=None)
        except (aiohttp.ClientError, ValueError) as error:
            raise OperationFailed(f"the daemon did not answer: {error}") from error
        if not response.ok:
            failure = document["error"]
            if failure.get("exit") == USAGE:
                raise ConfigError([failure["message"]])
            raise OperationFailed(failure["message"])
        return document


@asynccontextmanager
async def daemon_at(state: Path) -> AsyncIterator[Daemon | None]:
    """The daemon of this state directory; None where nobody listens."""
    async with control_session(state, seconds=None) as http:
        yield Daemon(http) if await _listens(http) else None


@asynccontextmanager
async def control_session(state: Path, *, seconds: float | None) -> AsyncIterator[aiohttp.ClientSession]:
    """HTTP over the control socket of this state directory; a request may take so long."""
    with unix_address(state / "control.sock") as address:
        connector, timeout = aiohttp.UnixConnector(path=address), aiohttp.ClientTimeout(total=seconds)
        async with aiohttp.ClientSession(_ADDRESS, connector=connector, timeout=timeout) as http:
            yield http


async def _listens(http: aiohttp.ClientSession) -> bool:
    try:
        async with http.get("/health") as response:
            return response.ok
    except aiohttp.ClientConnectionError:
        return False
