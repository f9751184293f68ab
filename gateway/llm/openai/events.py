"""The JSON documents of an answer's body, whether it comes as server-sent events or in one piece."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

import orjson

from gateway.llm.openai.faults import Garbled

END: Final[dict[str, Any]] = {"end": True}
"""Stands for `[DONE]`: the endpoint said that the answer is whole."""

_END = b"[DONE]"
_BOM = b"\xef\xbb\xbf"
_LONGEST_BODY = 16 * 1024 * 1024  # bytes of one document; an answer is a thousandth of that


def parse(text: bytes) -> dict[str, Any]:
    """One JSON object; lone surrogates and bytes that are no UTF-8 pass, anything else that is no object is Garbled."""
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError:
        try:
            document = json.loads(text.decode(errors="replace"))
        except (ValueError, RecursionError) as error:  # the latter where it is nested without end
            raise Garbled(f"answered {_kind(text)} instead of JSON; is llm.base_url right?") from error
    if not isinstance(document, dict):
        raise Garbled("answered JSON that is no object")
    return document


def _kind(text: bytes) -> str:
    start = text.lstrip()[:1]
    return "nothing" if not start else "HTML" if start == b"<" else "text"


class Events:
    """Cuts bytes, however they arrive, into the data of server-sent events."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """The data of every event that this piece completes."""
        *lines, self._rest = (self._rest + piece).replace(b"\r\n", b"\n").split(b"\n")
        if len(self._rest) > _LONGEST_BODY:
            raise Garbled("sent an event without end")
        for line in lines:
            yield from self._line(line.rstrip(b"\r"))

    def close(self) -> Iterator[bytes]:
        """What was complete but for its last line break."""
        yield from self._line(self._rest)
        yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[bytes]:
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        elif not line and self._data:
            data = b"\n".join(self._data)
            self._data = []
            if data:
                yield data


async def documents(body: AsyncIterator[bytes]) -> AsyncIterator[dict[str, Any]]:
    """Every document of a body, as soon as it is there; what the body is shows in its first byte.

    `END` stands where a stream says that it is whole. An event that the end of the body cut off is left out.
    """
    head = b""
    async for piece in body:
        head += piece
        if len(head) >= len(_BOM) and head.removeprefix(_BOM).lstrip():
            break
    head = head.removeprefix(_BOM)
    if head.lstrip()[:1] in (b"{", b"[", b"<", b""):
        yield parse(await _rest(head, body))
        return
    events = Events()
    for data in events.feed(head.lstrip()):
        yield _document(data)
    async for piece in body:
        for data in events.feed(piece):
            yield _document(data)
    for data in events.close():
        if data.startswith(_END) or data.endswith(b"}"):
            yield _document(data)


def _document(data: bytes) -> dict[str, Any]:
    return END if data.startswith(_END) else parse(data)


async def _rest(head: bytes, body: AsyncIterator[bytes]) -> bytes:
    async for piece in body:
        head += piece
        if len(head) > _LONGEST_BODY:
            raise Garbled("sent an answer without end")
    return head
