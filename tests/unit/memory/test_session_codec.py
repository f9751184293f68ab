import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.messages import AssistantMessage, Message, Provenance, ToolMessage, UserMessage
from memory.sessions.codec import (
    decode,
    encode,
    message_from_dict,
    message_to_dict,
    parse_time,
    tombstone,
    whole_number,
)
from memory.sessions.session import Mark
from memory.sessions.state import mark_from_dict, mark_to_dict, metadata_to_dict, session_from_metadata
from memory.sessions.text import text_of, whole
from tests.helpers.conversations import (
    CALIBRATIONS,
    EXTRAS,
    MARKS,
    NOON,
    TEXTS,
    VALUES,
    WHOLE_TEXTS,
    call,
    messages,
    new_session,
    say,
)


@given(messages(WHOLE_TEXTS))
@settings(deadline=None, max_examples=200)
def test_a_message_survives_the_way_to_a_line_and_back(message: Message) -> None:
    line = encode(message_to_dict(message))

    assert b"\n" not in line
    assert message_from_dict(decode(line)) == message


@given(messages(TEXTS))
@settings(deadline=None, max_examples=200)
def test_a_message_with_any_text_comes_back_whole(message: Message) -> None:
    line = encode(message_to_dict(message))

    line.decode("utf-8")
    assert message_from_dict(decode(line)) == whole(message)


@given(MARKS)
@settings(deadline=None)
def test_a_mark_survives_the_way_to_a_line_and_back(mark: Mark) -> None:
    assert mark_from_dict(decode(encode(mark_to_dict(mark)))) == mark


@given(
    summary=st.dictionaries(WHOLE_TEXTS, VALUES, max_size=3),
    metadata=st.dictionaries(WHOLE_TEXTS, VALUES, max_size=3),
    extra=EXTRAS,
    calibration=CALIBRATIONS,
    hidden=st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), max_size=3),
    pointer=st.integers(0, 9),
)
@settings(deadline=None)
def test_a_state_survives_the_way_to_a_line_and_back(**fields: Any) -> None:
    session = new_session()
    session.last_consolidated = fields.pop("pointer")
    for name, value in fields.items():
        setattr(session, name, value)
    session.last_seq = 9

    raw = decode(encode(metadata_to_dict(session)))

    assert session_from_metadata(raw, key=session.key, last_seq=9, tokens=0) == session


@given(st.dictionaries(st.sampled_from([*metadata_to_dict(new_session()), "x"]), VALUES))
@settings(deadline=None)
def test_metadata_of_any_kind_makes_a_session(raw: dict[str, Any]) -> None:
    session = session_from_metadata(raw, key="k", last_seq=5, tokens=1)

    assert 0 <= session.last_consolidated <= 5
    assert session.view_from >= 1
    assert encode(metadata_to_dict(session))


@given(
    st.dictionaries(
        st.sampled_from([*message_to_dict(call()), "media", "name", "is_error", "reasoning"]), VALUES
    )
)
@settings(deadline=None)
def test_an_object_with_a_role_is_a_message_whatever_else_it_says(raw: dict[str, Any]) -> None:
    for role in ("user", "assistant", "tool"):
        message = message_from_dict({**raw, "role": role}, at=NOON)

        assert message_from_dict(decode(encode(message_to_dict(message)))) == message


@pytest.mark.parametrize("role", ["system", "", None, 1, ["user"]])
def test_an_unknown_role_is_no_message(role: object) -> None:
    with pytest.raises(ValueError, match="expected user, assistant or tool"):
        message_from_dict({"role": role, "content": "x"})


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("as it is", "as it is"),
        (None, ""),
        ([], ""),
        ([{"type": "text", "text": "one"}, {"type": "text", "text": ""}, "two"], "one\ntwo"),
        ([{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}], "[image]"),
        (
            [{"type": "image_url", "image_url": {"url": "data:x"}, "_meta": {"path": "media/a.png"}}],
            "[image: media/a.png]",
        ),
        ([{"type": "image_url", "image_url": {"url": "https://x/a.png"}}], "[image: https://x/a.png]"),
        ([{"type": "input_image", "image_url": "a.png"}], "[image: a.png]"),
        ([{"type": "tool_result", "content": [{"type": "text", "text": "ok"}]}], "ok"),
        ([{"type": "audio"}, {}], "[audio]\n[part]"),
        ({"a": "é"}, '{"a": "é"}'),
        (3, "3"),
    ],
)
def test_content_of_any_shape_becomes_text(content: object, text: str) -> None:
    assert text_of(content) == text


