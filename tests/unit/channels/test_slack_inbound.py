from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.messages import Attachment, ChatKind, InboundMessage, Quoted
from channels.slack.inbound import Identity, Reading, read, users_in

READING = Reading(
    channel="slack",
    identity=Identity(user_id="UBOT", team_id="T1"),
    received_at=datetime(2026, 1, 1, tzinfo=UTC),
    names={"U1": "ann", "U2": "bob"},
)


def event(**fields: Any) -> dict[str, Any]:
    return {
        "type": "event_callback",
        "event_id": "Ev1",
        "team_id": "T1",
        "event": {"type": "message", "channel": "C1", "user": "U1", "ts": "1.1", "text": "hello", **fields},
    }


def message(**fields: Any) -> InboundMessage | None:
    return read(event(**fields), reading=READING)


def taken(**fields: Any) -> InboundMessage:
    found = message(**fields)
    assert found is not None
    return found


def changed(inner: dict[str, Any], previous: dict[str, Any] | None = None) -> InboundMessage | None:
    return message(
        subtype="message_changed", user=None, text=None, message=inner, previous_message=previous or {}
    )


def test_a_direct_message_is_said_to_us_and_has_no_thread() -> None:
    found = taken(channel="D1", channel_type="im")

    assert found.addressed
    assert found.chat_kind is ChatKind.DIRECT
    assert found.thread_id is None
    assert found.id == "slack:T1/D1/1.1"
    assert found.delivery_id == "slack:event:Ev1"


def test_a_thread_that_the_person_opened_in_a_direct_chat_is_kept() -> None:
    assert taken(channel="D1", channel_type="im", ts="2.2", thread_ts="1.1").thread_id == "1.1"


def test_a_group_message_is_in_its_thread_or_opens_one() -> None:
    assert taken().thread_id == "1.1"
    assert taken(ts="2.2", thread_ts="1.1").thread_id == "1.1"
    assert taken(ts="2.2", thread_ts="1.1").reply_to == "1.1"
    assert taken(ts="1.1", thread_ts="1.1").reply_to is None


def test_both_announcements_of_a_mention_give_the_same_message() -> None:
    plain = taken(text="<@UBOT> hello", channel_type="channel")
    mention = taken(type="app_mention", text="<@UBOT> hello")

    assert plain == mention
    assert plain.text == "hello"
    assert plain.addressed


def test_other_mentions_are_readable() -> None:
    assert taken(text="<@UBOT> ask <@U2> or <@U9>").text == "ask @bob or @U9"


@pytest.mark.parametrize(
    "fields",
    [
        {"bot_id": "BOTHER"},
        {"type": "app_mention", "bot_id": "BOTHER"},
        {"bot_profile": {"id": "BOTHER"}},
        {"subtype": "bot_message", "user": None, "bot_id": "BOTHER"},
        {"user": "UBOT"},
        {"user": "USLACKBOT"},
        {"subtype": "channel_join"},
        {"subtype": "channel_topic"},
        {"subtype": "message_deleted", "deleted_ts": "1.1"},
        {"subtype": "message_replied", "message": {"user": "U1", "text": "x", "ts": "1.1"}},
        {"text": ""},
        {"text": "  "},
        {"text": "<@UBOT>"},
        {"text": None},
        {"type": "reaction_added"},
        {"channel": None},
        {"ts": 1},
    ],
)
def test_what_no_person_said_to_anybody_is_no_message(fields: dict[str, Any]) -> None:
    assert message(**fields) is None


def test_a_preview_of_our_own_link_is_no_question() -> None:
    ours = {"bot_id": "BBOT", "user": "UBOT", "text": "see https://a.org", "ts": "1.1"}

    assert changed(ours, {"text": "see"}) is None


def test_an_app_that_edits_its_message_is_no_question() -> None:
    theirs = {"bot_id": "BOTHER", "user": "UO", "text": "<@UBOT> 2", "ts": "1.1", "edited": {"ts": "2.0"}}

    assert changed(theirs, {"text": "<@UBOT> 1"}) is None


