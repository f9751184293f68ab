"""A Telegram update, as plain JSON, becomes one of our messages or is not for us."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from channels.messages import ChatKind, InboundMessage, Quoted
from channels.payloads import Json, mapping, number_of, text_of
from channels.telegram.content import attachments_of, text_shown
from channels.telegram.mentions import Me, addressed_elsewhere, mentioned

ALLOWED_UPDATES = ("message", "edited_message", "callback_query")
"""What we ask Telegram for: everything else would only be thrown away."""

GENERAL_TOPIC = "1"
"""A forum's General topic; its messages carry no thread id, and none may be given when sending to it."""

ALBUM_WAIT = timedelta(seconds=2)
"""The pictures of an album arrive as messages of their own, within about two seconds."""

_CHAT_KINDS = {"private": ChatKind.DIRECT, "group": ChatKind.GROUP, "supergroup": ChatKind.GROUP}

Handle = Callable[[Json], Awaitable[None]]
"""Takes one update in; when it returns, the update need never come again."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is known besides the message itself."""

    channel: str
    me: Me
    names: tuple[str, ...]
    now: datetime
    update_id: int


def parse_update(
    update: Json, *, me: Me, now: datetime, names: tuple[str, ...] = (), channel: str = "telegram"
) -> InboundMessage | None:
    """The message in an update; None for service messages, other bots, channels and unknown kinds.

    An edit has an id of its own and names the message in `edit_of`. Whatever is missing or of an unexpected
    type is taken as absent.
    """
    reading = _Reading(channel, me, names, now, number_of(update.get("update_id")) or 0)
    if message := mapping(update.get("message")):
        return _message(message, reading)
    if message := mapping(update.get("edited_message")):
        return _message(message, reading, edited=True)
    if query := mapping(update.get("callback_query")):
        return _press(query, reading)
    return None


def callback_id(update: Json) -> str | None:
    """What must be answered so that a pressed button stops waiting."""
    return text_of(mapping(update.get("callback_query")).get("id")) or None


def _message(message: Json, reading: _Reading, *, edited: bool = False) -> InboundMessage | None:
    chat = mapping(message.get("chat"))
    sender_id, sender_name = _sender(message)
    kind = _CHAT_KINDS.get(str(chat.get("type")))
    text, attachments = text_shown(message), attachments_of(message)
    if (
        kind is None
        or sender_id is None
        or not (text or attachments)
        or addressed_elsewhere(message, reading.me)
    ):
        return None
    chat_id, message_id = number_of(chat.get("id")), number_of(message.get("message_id"))
    if chat_id is None or message_id is None:
        return None
    own_id = f"{reading.channel}:{chat_id}/{message_id}"
    reply = _replied(message)
    album = text_of(message.get("media_group_id"))
    return InboundMessage(
        id=f"{own_id}/{number_of(message.get('edit_date')) or reading.update_id}" if edited else own_id,
        channel=reading.channel,
        chat_id=str(chat_id),
        chat_kind=kind,
        thread_id=_thread(message, chat),
        sender_id=sender_id,
        sender_name=sender_name,
        text=text,
        attachments=attachments,
        received_at=_sent_at(message, reading.now),
        addressed=kind is ChatKind.DIRECT
        or mentioned(message, reading.me, names=reading.names)
        or _sender_id(reply) == str(reading.me.id),
        reply_to=str(reply["message_id"]) if reply else None,
        quoted=_quoted(message, reply),
        edit_of=own_id if edited else None,
        delivery_id=_delivery_id(reading),
        group_id=f"{reading.channel}:{chat_id}/album/{album}" if album else None,
        ready_at=reading.now + ALBUM_WAIT if album else None,
        forwarded_from=_forwarded_from(message),
        language=text_of(mapping(message.get("from")).get("language_code")) or None,
        platform_id=str(message_id),
    )


def _press(query: Json, reading: _Reading) -> InboundMessage | None:
    """A pressed button says what the button stands for, in the name of who pressed it."""
    message, sender = mapping(query.get("message")), mapping(query.get("from"))
    chat = mapping(message.get("chat"))
    chat_id, sender_id = number_of(chat.get("id")), number_of(sender.get("id"))
    text = text_of(query.get("data"))
    kind = _CHAT_KINDS.get(str(chat.get("type")))
    if kind is None or chat_id is None or sender_id is None or not text:
        return None
    return InboundMessage(
        id=f"{reading.channel}:{chat_id}/press/{text_of(query.get('id')) or reading.update_id}",
        channel=reading.channel,
        chat_id=str(chat_id),
        chat_kind=kind,
        thread_id=_thread(message, chat),
        sender_id=str(sender_id),
        sender_name=_person_name(sender),
        text=text,
        received_at=reading.now,
        reply_to=str(message["message_id"]) if number_of(message.get("message_id")) else None,
        delivery_id=_delivery_id(reading),
        language=text_of(sender.get("language_code")) or None,
    )


def _delivery_id(reading: _Reading) -> str | None:
    return f"{reading.channel}:update:{reading.me.id}:{reading.update_id}" if reading.update_id else None


def _sender(message: Json) -> tuple[str | None, str]:
    """Who speaks, by an id that never changes hands; a group's anonymous admin is the group itself.

    Nobody, when it is another bot, or a channel's post that Telegram copied into its discussion group.
    """
    behind, person = mapping(message.get("sender_chat")), mapping(message.get("from"))
    if message.get("is_automatic_forward") is True:
        return None, ""
    if number := number_of(behind.get("id")):
        return str(number), text_of(behind.get("title")) or text_of(behind.get("username"))
    if person.get("is_bot") is True or number_of(person.get("id")) is None:
        return None, ""
    return str(person["id"]), _person_name(person)


def _person_name(person: Json) -> str:
    full = f"{text_of(person.get('first_name'))} {text_of(person.get('last_name'))}".strip()
    return full or text_of(person.get("username"))


def _sender_id(message: Json) -> str | None:
    number = number_of(mapping(message.get("from")).get("id"))
    return None if number is None else str(number)


def _thread(message: Json, chat: Json) -> str | None:
    """The topic; a plain group puts a thread id on mere replies, which make no session of their own."""
    thread = number_of(message.get("message_thread_id"))
    if message.get("is_topic_message") is True and thread is not None:
        return str(thread)
    return GENERAL_TOPIC if chat.get("is_forum") is True else None


def _replied(message: Json) -> Json:
    """The message that was replied to; in a topic, everything hangs on the topic's first service message."""
    reply = mapping(message.get("reply_to_message"))
    if number_of(reply.get("message_id")) is None or "forum_topic_created" in reply:
        return {}
    return reply


def _quoted(message: Json, reply: Json) -> Quoted | None:
    text = text_of(mapping(message.get("quote")).get("text")) or text_shown(reply)
    if not text:
        return None
    name = _person_name(mapping(reply.get("from"))) or text_of(mapping(reply.get("sender_chat")).get("title"))
    return Quoted(text=text, sender_name=name)


def _forwarded_from(message: Json) -> str | None:
    origin = mapping(message.get("forward_origin"))
    if not origin:
        return None
    chat = mapping(origin.get("sender_chat")) or mapping(origin.get("chat"))
    name = _person_name(mapping(origin.get("sender_user"))) or text_of(chat.get("title"))
    return name or text_of(origin.get("sender_user_name")) or "?"


def _sent_at(message: Json, now: datetime) -> datetime:
    """When it was written; a clock that is ahead of ours is not believed."""
    date = number_of(message.get("date"))
    return min(datetime.fromtimestamp(date, UTC), now) if date and 0 < date < 2**33 else now
