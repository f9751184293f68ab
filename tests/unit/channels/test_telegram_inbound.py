"""Updates become messages; nothing here needs a server."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.messages import Attachment, InboundMessage, Quoted, Scope, session_key
from channels.telegram.inbound import parse_update
from channels.telegram.mentions import Me
from channels.telegram.pastes import Pastes

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
ME = Me(1000, "mneme_bot")
GROUP = {"id": -100, "type": "supergroup"}


def update(*, edited: Any = False, **fields: Any) -> dict[str, Any]:
    message = {
        "message_id": 5,
        "date": int(NOW.timestamp()),
        "chat": {"id": 7, "type": "private"},
        "from": {
            "id": 7,
            "is_bot": False,
            "first_name": "Ann",
            "last_name": "Lee",
            "language_code": "zh-hans",
        },
        **fields,
    }
    return {"update_id": 9, "edited_message" if edited else "message": message}


def parsed(given_update: dict[str, Any], **options: Any) -> InboundMessage:
    message = parse_update(given_update, me=ME, now=NOW, **options)
    assert message is not None
    return message


def mention(text: str, name: str, kind: str = "mention", **more: Any) -> list[dict[str, Any]]:
    offset = len(text.partition(name)[0].encode("utf-16-le")) // 2
    return [{"type": kind, "offset": offset, "length": len(name.encode("utf-16-le")) // 2, **more}]


def test_a_text_carries_who_wrote_it_where_and_when() -> None:
    message = parsed(update(text="hi"))

    assert message == InboundMessage(
        id="telegram:7/5",
        channel="telegram",
        chat_id="7",
        sender_id="7",
        sender_name="Ann Lee",
        text="hi",
        received_at=NOW,
        delivery_id="telegram:update:1000:9",
        language="zh-hans",
        platform_id="5",
    )


@pytest.mark.parametrize(
    ("fields", "addressed"),
    [
        ({"text": "hello all"}, False),
        ({"text": "😀 @Mneme_Bot hi", "entities": mention("😀 @Mneme_Bot hi", "@Mneme_Bot")}, True),
        ({"text": "@other hi", "entities": mention("@other hi", "@other")}, False),
        ({"text": "hey M", "entities": mention("hey M", "M", "text_mention", user={"id": 1000})}, True),
        ({"text": "hey M", "entities": mention("hey M", "M", "text_mention", user={"id": 1001})}, False),
        (
            {
                "caption": "see @mneme_bot",
                "caption_entities": mention("see @mneme_bot", "@mneme_bot"),
                "photo": [{"file_id": "p"}],
            },
            True,
        ),
        (
            {
                "text": "/new@mneme_bot",
                "entities": mention("/new@mneme_bot", "/new@mneme_bot", "bot_command"),
            },
            True,
        ),
        ({"text": "yes", "reply_to_message": {"message_id": 4, "from": {"id": 1000}, "text": "?"}}, True),
        ({"text": "yes", "reply_to_message": {"message_id": 4, "from": {"id": 1002}, "text": "?"}}, False),
        ({"text": "Mneme, are you there"}, True),
        ({"text": "mnemebot is something else"}, False),
        ({"text": "你好小忆在吗"}, True),
    ],
)
def test_in_a_group_only_what_names_the_bot_is_addressed(fields: dict[str, Any], *, addressed: bool) -> None:
    message = parsed(update(chat=GROUP, **fields), names=("mneme", "小忆"))

    assert message.addressed is addressed


def test_a_command_for_another_bot_is_not_ours() -> None:
    text = "/new@other_bot"

    assert (
        parse_update(
            update(chat=GROUP, text=text, entities=mention(text, text, "bot_command")), me=ME, now=NOW
        )
        is None
    )


def test_an_edit_names_the_message_it_replaces_and_has_an_id_of_its_own() -> None:
    message = parsed(update(edited=True, text="better", edit_date=77))

    assert (message.id, message.edit_of, message.text) == ("telegram:7/5/77", "telegram:7/5", "better")


def test_a_thread_id_on_a_reply_in_a_plain_group_makes_no_session() -> None:
    plain = parsed(update(chat=GROUP, text="a"))
    reply = parsed(update(chat=GROUP, text="b", message_thread_id=42))

    assert session_key(reply, scope=Scope.THREAD) == session_key(plain, scope=Scope.THREAD) == "telegram:-100"


def test_topics_of_a_forum_are_apart_and_general_is_topic_one() -> None:
    forum = GROUP | {"is_forum": True}
    topic = parsed(update(chat=forum, text="a", message_thread_id=11, is_topic_message=True))
    general = parsed(update(chat=forum, text="b", message_thread_id=42))

    assert (topic.thread_id, general.thread_id) == ("11", "1")


def test_the_first_message_of_a_topic_is_no_question_that_was_replied_to() -> None:
    created = {"message_id": 11, "from": {"id": 1000}, "forum_topic_created": {"name": "x"}}
    fields = {"message_thread_id": 11, "is_topic_message": True, "reply_to_message": created}
    message = parsed(update(chat=GROUP | {"is_forum": True}, text="a", **fields))

    assert (message.reply_to, message.quoted, message.addressed) == (None, None, False)


def test_a_reply_quotes_what_it_answers() -> None:
    replied = {"message_id": 4, "from": {"id": 1002, "first_name": "Bo"}, "text": "long text"}
    whole = parsed(update(text="why", reply_to_message=replied))
    part = parsed(update(text="why", reply_to_message=replied, quote={"text": "long"}))

    assert (whole.reply_to, whole.quoted) == ("4", Quoted(text="long text", sender_name="Bo"))
    assert part.quoted == Quoted(text="long", sender_name="Bo")


@pytest.mark.parametrize(
    ("origin", "name"),
    [
        ({"type": "user", "sender_user": {"id": 3, "first_name": "Cy"}}, "Cy"),
        ({"type": "hidden_user", "sender_user_name": "Someone"}, "Someone"),
        ({"type": "channel", "chat": {"id": -5, "title": "News"}}, "News"),
        ({"type": "chat", "sender_chat": {"id": -6, "title": "Club"}}, "Club"),
        ({"type": "new kind"}, "?"),
    ],
)
def test_a_forwarded_text_says_whose_it_is(origin: dict[str, Any], name: str) -> None:
    assert parsed(update(text="x", forward_origin=origin)).forwarded_from == name


@pytest.mark.parametrize(
    ("fields", "attachment"),
    [
        (
            {"voice": {"file_id": "v", "file_size": 3}},
            Attachment(name="voice.ogg", mime="audio/ogg", size=3, remote_id="v"),
        ),
        (
            {
                "photo": [
                    {"file_id": "s", "width": 9, "height": 9},
                    {"file_id": "l", "width": 90, "height": 90},
                ]
            },
            Attachment(name="photo.jpg", mime="image/jpeg", size=0, remote_id="l"),
        ),
        (
            {
                "document": {
                    "file_id": "d",
                    "file_name": "a.pdf",
                    "mime_type": "application/pdf",
                    "file_size": 1,
                }
            },
            Attachment(name="a.pdf", mime="application/pdf", size=1, remote_id="d"),
        ),
        (
            {"animation": {"file_id": "g", "mime_type": "video/mp4"}, "document": {"file_id": "g"}},
            Attachment(name="animation.mp4", mime="video/mp4", size=0, remote_id="g"),
        ),
    ],
)
def test_a_file_without_words_is_an_attachment_and_no_text(
    fields: dict[str, Any], attachment: Attachment
) -> None:
    """What makes a turn of it decides later; there is no made-up text."""
    message = parsed(update(**fields))

    assert (message.text, message.attachments) == ("", (attachment,))


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"sticker": {"file_id": "s", "emoji": "👍"}}, "👍"),
        ({"location": {"latitude": 52.5, "longitude": 13.4}}, "geo:52.5,13.4"),
        ({"contact": {"first_name": "Di", "phone_number": "+49"}}, "Di +49"),
        ({"poll": {"question": "Tea?", "options": [{"text": "yes"}, {"text": "no"}]}}, "Tea?\n- yes\n- no"),
    ],
)
def test_things_that_are_data_are_read_as_data(fields: dict[str, Any], text: str) -> None:
    assert parsed(update(**fields)).text == text


@pytest.mark.parametrize(
    "nothing",
    [
        {"update_id": 1},
        {"update_id": 1, "message_reaction": {"chat": {"id": 7}}},
        {
            "update_id": 1,
            "channel_post": {"message_id": 1, "chat": {"id": -5, "type": "channel"}, "text": "x"},
        },
        {"update_id": 1, "message": {"text": "no chat"}},
        {"update_id": 1, "message": None, "edited_message": "odd"},
        update(new_chat_members=[{"id": 3}]),
        update(text="beep", **{"from": {"id": 3, "is_bot": True}}),
        update(text="copied", is_automatic_forward=True, sender_chat={"id": -5}),
        {"update_id": 1, "callback_query": {"id": "q", "from": {"id": 3}, "data": "x"}},
    ],
)
def test_what_is_not_for_us_is_nothing(nothing: dict[str, Any]) -> None:
    assert parse_update(nothing, me=ME, now=NOW) is None


def test_an_anonymous_admin_is_the_group_itself() -> None:
    fields = {"from": {"id": 1087968824, "is_bot": True}, "sender_chat": {"id": -100, "title": "Club"}}
    message = parsed(update(chat=GROUP, text="x", **fields))

    assert (message.sender_id, message.sender_name) == ("-100", "Club")


def test_the_pictures_of_an_album_belong_together() -> None:
    album = [
        parsed(update(message_id=n, photo=[{"file_id": f"p{n}"}], media_group_id="55")) for n in (1, 2, 3)
    ]

    assert {message.group_id for message in album} == {"telegram:7/album/55"}
    assert {message.ready_at for message in album} == {NOW + timedelta(seconds=2)}


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
_FIELDS = [
    "message_id",
    "chat",
    "from",
    "text",
    "entities",
    "photo",
    "document",
    "reply_to_message",
    "quote",
    "date",
]
_FIELDS += [
    "message_thread_id",
    "is_topic_message",
    "forward_origin",
    "media_group_id",
    "sender_chat",
    "poll",
    "contact",
]


@given(st.dictionaries(st.sampled_from(_FIELDS), _JSON, max_size=6), st.booleans())
@settings(deadline=None, max_examples=60)
def test_no_shape_of_an_update_is_an_error(fields: dict[str, Any], edited: bool) -> None:
    parse_update(update(edited=edited, **fields), me=ME, now=NOW)


class Clock:
    now = NOW

    def __call__(self) -> datetime:
        return self.now


def typed(text: str, *, number: int = 1, seconds: float = 0, **fields: Any) -> InboundMessage:
    date = int((NOW + timedelta(seconds=seconds)).timestamp())
    message = parse_update(
        update(message_id=number, text=text, date=date, **fields), me=ME, now=NOW + timedelta(hours=1)
    )
    assert message is not None
    return message


def test_parts_of_a_long_paste_join_the_first_one() -> None:
    clock = Clock()
    pastes = Pastes(clock)
    joined = []
    for second, text in enumerate(["😀" * 2048, "b" * 4000, "c"]):
        clock.now = NOW + timedelta(seconds=second)
        joined.append(pastes.joined(typed(text, number=second + 1, seconds=second)))

    assert [message.group_id for message in joined] == ["telegram:7/1"] * 3
    assert [message.ready_at for message in joined] == [
        NOW + timedelta(seconds=second + 2) for second in range(3)
    ]


@pytest.mark.parametrize(
    ("text", "seconds", "fields"),
    [
        ("later", 9, {}),
        ("/stop", 1, {}),
        ("another sender", 1, {"from": {"id": 8}}),
    ],
)
def test_what_is_no_part_of_a_paste_stays_alone(text: str, seconds: float, fields: dict[str, Any]) -> None:
    pastes = Pastes(Clock())
    pastes.joined(typed("x" * 4096))

    assert pastes.joined(typed(text, number=2, seconds=seconds, **fields)).group_id is None


def test_nobody_who_goes_on_writing_quickly_makes_the_paste_before_wait() -> None:
    clock = Clock()
    pastes = Pastes(clock)
    joined = []
    for second, text in enumerate(["x" * 4096, "its end", "what do you think?", "well?"]):
        clock.now = NOW + timedelta(seconds=second)
        joined.append(pastes.joined(typed(text, number=second + 1, seconds=second)))

    assert [message.group_id is not None for message in joined] == [True, True, False, False]
    assert [message.ready_at for message in joined[2:]] == [None, None]


def test_messages_that_piled_up_are_no_paste_only_because_they_arrive_together() -> None:
    pastes = Pastes(Clock())
    pastes.joined(typed("x" * 4096))

    assert pastes.joined(typed("an hour later", number=2, seconds=3600)).group_id is None


def test_a_short_text_is_no_paste() -> None:
    assert Pastes(Clock()).joined(typed("x" * 4095)).group_id is None
