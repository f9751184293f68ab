"""Histories to try the view on: valid ones, and ones damaged in every way that has been reported.

One generator on a `random.Random` serves both: seeded for the proof, driven by hypothesis for the property tests,
so that hypothesis can shrink what it finds.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from random import Random

from hypothesis import strategies as st

from memory.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from memory.tokens import CALL_TOKENS, MEDIA_TOKENS, MESSAGE_TOKENS, RESULT_TOKENS, count

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)

LINES = (
    "the harbour was quiet until noon",
    "please add two lemons, and one more if they are small",
    "我想明天早上七点出发，先去码头",
    "会议改到星期四了",
    "🛶🪵 ok",
    "see <|endoftext|> in the log",
    "x" * 40,
    "line one\nline two",
    "Größe 42, naïve café",
    "1) by train  2) by boat",
)
LENGTHS = (1, 1, 1, 1, 1, 1, 2, 2, 4, 9, 30, 60)  # lines of one message; most are short
LONG_LENGTHS = (200, 700, 4000)
PRINTABLE_LENGTHS = (200, 500)  # hypothesis prints what it finds, and refuses to print a book
SURROGATES = ("\udc80", "\ud83d", "\ude00\ud800", "\ud83d\ude00")
ARGUMENTS = ("{}", '{"path": "notes/today.md"}', '{"a": {"b": [1, 2]}, "text": "早上好"}')
BROKEN_ARGUMENTS = (
    "",
    "{bad",
    "[1]",
    '"text"',
    "null",
    '{"a": NaN}',
    '{"a": 1} {"b": 2}',
    "  ",
    '{"a": "\\ud800"}',
)
BLANKS = ("", " ", "\n\n", "\u3000")

Damage = Callable[[Random, list[Message]], None]


def user(text: str, *, seq: int = 0, turn: str = "", media: tuple[str, ...] = ()) -> UserMessage:
    """What a person said, its tokens counted."""
    tokens = MESSAGE_TOKENS + tokens_of(text) + MEDIA_TOKENS * len(media)
    return UserMessage(content=text, at=at(seq), seq=seq, turn=turn, media=media, tokens=tokens)


def answer(text: str, *, seq: int = 0, turn: str = "") -> AssistantMessage:
    """What the assistant said."""
    return AssistantMessage(
        content=text, at=at(seq), seq=seq, turn=turn, tokens=MESSAGE_TOKENS + tokens_of(text)
    )


def calls(
    *ids: str, seq: int = 0, turn: str = "", text: str = "", arguments: str = "{}", name: str = "fetch"
) -> AssistantMessage:
    """The assistant calls one tool per id."""
    each = CALL_TOKENS + tokens_of(name) + tokens_of(arguments)
    return AssistantMessage(
        content=text,
        at=at(seq),
        seq=seq,
        turn=turn,
        tool_calls=tuple(ToolCall(id=id_, name=name, arguments=arguments) for id_ in ids),
        tokens=MESSAGE_TOKENS + tokens_of(text) + each * len(ids),
    )


def result(id_: str, text: str, *, seq: int = 0, turn: str = "") -> ToolMessage:
    """What the tool answered to that call."""
    tokens = MESSAGE_TOKENS + RESULT_TOKENS + tokens_of(text)
    return ToolMessage(
        content=text, at=at(seq), seq=seq, turn=turn, tool_call_id=id_, name="fetch", tokens=tokens
    )


def numbered(*messages: Message) -> list[Message]:
    """The messages with 1, 2, 3 … and times to match."""
    return [replace(message, seq=seq, at=at(seq)) for seq, message in enumerate(messages, start=1)]


def at(seq: int) -> datetime:
    """One message a minute."""
    return START + timedelta(minutes=seq)


@lru_cache(maxsize=4096)
def tokens_of(text: str) -> int:
    """Counted once per text, for there are few of them and many histories."""
    return count(text)


@lru_cache(maxsize=4096)
def text_of(line: int, length: int) -> str:
    """One of a bounded number of texts."""
    return "\n".join(LINES[(line + step) % len(LINES)] for step in range(length))


def any_text(random: Random, *, lengths: tuple[int, ...] = LENGTHS) -> str:
    """A text that somebody might have written."""
    return text_of(random.randrange(len(LINES)), random.choice(lengths))


def any_valid(random: Random, *, turns: int = 8, long: tuple[int, ...] = LONG_LENGTHS) -> list[Message]:
    """A history that breaks no rule, ends at the newest user message or within its turn, and is numbered."""
    return numbered(*_unnumbered(random, turns=turns, long=long))


def _unnumbered(random: Random, *, turns: int, long: tuple[int, ...]) -> list[Message]:
    messages: list[Message] = []
    wanted = random.randint(1, turns)
    for number in range(wanted):
        turn = f"t{number}"
        messages.append(user(any_text(random), turn=turn, media=("ab12",) if random.random() < 0.03 else ()))
        if number < wanted - 1 or random.random() < 0.5:
            messages += _rounds(random, turn)
        if number < wanted - 1:
            messages.append(answer(any_text(random), turn=turn))
    if random.random() < 0.15:
        _make_long(random, messages, lengths=long)
    return messages


def _rounds(random: Random, turn: str) -> Iterable[Message]:
    for round_ in range(random.choice((0, 0, 0, 1, 1, 2, 3))):
        ids = [f"{turn}/{round_}/{index}" for index in range(random.choice((1, 1, 2, 3)))]
        text = any_text(random) if random.random() < 0.3 else ""
        yield calls(*ids, turn=turn, text=text, arguments=random.choice(ARGUMENTS))
        for id_ in ids:
            yield result(id_, any_text(random), turn=turn)


def _make_long(random: Random, messages: list[Message], *, lengths: tuple[int, ...]) -> None:
    place = random.randrange(len(messages))
    messages[place] = _with_content(messages[place], any_text(random, lengths=lengths))


def _with_content(message: Message, content: str) -> Message:
    tokens = message.tokens and message.tokens - tokens_of(message.content) + tokens_of(content)
    return replace(message, content=content, tokens=tokens)


def _with_calls(message: AssistantMessage, made: tuple[ToolCall, ...]) -> AssistantMessage:
    each = (CALL_TOKENS + tokens_of(call.name) + tokens_of(call.arguments) for call in made)
    return replace(message, tool_calls=made, tokens=MESSAGE_TOKENS + tokens_of(message.content) + sum(each))


def any_damaged(random: Random, *, turns: int = 8, long: tuple[int, ...] = LONG_LENGTHS) -> list[Message]:
    """A history to which one to six of the known faults have happened."""
    messages = _unnumbered(random, turns=turns, long=long)
    for _ in range(random.randint(1, 6)):
        if messages:
            random.choice(DAMAGES)(random, messages)
    return numbered(*messages)


def _drop(random: Random, messages: list[Message]) -> None:
    del messages[random.randrange(len(messages))]


def _drop_start(random: Random, messages: list[Message]) -> None:
    del messages[: random.randint(1, len(messages))]


def _duplicate(random: Random, messages: list[Message]) -> None:
    messages.insert(random.randint(0, len(messages)), random.choice(messages))


def _double_in_place(random: Random, messages: list[Message]) -> None:
    place = random.randrange(len(messages))
    messages.insert(place, messages[place])


def _swap(random: Random, messages: list[Message]) -> None:
    one, other = random.randrange(len(messages)), random.randrange(len(messages))
    messages[one], messages[other] = messages[other], messages[one]


def _empty(random: Random, messages: list[Message]) -> None:
    place = random.randrange(len(messages))
    messages[place] = _with_content(messages[place], random.choice(BLANKS))


def _insert(random: Random, messages: list[Message]) -> None:
    stray = random.choice(
        (
            user("and another thing"),
            user(""),
            answer("as I said"),
            answer(""),
            result("nobody", "stray"),
            result("", "no id"),
            calls("t0/0/0"),
            calls("late", "late"),
            calls("", text="hm"),
        )
    )
    messages.insert(random.randint(0, len(messages)), stray)


def _surrogate(random: Random, messages: list[Message]) -> None:
    place = random.randrange(len(messages))
    message, bad = messages[place], random.choice(SURROGATES)
    if isinstance(message, AssistantMessage) and message.tool_calls:
        field = random.choice(("id", "name", "arguments"))
        call = message.tool_calls[0]
        mended = replace(call, **{field: getattr(call, field) + bad})
        messages[place] = _with_calls(message, (mended, *message.tool_calls[1:]))
    elif isinstance(message, ToolMessage) and random.random() < 0.5:
        messages[place] = replace(message, tool_call_id=message.tool_call_id + bad)
    else:
        messages[place] = _with_content(message, message.content + bad)


def _rename(random: Random, messages: list[Message]) -> None:
    place = random.randrange(len(messages))
    message, id_ = (
        messages[place],
        random.choice(("", " ", "t0/0/0", "t1/0/0", "call_2_0", "call_4_0", "run:0")),
    )
    if isinstance(message, AssistantMessage) and message.tool_calls:
        made = list(message.tool_calls)
        index = random.randrange(len(made))
        made[index] = replace(made[index], id=id_)
        messages[place] = replace(message, tool_calls=tuple(made))
    elif isinstance(message, ToolMessage):
        messages[place] = replace(message, tool_call_id=id_)


def _rename_all(_random: Random, messages: list[Message]) -> None:
    """A model that begins to count anew in every turn."""
    for place, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            made = tuple(replace(call, id=f"run:{index}") for index, call in enumerate(message.tool_calls))
            messages[place] = replace(message, tool_calls=made)
        elif isinstance(message, ToolMessage):
            messages[place] = replace(message, tool_call_id=f"run:{message.tool_call_id.rpartition('/')[2]}")


def _break_call(random: Random, messages: list[Message]) -> None:
    for place, message in enumerate(messages):
        if isinstance(message, AssistantMessage) and message.tool_calls:
            name = random.choice(("", "fetch", "two words", "n" * 90))
            broken = replace(message.tool_calls[0], name=name, arguments=random.choice(BROKEN_ARGUMENTS))
            messages[place] = _with_calls(message, (broken, *message.tool_calls[1:]))
            if random.random() < 0.5:
                return


def _end_early(random: Random, messages: list[Message]) -> None:
    del messages[random.randrange(len(messages)) :]


def _forget_counts(random: Random, messages: list[Message]) -> None:
    for place, message in enumerate(messages):
        if random.random() < 0.3 and len(message.content) < 4000:
            messages[place] = replace(message, tokens=0)


def _forget_turns(_random: Random, messages: list[Message]) -> None:
    messages[:] = [replace(message, turn="") for message in messages]


def _one_turn(_random: Random, messages: list[Message]) -> None:
    messages[:] = [replace(message, turn="t0") for message in messages]


DAMAGES: tuple[Damage, ...] = (
    _drop,
    _drop_start,
    _duplicate,
    _double_in_place,
    _swap,
    _empty,
    _insert,
    _surrogate,
    _rename,
    _rename_all,
    _break_call,
    _end_early,
    _forget_counts,
    _forget_turns,
    _one_turn,
)

_choices = {
    "random": st.randoms(use_true_random=False),
    "turns": st.integers(1, 4),
    "long": st.just(PRINTABLE_LENGTHS),
}
valid_history = st.builds(any_valid, **_choices)
damaged_history = st.builds(any_damaged, **_choices)
