"""Messages cut to what a summariser can read at once: none is left out, a long one comes in pieces (pure)."""

from collections.abc import Sequence
from dataclasses import replace

from memory.messages import AssistantMessage, Message, ToolMessage
from memory.tokens import MESSAGE_TOKENS, count
from memory.view.shorten import shortened

LINE_TOKENS = 24
"""What number, speaker, provenance and date take before the words of a message."""

RESULT_TOKENS = 600
"""Of a tool's output the beginning and the end are read: it can be found by search, and claims rest on what people say."""

WORDS_TOKENS = 24_000
"""A person's words are read whole up to here; beyond, beginning and end: it is a pasted book."""

_LEAST_PIECE = 64


def take_part(messages: Sequence[Message], *, room: int) -> tuple[list[Message], list[Message]]:
    """The first messages, as many as fit in `room` tokens, and the rest; at least a piece of the first one.

    `messages` are `readable`; a message that is cut here begins the rest with what is left of it.
    """
    part: list[Message] = []
    left = room
    for at, message in enumerate(messages):
        cost = words_tokens(message) + LINE_TOKENS
        if cost <= left:
            part.append(message)
            left -= cost
            continue
        if part and cost <= room:
            return part, list(messages[at:])
        if part and left < _LEAST_PIECE + LINE_TOKENS:
            return part, list(messages[at:])
        text, remainder = _split(message, tokens=max(left - LINE_TOKENS, _LEAST_PIECE))
        rest = [_piece(message, remainder)] if remainder.strip() else []
        return [*part, _piece(message, text)], [*rest, *messages[at + 1 :]]
    return part, []


def readable(messages: Sequence[Message], *, session: str) -> list[Message]:
    """The messages with something to read, those that are overlong cut with a mark."""
    return [_limited(message, session=session) for message in messages if message.content.strip()]


def words_tokens(message: Message) -> int:
    """What the words alone cost."""
    return max(0, message.tokens - MESSAGE_TOKENS) if message.tokens else count(message.content)


def _limited(message: Message, *, session: str) -> Message:
    limit = RESULT_TOKENS if isinstance(message, ToolMessage) else WORDS_TOKENS
    plain = (
        replace(message, tool_calls=(), reasoning="") if isinstance(message, AssistantMessage) else message
    )
    return shortened(_piece(plain, message.content), allowance=limit + MESSAGE_TOKENS, session=session)


def _split(message: Message, *, tokens: int) -> tuple[str, str]:
    """The words in two: at most so many tokens, and what is left of them."""
    text = message.content
    at = max(1, len(text) * tokens // max(words_tokens(message), 1))
    while at > 1 and count(text[:at]) > tokens:
        at = at * 9 // 10
    if at < len(text):
        at = _gap(text, at)
    return text[:at], text[at:]


def _gap(text: str, at: int) -> int:
    """The last blank or end of a line before `at`, so that no word is cut in two."""
    for mark in ("\n", " "):
        found = text.rfind(mark, at // 2, at)
        if found > 0:
            return found + 1
    return at


def _piece(message: Message, text: str) -> Message:
    return replace(message, content=text, tokens=count(text) + MESSAGE_TOKENS)
