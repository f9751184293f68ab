"""Where a job or a reminder comes from, so that what comes of it goes back to that chat, thread and person."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Protocol, TypeVar

from channels.messages import Entrance, InboundMessage
from gateway.journal.codec import decode_data, decode_inbound, encode
from memory.sessions.codec import parse_time

SHORT = 8
"""Hexadecimal digits of a short id: enough for the jobs of one session, few enough to type."""


def short_id(long_id: str) -> str:
    """The name under which people and models see a job or a reminder."""
    return hashlib.sha256(long_id.encode("utf-8", "backslashreplace")).hexdigest()[:SHORT]


class Identified(Protocol):
    """What has an id: a job, a reminder."""

    @property
    def id(self) -> str:
        """The whole id."""


Named = TypeVar("Named", bound=Identified)


def find_named(name: str, among: Iterable[Named]) -> Named | None:
    """The one of this id, whole or short: the only place that knows how people name a job or a reminder."""
    named = name.removeprefix("#")
    return next((one for one in among if named in {one.id, short_id(one.id)}), None)


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
