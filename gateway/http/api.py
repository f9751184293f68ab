"""The OpenAI-compatible API: a client's newest message goes the way of every message, its answer comes back here."""

import time
import uuid
from collections.abc import Callable
from contextlib import AsyncExitStack

from aiohttp import web

from channels.messages import InboundMessage, OutboundMessage
from channels.web.adapter import NO_ANSWER, Crowded, Guest, WebAdapter
from channels.web.names import request_id
from gateway.http.bodies import read_object
from gateway.http.completion import (
    Asked,
    Chunks,
    Usage,
    answer_document,
    completion_id,
    error_event,
    parse_asked,
)
from gateway.http.doors import Door
from gateway.http.exchange import Exchange, Written, exchange
from gateway.http.problems import HttpProblem, bad_request, forbidden, json_response, too_many
from memory import tokens

LONGEST_KEY = 200
"""In characters: an idempotency key is part of a message's id."""
_CROWDED_SECONDS = 30


class Api:
    """`POST /v1/chat/completions` and `GET /v1/models`."""

    def __init__(
        self,
        channel: WebAdapter,
        *,
        door: Door,
        crowded: Crowded,
        model: Callable[[], str],
    ) -> None:
        self._channel = channel
        self._door = door
        self._crowded = crowded
        self._model = model

    async def models(self, request: web.Request) -> web.Response:
        """The one model that clients may name: whoever answers."""
        self._door.identify(request)
        model = {"id": self._model(), "object": "model", "created": 0, "owned_by": "mneme"}
        return json_response({"object": "list", "data": [model]})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """Answer the newest user message; whoever hangs up meanwhile stops nothing."""
        self._door.identify(request)
        asked = parse_asked(await read_object(request))
        session = request.headers.get("X-Mneme-Session") or asked.user
        guest = await self._door.guest(request, session)
        message = self._message(request, guest, asked)
        async with AsyncExitStack() as stack:
            followed, is_accepted = await self._begin(message, stack)
            if not is_accepted:
                raise forbidden("you may not write here")
            if await self._channel.answers.is_other(message):
                raise _reused(request.headers.get("Idempotency-Key", ""))
            return await self._respond(request, followed, asked, message)

    async def _begin(self, message: InboundMessage, stack: AsyncExitStack) -> tuple[Exchange, bool]:
        """Take the message in; 429 for a new one of somebody who asks faster than they are answered."""
        followed = exchange(self._channel, message)
        if await self._channel.answers.accepted(message.id) is not None:
            return await stack.enter_async_context(followed)
        async with self._crowded(message.sender_id) as is_crowded:
            if is_crowded:
                raise too_many("too many of your messages wait for an answer", retry_after=_CROWDED_SECONDS)
            return await stack.enter_async_context(followed)

    def _message(self, request: web.Request, guest: Guest, asked: Asked) -> InboundMessage:
        key = request.headers.get("Idempotency-Key", "") or uuid.uuid4().hex
        if len(key) > LONGEST_KEY or not key.isprintable():
            raise bad_request(f"Idempotency-Key has 1 to {LONGEST_KEY} printable characters")
        name = request_id(self._channel.name, guest.chat_id, key)
        return self._channel.message(guest, id=name, text=asked.text)

    async def _respond(
        self, request: web.Request, followed: Exchange, asked: Asked, message: InboundMessage
    ) -> web.StreamResponse:
        model, created = asked.model or self._model(), int(time.time())
        name = completion_id(message.id)
        if asked.stream:
            chunks = Chunks(id=name, model=model, created=created)
            return await _stream(request, followed, chunks, asked)
        reply = await followed.answer()
        if reply is None:
            raise HttpProblem(410, NO_ANSWER, kind="no_answer")
        usage = await _usage(asked, reply)
        return json_response(answer_document(reply, id=name, model=model, created=created, usage=usage))


def _reused(key: str) -> HttpProblem:
    return HttpProblem(
        422,
        f'the Idempotency-Key "{key}" is that of another message: a new message takes a new key',
        kind="idempotency_error",
    )


async def _stream(
    request: web.Request, followed: Exchange, chunks: Chunks, asked: Asked
) -> web.StreamResponse:
    """The answer as it is written. A client that is gone is noticed by the writing, and we stop following."""
    response = web.StreamResponse(
        headers={"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store"}
    )
    try:
        await response.prepare(request)
        await response.write(chunks.begin())
        async for step in followed.progress():
            match step:
                case Written():
                    # A comment keeps proxies from taking a long silence for the end.
                    await response.write(chunks.text(step.text) or b": waiting\n\n")
                case OutboundMessage():
                    usage = await _usage(asked, step) if asked.wants_usage else None
                    await response.write(chunks.text(step.text) + chunks.end(usage))
                case None:
                    await response.write(error_event(NO_ANSWER, kind="no_answer"))
        await response.write_eof()
    except HttpProblem as problem:
        await response.write(error_event(str(problem), kind=problem.kind))
        await response.write_eof()
    except ConnectionError:
        pass
    return response


async def _usage(asked: Asked, reply: OutboundMessage) -> Usage:
    return Usage(
        prompt_tokens=await tokens.count_async(asked.text),
        completion_tokens=await tokens.count_async(reply.text),
    )
