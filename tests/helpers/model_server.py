"""A strict OpenAI-compatible model server on localhost, with faults on demand."""

import asyncio
import inspect
import json
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from memory.tokens import count
from tests.helpers.embedding_checks import embedding_document, embedding_faults
from tests.helpers.model_answers import Answer, Wire, chunks, document, tool_call
from tests.helpers.model_checks import request_faults, request_tokens

__all__ = ["Answer", "ModelServer", "tool_call"]

Line = str | Answer
Script = Line | Callable[[Wire], Line | Awaitable[Line]]


class ModelServer:
    """Plays `answers` in order, then `otherwise`; a callable is asked with the request.

    Every request must obey the grammar, hold nothing but strings, and fit `window` together with its output
    limit; else it is refused with 400 and the reason, which `rejected` records. `refuses` names fields that
    this endpoint doesn't know; `null_content`, `wants_reasoning`, `short_ids` and `system_role` are its moods.
    Requests for vectors are `embedded`; the `vectors` are answered first, in order, and right answers afterwards.
    `cut_to` makes it read only the last so many tokens without a word, as some servers do. `documents` are
    what GET and other POST addresses answer.
    """

    def __init__(
        self,
        *answers: Script,
        otherwise: Script = "ok",
        window: int = 8192,
        model: str = "model-a",
        key: str = "",
        refuses: frozenset[str] = frozenset(),
    ) -> None:
        self.requests: list[Wire] = []
        self.headers: list[Mapping[str, str]] = []
        self.rejected: list[str] = []
        self.embedded: list[Wire] = []
        self.vectors: deque[Answer] = deque()
        self.documents: dict[str, Wire] = {}
        self.asked_addresses: list[str] = []
        self.otherwise = otherwise
        self.window = window
        self.model = model
        self.key = key
        self.refuses = refuses
        self.null_content = True
        self.wants_reasoning = False
        self.short_ids = False
        self.system_role = True
        self.cut_to: int | None = None
        self.base_url = ""
        self._answers = deque(answers)
        self._changed = asyncio.Condition()
        self._runner: web.AppRunner | None = None
        self._closing = asyncio.Event()

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_post("/v1/embeddings", self._embed)
        app.router.add_get("/v1/models", self._models)
        app.router.add_route("*", "/{rest:.*}", self._document)
        self._runner = web.AppRunner(app, shutdown_timeout=1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.base_url = f"http://{host}:{port}/v1"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        if self._runner is not None:
            await self._runner.cleanup()

    def add(self, *answers: Script) -> None:
        """Lengthen the script."""
        self._answers.extend(answers)

    async def asked(self, times: int) -> Wire:
        """Wait until so many requests came; the last of them."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.requests) >= times)
        return self.requests[times - 1]

    async def embedded_more(self, than: int) -> None:
        """Wait until vectors were asked for more often than that."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.embedded) > than)

    async def _models(self, request: web.Request) -> web.Response:
        self.asked_addresses.append(request.path)
        listed = self.documents.get("/v1/models", {"object": "list", "data": [{"id": self.model}]})
        return web.json_response(listed)

    async def _document(self, request: web.Request) -> web.Response:
        self.asked_addresses.append(request.path)
        if request.path not in self.documents:
            return web.Response(status=404, text="<html>not here</html>", content_type="text/html")
        return web.json_response(self.documents[request.path])

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        asked: Wire = json.loads(await request.read())
        async with self._changed:
            self.requests.append(asked)
            self.headers.append(dict(request.headers))
            self._changed.notify_all()
        if refused := self._stranger(request):
            return refused
        complaint = self._complaint(asked)
        if complaint:
            self.rejected.append(complaint)
            return _error(400, complaint)
        answer = await self._next(asked)
        await self._held(answer, at=0)
        if answer.body is not None:
            return _fixed(answer)
        usage = self._usage(asked, answer=answer)
        if not asked.get("stream") or answer.whole:
            return web.json_response(document(answer, model=self.model, usage=usage))
        return await self._stream(request, asked=asked, answer=answer, usage=usage)

    async def _embed(self, request: web.Request) -> web.Response:
        asked: Wire = json.loads(await request.read())
        async with self._changed:
            self.embedded.append(asked)
            self._changed.notify_all()
        if refused := self._stranger(request):
            return refused
        faults = embedding_faults(asked)
        if faults:
            self.rejected += faults
            return _error(400, "; ".join(faults))
        if self.vectors:
            answer = self.vectors.popleft()
            await self._held(answer, at=0)
            return _fixed(answer)
        return web.json_response(await embedding_document(asked))

    def _stranger(self, request: web.Request) -> web.Response | None:
        said = request.headers.get("Authorization", "")
        if not self.key or said == f"Bearer {self.key}":
            return None
        return _error(401, f"Incorrect API key provided: {said[7:]}")

    async def _stream(
        self, request: web.Request, *, asked: Wire, answer: Answer, usage: Wire
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": answer.content_type or "text/event-stream"})
        await response.prepare(request)
        wanted = answer.usage and asked.get("stream_options", {}).get("include_usage")
        listed = answer.documents
        if listed is None:
            listed = chunks(answer, model=self.model, usage=usage if wanted else None)
        for number, chunk in enumerate(listed, start=1):
            if number > 1:
                await self._held(answer, at=number - 1)
            if answer.cut_after is not None and number > answer.cut_after:
                assert request.transport is not None
                request.transport.close()
                return response
            await response.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        if answer.done:
            await response.write(b"data: [DONE]\n\n")
        return response

    async def _held(self, answer: Answer, *, at: int) -> None:
        """Wait for what the answer waits for, or for the end of the server."""
        if answer.hold is None or answer.hold_at != at:
            return
        waits = [asyncio.ensure_future(event.wait()) for event in (answer.hold, self._closing)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _next(self, asked: Wire) -> Answer:
        script = self._answers.popleft() if self._answers else self.otherwise
        if not isinstance(script, str | Answer):
            said = script(asked)
            script = await said if inspect.isawaitable(said) else said
        return Answer(text=script) if isinstance(script, str) else script

    def _usage(self, asked: Wire, *, answer: Answer) -> Wire:
        prompt = request_tokens(asked)
        written = count(answer.text or "") + sum(
            count(call["function"]["arguments"]) for call in answer.calls
        )
        return {
            "prompt_tokens": prompt if self.cut_to is None else min(prompt, self.cut_to),
            "completion_tokens": written,
        }

    def _complaint(self, asked: Wire) -> str:
        """Why the request is refused, in words that real endpoints use, or nothing."""
        for name in sorted(self.refuses & asked.keys()):
            if name == "tools":
                return f"{self.model} does not support tools"
            return f"Unsupported parameter: '{name}' is not supported with this model."
        messages: list[dict[str, Any]] = asked.get("messages") or []
        complaint = self._mood(messages) or "; ".join(request_faults(asked, null_content=self.null_content))
        if complaint:
            return complaint
        output = asked.get("max_tokens") or asked.get("max_completion_tokens") or 0
        tokens = request_tokens(asked)
        if self.cut_to is None and tokens + output > self.window:
            return (
                f"This model's maximum context length is {self.window} tokens. However, you requested "
                f"{tokens + output} tokens ({tokens} in the messages, {output} in the completion)."
            )
        return ""

    def _mood(self, messages: list[dict[str, Any]]) -> str:
        calling = [message for message in messages if message.get("tool_calls")]
        if not self.null_content and any(message.get("content") is None for message in messages):
            return "Invalid value for 'content': expected a string, got null."
        if self.wants_reasoning and not all(message.get("reasoning_content") for message in calling):
            return "Missing `reasoning_content` field in the assistant message"
        if not self.system_role and messages and messages[0].get("role") == "system":
            return "System role not supported"
        ids = [call["id"] for message in calling for call in message["tool_calls"]]
        if self.short_ids and not all(len(call_id) == 9 and call_id.isalnum() for call_id in ids):
            return "Tool call id must be a-z, A-Z, 0-9, with a length of 9."
        return ""


def _fixed(answer: Answer) -> web.Response:
    kind = answer.content_type or "application/json"
    return web.Response(
        status=answer.status, body=answer.body, headers={**answer.headers, "Content-Type": kind}
    )


def _error(status: int, message: str) -> web.Response:
    return web.json_response({"error": {"message": message, "type": "invalid_request_error"}}, status=status)
