"""One turn made to fit where it is larger than the whole budget."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from memory.messages import AssistantMessage, Message, ToolMessage, UserMessage
from memory.tokens import message_tokens
from memory.view.history import legal_history
from memory.view.shorten import shortened, water_level

RESULT_FLOOR = 200
"""Tokens to which results shrink before older rounds give way: enough for an excerpt that says something."""

TEXT_FLOOR = 64
"""Tokens that a question keeps when the answer to it is to stay whole."""


def cost(messages: Iterable[Message]) -> int:
    """Tokens of the messages; only what was never counted is counted now."""
    return sum(message.tokens or message_tokens(message) for message in messages)


def fitted_turn(turn: Sequence[Message], *, room: int, session: str) -> list[Message]:
    """A legal turn in at most `room` tokens: results shrink, then older rounds go, then texts are cut.

    The turn's user messages and its last round stay; when room lacks even for the wrapping of that round, it goes too.
    """
    counted = [message if message.tokens else _counted(message) for message in turn]
    kept = _joined(_without_old_rounds(counted, room=room))
    kept = _with_small_results(kept, room=room, session=session)
    kept = _with_short_texts(kept, room=room, session=session)
    if cost(kept) > room:
        users = _joined([message for message in counted if isinstance(message, UserMessage)])
        kept = _with_short_texts(users, room=room, session=session)
    return kept


def last_exchange(turn: Sequence[Message], *, room: int, session: str) -> list[Message]:
    """Question and final answer of a turn, the answer word for word; nothing where that doesn't fit.

    A person may answer with "the second one": what they mean must be in sight.
    """
    answer = turn[-1] if turn else None
    if not isinstance(answer, AssistantMessage) or answer.tool_calls:
        return []
    question = _joined([message for message in turn if isinstance(message, UserMessage)])
    room -= cost([answer])
    if cost(question) <= room:
        return [*question, answer]
    return [*fitted_turn(question, room=room, session=session), answer] if room >= TEXT_FLOOR else []


def _counted(message: Message) -> Message:
    return replace(message, tokens=message_tokens(message))


def _joined(messages: Sequence[Message]) -> list[Message]:
    """User messages that now stand side by side become one, which never costs more."""
    return list(legal_history(messages).messages)


def _without_old_rounds(turn: Sequence[Message], *, room: int) -> list[Message]:
    """The turn without the oldest rounds, as many as must go when every result is at its floor."""
    starts = [at for at, message in enumerate(turn) if isinstance(message, AssistantMessage)]
    spare = room - cost(message for message in turn if isinstance(message, UserMessage))
    gone: set[int] = set()
    for place in range(len(starts) - 1, -1, -1):
        round_ = _round(turn, start=starts[place])
        spare -= sum(_least(turn[at]) for at in round_)
        if spare < 0 and place < len(starts) - 1:
            gone = {at for start in starts[: place + 1] for at in _round(turn, start=start)}
            break
    return [message for at, message in enumerate(turn) if at not in gone]


def _round(turn: Sequence[Message], *, start: int) -> range:
    """The places of an assistant message and of the results that follow it."""
    end = start + 1
    while end < len(turn) and isinstance(turn[end], ToolMessage):
        end += 1
    return range(start, end)


def _least(message: Message) -> int:
    return min(message.tokens, RESULT_FLOOR) if isinstance(message, ToolMessage) else message.tokens


def _with_small_results(turn: Sequence[Message], *, room: int, session: str) -> list[Message]:
    results = [message.tokens for message in turn if isinstance(message, ToolMessage)]
    others = cost(turn) - sum(results)
    level = max(water_level(results, room=room - others), RESULT_FLOOR)
    return [
        shortened(message, allowance=level, session=session) if isinstance(message, ToolMessage) else message
        for message in turn
    ]


def _with_short_texts(turn: Sequence[Message], *, room: int, session: str) -> list[Message]:
    level = water_level([message.tokens for message in turn], room=room)
    return [shortened(message, allowance=level, session=session) for message in turn]