def test_a_preview_of_a_persons_link_is_no_edit() -> None:
    theirs = {
        "user": "U1",
        "text": "see https://a.org",
        "ts": "1.1",
        "attachments": [{"from_url": "https://a.org"}],
    }

    assert changed(theirs, theirs) is None
    assert changed({**theirs, "edited": {"ts": "2.0"}}, theirs) is None


def test_an_edit_has_an_id_of_its_own_and_names_the_original() -> None:
    found = changed({"user": "U1", "text": "new", "ts": "1.1", "edited": {"ts": "2.0"}}, {"text": "old"})

    assert found is not None
    assert (found.id, found.edit_of, found.text) == ("slack:T1/C1/1.1/2.0", "slack:T1/C1/1.1", "new")
    assert found.thread_id == "1.1"


def test_files_come_along_even_without_words() -> None:
    file = {
        "id": "F1",
        "name": "a.png",
        "mimetype": "image/png",
        "size": 7,
        "url_private": "https://files.slack.com/a",
    }
    found = taken(
        subtype="file_share", text="", files=[file, {"id": "F2", "mode": "tombstone"}, {"id": "F3"}]
    )

    assert found.text == ""
    assert found.attachments == (
        Attachment(name="a.png", mime="image/png", size=7, remote_id="https://files.slack.com/a"),
    )


def test_a_shared_message_is_quoted() -> None:
    share = {"is_share": True, "text": "we ship &amp; celebrate", "author_name": "Bob"}
    found = taken(channel="D1", text="", attachments=[share])

    assert found.quoted == Quoted(text="we ship & celebrate", sender_name="Bob")
    assert found.forwarded_from == "Bob"
    assert found.text == "we ship & celebrate"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("!new", "/new"),
        ("<@UBOT> !remind me", "/remind me"),
        ("!!!", "!!!"),
        ("! no", "! no"),
        ("say !new", "say !new"),
    ],
)
def test_an_exclamation_mark_starts_a_command(text: str, expected: str) -> None:
    assert taken(text=text).text == expected


def test_the_workspace_is_that_of_the_person_and_not_of_the_channel() -> None:
    """In a channel that companies share, a guest is no member of our workspace."""
    guest = taken(team="T2", user_team="T2")

    assert guest.workspace == "T2"
    assert guest.id == "slack:T1/C1/1.1"
    assert taken().workspace == "T1"


def test_a_slash_command_is_a_message() -> None:
    body = {
        "command": "/mneme",
        "text": "",
        "channel_id": "D1",
        "user_id": "U1",
        "trigger_id": "9.9",
        "team_id": "T1",
    }
    bare = read(body, reading=READING)
    status = read({**body, "text": "/status"}, reading=READING)

    assert bare is not None
    assert status is not None
    assert (bare.text, status.text) == ("/help", "/status")
    assert bare.id == "slack:T1/D1/9.9"


def test_the_names_that_a_message_needs_are_those_of_its_sender_and_its_mentions() -> None:
    assert users_in(event(text="<@U2> and <@U3|c>")) == {"U1", "U2", "U3"}
    assert users_in({"command": "/mneme"}) == set()


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_NAMES = ("type", "subtype", "channel", "channel_type", "user", "bot_id", "ts", "thread_ts", "text")
_KEYS = st.sampled_from((*_NAMES, "message", "previous_message", "edited", "files", "attachments"))
_WORDS = st.sampled_from(["message", "app_mention", "message_changed", "C1", "U1", "1.1", "im"])


@settings(deadline=None, max_examples=300)
@given(
    st.dictionaries(_KEYS, _WORDS | _JSON, max_size=8), st.sampled_from(["event_callback", "block_actions"])
)
def test_no_shape_of_an_event_is_an_error(fields: dict[str, Any], kind: str) -> None:
    body = {"type": kind, "event": fields, "actions": fields.get("files"), "channel": fields, "user": fields}
    found = read(body, reading=READING)

    assert found is None or found.text or found.attachments
    users_in(body)
