"""One message made smaller in the view: beginning and end stay, a mark names where the whole can be read."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import orjson

from memory.messages import AssistantMessage, Message, ToolMessage, UserMessage, reference
from memory.tokens import count, message_tokens
from memory.view.history import JOINED_FROM

RESULT_CHARS = 16_000
"""Tool output beyond this is cut in every view: nobody reads further, and a few of them fill any window."""

BARE_MARK = "[…]"
"""Where there is no room for a mark that says more."""

_TRIES = 8  # each try comes within a few percent of what is wanted; more would not help
_MARK_CHARS = 400  # more than any mark: two references with long keys
_REMEMBERED = 4096  # costs of limited results: what a few hundred busy sessions show
_MEDIA_SHARE = 2  # attachments that take more than half of the room give way to the words


def water_level(sizes: Sequence[int], *, room: int) -> int:
    """The largest size to which everything larger must be cut so that the sum is at most `room`."""
    left = max(0, room)
    ascending = sorted(sizes)
    for place, size in enumerate(ascending):
        share = left // (len(ascending) - place)
        if size > share:
            return share
        left -= size
    return max(ascending, default=0)


def limited(message: ToolMessage, *, session: str) -> ToolMessage:
    """The message with at most RESULT_CHARS of its output, which is longer."""
    content = _excerpt(message.content, keep=RESULT_CHARS - _MARK_CHARS, refs=_refs(message, session))
    cut = replace(message, content=content)
    return replace(cut, tokens=_remembered_tokens(cut))


def shortened(message: Message, *, allowance: int, session: str) -> Message:
    """The message cut to at most `allowance` tokens, the same object where it fits; its wrapping can't be cut."""
    if message.tokens <= allowance:
        return message
    refs = _refs(message, session)
    if isinstance(message, AssistantMessage):
        return _short_assistant(message, allowance=allowance, refs=refs)
    return _short_text(message, allowance=allowance, refs=refs)


def _refs(message: Message, session: str) -> str:
    last = reference(session, message.seq)
    first = message.extra.get(JOINED_FROM)
    return f"{reference(session, first)} to {last}" if isinstance(first, int) else last


def _short_text(
    message: UserMessage | ToolMessage, *, allowance: int, refs: str
) -> UserMessage | ToolMessage:
    wrapping = message_tokens(replace(message, content=""))
    if isinstance(message, UserMessage) and message.media and wrapping * _MEDIA_SHARE > allowance:
        message = replace(message, media=(), content=message.content or BARE_MARK)  # something must be there
        wrapping = message_tokens(replace(message, content=""))
    tokens = message.tokens - wrapping
    cut = _cut_text(message.content, tokens=tokens, allowance=allowance - wrapping, refs=refs)
    return replace(message, content=cut.text, tokens=wrapping + cut.tokens)


@dataclass(frozen=True, slots=True)
class _Cut:
    text: str
    tokens: int


def _cut_text(text: str, *, tokens: int, allowance: int, refs: str) -> _Cut:
    """Beginning and end of the text, with a mark between them, in at most `allowance` tokens.

    `tokens` is what the whole text is believed to cost; it only guides the first guess.
    """
    return _largest(
        lambda keep: _excerpt(text, keep=keep, refs=refs),
        guess=len(text) * max(allowance, 0) // max(tokens, 1),
        allowance=allowance,
        least=BARE_MARK,
    )


def _cut_arguments(arguments: str, *, tokens: int, allowance: int, refs: str) -> _Cut:
    """The same for a call's arguments: a JSON object that holds the excerpt."""
    return _largest(
        lambda keep: orjson.dumps({"shortened": _excerpt(arguments, keep=keep, refs=refs)}).decode(),
        guess=len(arguments) * max(allowance, 0) // max(tokens, 1),
        allowance=allowance,
        least="{}",
    )


def _excerpt(text: str, *, keep: int, refs: str) -> str:
    """Two thirds of what is kept from the beginning, one third from the end: that is where conclusions stand."""
    if keep >= len(text):
        return text
    tail = keep // 3
    mark = f"[… {len(text) - keep:,} characters left out here; recall {refs} has the whole …]"
    return "\n".join(part for part in (text[: keep - tail], mark, text[len(text) - tail :]) if part)


def _largest(make: Callable[[int], str], *, guess: int, allowance: int, least: str) -> _Cut:
    """What `make` gives for the most characters that fit, nearly; `least` where not even the bare mark fits."""
    keep = guess
    for _ in range(_TRIES):
        made = make(keep)
        size = count(made)
        if size <= allowance:
            return _Cut(made, size)
        if keep == 0:
            break
        keep = max(0, min(keep - 1, keep * allowance // size - (size - allowance) // 8))
    made = make(0)
    size = count(made)
    return _Cut(made, size) if size <= allowance else _Cut(least, count(least))


def _short_assistant(message: AssistantMessage, *, allowance: int, refs: str) -> AssistantMessage:
    """Text, reasoning and arguments give way alike, the largest first; names and ids stay."""
    texts = [message.content, message.reasoning, *(call.arguments for call in message.tool_calls)]
    sizes = [count(text) for text in texts]
    wrapping = message.tokens - sum(sizes)
    level = water_level(sizes, room=allowance - wrapping)
    ways = [_cut_text, _cut_text, *(_cut_arguments for _ in message.tool_calls)]
    content, reasoning, *arguments = cuts = [
        _Cut(text, size) if size <= level else cut(text, tokens=size, allowance=level, refs=refs)
        for text, size, cut in zip(texts, sizes, ways, strict=True)
    ]
    return replace(
        message,
        content=content.text,
        reasoning=reasoning.text,
        tool_calls=tuple(
            replace(call, arguments=short.text)
            for call, short in zip(message.tool_calls, arguments, strict=True)
        ),
        tokens=wrapping + sum(cut.tokens for cut in cuts),
    )


_tokens_of_limited: OrderedDict[tuple[int, int], int] = OrderedDict()
"""Costs of limited results, which every request of a session asks for again.

By number and hash of the text: the words themselves are not kept, for their owner may want them forgotten.
"""


def _remembered_tokens(message: ToolMessage) -> int:
    key = (message.seq, hash(message.content))
    tokens = _tokens_of_limited.get(key)
    if tokens is None:
        tokens = _tokens_of_limited[key] = message_tokens(message)
        if len(_tokens_of_limited) > _REMEMBERED:
            _tokens_of_limited.popitem(last=False)
    return tokens