def test_a_plain_line_is_a_message() -> None:
    raw = {"role": "user", "content": "hi", "timestamp": "2026-01-02T03:04:05Z", "name": "Ann"}
    message = message_from_dict(raw)

    assert isinstance(message, UserMessage)
    assert message.at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert (message.sender_name, message.sender, message.extra) == ("Ann", "Ann", {})


def test_arguments_that_are_an_object_become_json_text() -> None:
    function = {"name": "files", "arguments": {"path": "ä"}}
    message = message_from_dict(
        {"role": "assistant", "content": None, "tool_calls": [{"id": None, "function": function}, "?"]}
    )

    assert isinstance(message, AssistantMessage)
    [made] = message.tool_calls
    assert (made.id, made.name, json.loads(made.arguments)) == ("", "files", {"path": "ä"})


def test_another_programs_reasoning_is_reasoning() -> None:
    message = message_from_dict({"role": "assistant", "content": "x", "reasoning_content": "because"})

    assert isinstance(message, AssistantMessage)
    assert message.reasoning == "because"


@pytest.mark.parametrize(
    ("role", "expected"),
    [("user", Provenance.OWNER), ("assistant", Provenance.ASSISTANT), ("tool", Provenance.TOOL)],
)
def test_provenance_follows_the_role_where_it_is_missing(role: str, expected: Provenance) -> None:
    assert message_from_dict({"role": role, "content": ""}).provenance is expected


def test_an_unknown_provenance_is_trusted_least() -> None:
    raw = {"role": "user", "content": "", "provenance": "oracle"}

    assert message_from_dict(raw).provenance is Provenance.STRANGER


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-01-02T03:04:05Z", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2026-01-02T03:04:05+02:00", datetime(2026, 1, 2, 1, 4, 5, tzinfo=UTC)),
        ("2026-01-02T03:04:05", datetime(2026, 1, 2, 3, 4, 5).astimezone(UTC)),
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
        (1_700_000_000_500, datetime(2023, 11, 14, 22, 13, 20, 500_000, tzinfo=UTC)),
        (True, None),
        ("soon", None),
        (float("inf"), None),
        (1e300, None),
        (None, None),
    ],
)
def test_times_are_read_in_several_forms(value: object, expected: datetime | None) -> None:
    assert parse_time(value) == expected


def test_a_missing_time_is_the_one_given_or_now() -> None:
    raw = {"role": "user", "content": "x", "timestamp": "?"}

    assert message_from_dict(raw, at=NOON).at == NOON
    assert datetime.now(UTC) - message_from_dict(raw).at < timedelta(minutes=1)


@pytest.mark.parametrize(
    ("value", "number"), [(3, 3), (0, 0), (-1, 0), (True, 0), ("3", 0), (2.5, 0), (None, 0)]
)
def test_only_a_count_is_a_number(value: object, number: int) -> None:
    assert whole_number(value) == number


@pytest.mark.parametrize("line", [b"", b"[]", b"{", b"\xff{}", b'{"a":' * 9999, "nul"])
def test_what_is_no_object_is_said(line: bytes | str) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode(line)


@given(VALUES, TEXTS)
@settings(deadline=None)
def test_whole_values_are_left_alone(value: object, text: str) -> None:
    assert whole(value) is value
    assert whole(whole(text)) == whole(text)
    whole(text).encode("utf-8")


def test_halves_of_one_character_are_joined() -> None:
    assert whole("\ud83d\ude00") == "\U0001f600"
    assert whole(("a\udc80", {"k\ud800": ["\udfff"]})) == ("a\ufffd", {"k\ufffd": ["\ufffd"]})


def test_a_tombstone_has_no_words() -> None:
    message = say("melon", sender_name="melon", media=("melon",), extra={"melon": "melon"}, source_id="m1")
    reasoned = AssistantMessage(
        content="melon", at=NOON, reasoning="melon", tool_calls=call(arguments='"melon"').tool_calls
    )
    told = ToolMessage(content="melon", at=NOON, tool_call_id="c1", name="files", is_error=True)

    words: list[Message] = [message, reasoned, told]
    for grave in map(tombstone, words):
        assert "melon" not in repr(grave)
        assert grave.erased
    assert tombstone(told) == ToolMessage(
        content="", at=NOON, tool_call_id="c1", name="files", is_error=True, erased=True
    )
