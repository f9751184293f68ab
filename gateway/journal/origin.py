"""Where a job or a reminder comes from, so that what comes of it goes back to that chat, thread and person."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from channels.messages import Entrance, InboundMessage
from gateway.journal.codec import decode_data, decode_inbound, encode
from memory.sessions.codec import parse_time


def origin_of(message: InboundMessage, *, language: str) -> dict[str, Any]:
    """The place, the person and the language of a message, without its words: those are kept in one place only."""
    place = InboundMessage(
        id=message.id,
        channel=message.channel,
        chat_id=message.chat_id,
        chat_kind=message.chat_kind,
        thread_id=message.thread_id,
        sender_id=message.sender_id,
        text="",
        received_at=message.received_at,
        session_key=message.session_key,
        language=language,
        person=message.person,
        workspace=message.workspace,
    )
    return decode_data(encode(place))


def person_of(origin: Mapping[str, Any]) -> str | None:
    """The person who asked for it; None where it was not made in a chat."""
    return _place(origin).get("person")


def asked_at(origin: Mapping[str, Any]) -> datetime | None:
    """When the message came that asked for it."""
    return parse_time(_place(origin).get("received_at"))


def message_from(
    origin: Mapping[str, Any], *, message_id: str, entrance: Entrance, text: str, at: datetime
) -> InboundMessage:
    """A message of ours that goes where the origin came from and is in nobody's name but ours."""
    return replace(
        decode_inbound(encode(origin)), id=message_id, entrance=entrance, text=text, received_at=at
    )


def _place(origin: Mapping[str, Any]) -> Mapping[str, Any]:
    place = origin.get("message")
    return place if isinstance(place, Mapping) else {}
