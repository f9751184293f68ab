"""Sessions and messages for tests: made by hand, and drawn by hypothesis."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from hypothesis import strategies as st

from memory.messages import AssistantMessage, Message, Provenance, ToolCall, ToolMessage, UserMessage
from memory.sessions.session import Calibration, Mark, MarkKind, Session

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def new_session(key: str = "telegram:42", *, audience: str = "person-ann") -> Session:
    """A session in which nothing was said yet."""
    return Session(key=key, audience=audience, created_at=NOON, updated_at=NOON)


def say(text: str = "hello", **fields: Any) -> UserMessage:
    """A user's message of 3 tokens."""
    return UserMessage(**{"content": text, "at": NOON, "tokens": 3, "sender": "1001", **fields})


def answer(text: str = "hi", **fields: Any) -> AssistantMessage:
    """The assistant's message of 2 tokens."""
    return AssistantMessage(**{"content": text, "at": NOON, "tokens": 2, **fields})


def call(call_id: str = "c1", *, arguments: str = '{"path":"notes.txt"}') -> AssistantMessage:
    """The assistant's call of a tool."""
    return answer("", tool_calls=(ToolCall(id=call_id, name="files", arguments=arguments),))


def result(text: str = "eggs, milk", *, call_id: str = "c1", **fields: Any) -> ToolMessage:
    """What the tool answered, in 4 tokens."""
    return ToolMessage(content=text, at=NOON, tokens=4, tool_call_id=call_id, name="files", **fields)


def filled(count: int, key: str = "telegram:42", *, text: str = "message") -> Session:
    """A session with so many unsaved messages, a user's and the assistant's by turns."""
    session = new_session(key)
    for number in range(1, count + 1):
        session.add((say if number % 2 else answer)(f"{text} {number}"))
    return session


TEXTS = st.text(st.characters(), max_size=30)
WHOLE_TEXTS = st.text(st.characters(codec="utf-8"), max_size=30)
ZONES = st.sampled_from([UTC, timezone(timedelta(hours=-8))])
TIMES = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=ZONES)  # noqa: DTZ001 - the zone is drawn
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WHOLE_TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WHOLE_TEXTS, inner, max_size=3),
    max_leaves=5,
)
EXTRAS = st.dictionaries(WHOLE_TEXTS.map(lambda name: f"x{name}"), VALUES, max_size=3)


def messages(texts: st.SearchStrategy[str] = TEXTS) -> st.SearchStrategy[Message]:
    """Any message, unnumbered."""
    shared: dict[str, st.SearchStrategy[Any]] = {
        "content": texts,
        "at": TIMES,
        "tokens": st.integers(0, 10**6),
        "sender": texts,
        "turn": texts,
        "extra": EXTRAS,
        "provenance": st.sampled_from(Provenance),
    }
    calls = st.builds(ToolCall, id=texts, name=texts, arguments=texts)
    return (
        st.builds(
            UserMessage,
            **shared,
            source_id=texts,
            sender_name=texts,
            media=st.lists(texts, max_size=2).map(tuple),
        )
        | st.builds(
            AssistantMessage, **shared, reasoning=texts, tool_calls=st.lists(calls, max_size=3).map(tuple)
        )
        | st.builds(ToolMessage, **shared, tool_call_id=texts, name=texts, is_error=st.booleans())
    )


NUMBERS = st.integers(1, 9)
MARKS = st.builds(Mark, kind=st.just(MarkKind.VIEW_FROM), from_seq=NUMBERS, at=TIMES) | st.builds(
    Mark, kind=st.just(MarkKind.HIDDEN), from_seq=NUMBERS, to_seq=NUMBERS, at=TIMES
)
CALIBRATIONS = st.builds(Calibration, factor=st.floats(0.1, 10), window_cap=st.integers(0, 10**6))
