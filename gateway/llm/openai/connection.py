"""The SDK's client to one endpoint: imported and made in a thread at first use, kept for the life of the process."""

import asyncio
import importlib
import ipaddress
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from gateway.errors import LLMRejected, LLMUnavailable
from gateway.llm.openai.events import parse
from gateway.llm.openai.faults import Garbled, Refusal, Silence, read_refusal
from gateway.llm.settings import Endpoint

if TYPE_CHECKING:
    import openai

_CONNECT_SECONDS = 10.0  # a server that is there accepts within a second, whatever its model takes


class Refused(Exception):
    """The endpoint answered with an error status."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.complaint)
        self.refusal = refusal


class Connection:
    """Requests to one endpoint. `name` stands in errors and is what a person calls it."""

    def __init__(self, endpoint: Endpoint, *, name: str) -> None:
        self._endpoint = endpoint
        self._name = name
        self._making = asyncio.Lock()
        self._client: openai.AsyncOpenAI | None = None
        self._transport: Any = None
        self._headers: dict[str, Any] = {}

    async def open(self) -> "openai.AsyncOpenAI":
        """The client, made once; importing the SDK takes seconds and reading certificates a part of one."""
        if self._client is None:
            async with self._making:
                if self._client is None:
                    self._client = await asyncio.to_thread(self._make)
        return self._client

    @asynccontextmanager
    async def post(self, path: str, *, body: bytes) -> AsyncIterator[AsyncIterator[bytes]]:
        """The bytes of an answer as they come; Refused on an error status, LLMUnavailable when there is none."""
        client = await self.open()
        with self._mapped():
            response: Any = await client.post(
                path,
                cast_to=self._transport.Response,
                content=body,
                options={"headers": {"Content-Type": "application/json", **self._headers}},
                stream=True,
                stream_cls=importlib.import_module("openai").AsyncStream,
            )
            try:
                yield response.aiter_bytes()
            finally:
                await response.aclose()

    async def get(self, address: str) -> dict[str, Any]:
        """The JSON of a path under the base address, or of a whole address."""
        client = await self.open()
        with self._mapped():
            response: Any = await client.get(
                address, cast_to=self._transport.Response, options={"headers": self._headers}
            )
            return parse(response.content)

    async def ask(self, address: str, *, body: bytes) -> dict[str, Any]:
        """The JSON that a POST answers in one piece."""
        async with self.post(address, body=body) as pieces:
            return parse(b"".join([piece async for piece in pieces]))

    async def close(self) -> None:
        """Close every connection; the next request opens new ones."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()

    def _make(self) -> "openai.AsyncOpenAI":
        sdk = importlib.import_module("openai")
        self._transport = importlib.import_module("httpx2")
        endpoint = self._endpoint
        key = endpoint.api_key.strip()
        if not (key.isascii() and key.isprintable()):
            raise LLMRejected("the API key holds characters that no key has; check llm.api_key")
        # The SDK wants a key; where there is none, none is sent.
        self._headers = {} if key else {"Authorization": sdk.Omit()}
        where = _address(endpoint.base_url)
        local = _is_loopback(where.hostname or "")
        settings: dict[str, Any] = {"trust_env": not local}  # proxies are for the world, not for this machine
        if local and where.scheme == "http":
            settings["verify"] = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # saves reading certificates, 0.3 s
        try:
            client: openai.AsyncOpenAI = sdk.AsyncOpenAI(
                base_url=endpoint.base_url,
                api_key=key or "none",
                max_retries=0,
                timeout=sdk.Timeout(endpoint.timeout, connect=min(_CONNECT_SECONDS, endpoint.timeout)),
                http_client=sdk.DefaultAsyncHttpxClient(**settings),
            )
        except self._transport.InvalidURL as error:
            raise LLMRejected(f"{endpoint.base_url!r} is no address; check llm.base_url") from error
        return client

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        """The SDK's and the transport's exceptions as ours; the order matters, the first that fits wins."""
        sdk = importlib.import_module("openai")
        transport = self._transport
        name = self._name
        try:
            yield
        except Garbled as error:
            kind = LLMRejected if error.again else LLMUnavailable
            raise kind(f"{name} {error}") from error
        except (sdk.APITimeoutError, transport.TimeoutException) as error:
            if isinstance(error.__cause__ or error, transport.ConnectTimeout):
                raise LLMUnavailable(f"{name} can't be reached; is the server running?") from error
            seconds = f"{self._endpoint.timeout:g}"
            raise Silence(f"{name} sent nothing for {seconds} seconds; llm.timeout may allow more") from error
        except sdk.APIStatusError as error:
            response = error.response
            refusal = read_refusal(response.status_code, body=response.content, headers=response.headers)
            raise Refused(refusal) from error
        except sdk.APIConnectionError as error:
            if isinstance(error.__cause__, transport.ConnectError):
                raise LLMUnavailable(f"{name} can't be reached; is the server running?") from error
            raise LLMUnavailable(f"{name} closed the connection before it answered") from error
        except (transport.RequestError, sdk.APIError) as error:
            raise LLMUnavailable(f"{name} broke off in the middle of the answer") from error


def place_of(base_url: str) -> str:
    """Host and port of an address, without a user or password that may stand in it."""
    return base_url.partition("//")[2].partition("/")[0].rpartition("@")[2] or base_url


def _address(url: str) -> SplitResult:
    """The parts of an address that can be asked; LLMRejected for any other."""
    try:
        where = urlsplit(url)
        host = (where.hostname or "").encode("idna")
        if where.scheme in ("http", "https") and host and where.port != 0:
            return where
    except ValueError:  # a host or a port that is none
        pass
    raise LLMRejected(f"{url!r} is no address; check llm.base_url")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
