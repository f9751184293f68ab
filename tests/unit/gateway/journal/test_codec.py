"""Messages as bytes, and back."""

import json
from dataclasses import asdict
from datetime import timedelta, timezone

from hypothesis import given, settings
from hypothesis import strategies as st

from channels.messages import Attachment, ChatKind, Choice, Entrance, Quoted, SessionKey
from gateway.journal.codec import (
    decode_data,
    decode_inbound,
    decode_outbound,
    decode_time,
    encode,
    encode_time,
    legal,
)
from tests.helpers.journals import NOON, inbound, outbound

TEXTS = st.text(max_size=8)
ANY_TEXTS = st.text(st.characters() | st.characters(categories=["Cs"]), max_size=8)
TIMES = st.datetimes(timezones=st.sampled_from([timezone(timedelta(hours=hours)) for hours in (-8, 0, 9)]))
ATTACHMENTS = st.lists(
    st.builds(Attachment, name=TEXTS, mime=TEXTS, size=st.integers(0, 9), media=st.none() | TEXTS), max_size=2
).map(tuple)
INBOUND = st.builds(
    inbound,
    TEXTS,
    text=TEXTS,
    received_at=TIMES,
    chat_kind=st.sampled_from(ChatKind),
    entrance=st.sampled_from(Entrance),
    attachments=ATTACHMENTS,
    quoted=st.none() | st.builds(Quoted, text=TEXTS, sender_name=TEXTS),
    ready_at=st.none() | TIMES,
    session_key=TEXTS.map(SessionKey),
)
OUTBOUND = st.builds(
    outbound,
    TEXTS,
    st.integers(0, 9),
    text=TEXTS,
    answers=st.lists(TEXTS, max_size=2).map(tuple),
    attachments=ATTACHMENTS,
    choices=st.lists(st.builds(Choice, label=TEXTS, value=TEXTS), max_size=2).map(tuple),
    seq=st.none() | st.integers(0, 9),
)


@given(message=INBOUND)
@settings(deadline=None)
def test_an_inbound_message_comes_back_equal(message: object) -> None:
    assert decode_inbound(encode(message)) == message


@given(message=OUTBOUND)
@settings(deadline=None)
def test_an_outbound_message_comes_back_equal(message: object) -> None:
    assert decode_outbound(encode(message)) == message


@given(text=ANY_TEXTS)
@settings(deadline=None)
def test_any_text_is_written_and_harmless_when_it_is_read(text: str) -> None:
    read = decode_inbound(encode(inbound("a", text=text, quoted=Quoted(text=text, sender_name=text))))

    assert read.text == legal(text)
    assert read.quoted == Quoted(text=legal(text), sender_name=legal(text))
    assert read.text.encode().decode() == legal(legal(text))


@given(text=TEXTS)
@settings(deadline=None)
def test_legal_text_is_left_alone(text: str) -> None:
    assert legal(text) == text


@given(first=TIMES, second=TIMES)
@settings(deadline=None)
def test_times_come_back_and_sort_as_text(first: object, second: object) -> None:
    times = [first, second]

    assert [decode_time(encode_time(time)) for time in times] == times  # type: ignore[arg-type] # a strategy's value
    assert sorted(map(encode_time, times)) == [encode_time(time) for time in sorted(times)]  # type: ignore[arg-type, type-var] # the same


def test_fields_of_a_newer_program_are_left_out() -> None:
    message = inbound("a", attachments=(Attachment(name="n", mime="m", size=1),))
    written = json.loads(encode(message))
    written |= {"mood": "fine", "attachments": [written["attachments"][0] | {"colour": "blue"}]}

    assert decode_inbound(json.dumps(written).encode()) == message


def test_fields_that_an_older_program_did_not_write_have_their_defaults() -> None:
    needed = ("id", "channel", "chat_id", "sender_id", "text")
    fields = {name: asdict(inbound("a"))[name] for name in needed} | {"received_at": NOON.isoformat()}
    part = {"id": "t", "channel": "telegram", "chat_id": "42", "text": "reply 0 to t"}

    assert decode_inbound(json.dumps(fields).encode()) == inbound("a", session="")
    assert decode_outbound(json.dumps(part).encode()) == outbound("t")


def test_free_data_with_surrogates_anywhere_is_written() -> None:
    data = {"\udc80": ["\udc80", {"deep": ("\udc80", 1, None, 2.5, True)}]}

    assert decode_data(encode(data)) == {"\\udc80": ["\\udc80", {"deep": ["\\udc80", 1, None, 2.5, True]}]}
