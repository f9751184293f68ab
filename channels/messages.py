"""What comes in from a platform and what goes out to it, in our own words."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType

SessionKey = NewType("SessionKey", str)
"""Names a conversation: `telegram:42`, `slack:C1#1699.2`, `telegram:42@1001`; its parts are percent-escaped."""


class Entrance(StrEnum):
    """How a message came in."""

    USER = "user"
    SUBAGENT = "subagent"
    SCHEDULE = "schedule"


class ChatKind(StrEnum):
    """Whether one person or several stand behind a chat."""

    DIRECT = "direct"
    GROUP = "group"


class Scope(StrEnum):
    """What makes a session within a channel (`sessions.scope`)."""

    THREAD = "thread"
    CHAT = "chat"
    USER = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file beside a message: `media` is its content hash once it is kept, `remote_id` the platform's handle."""

    name: str
    mime: str
    size: int
    media: str | None = None
    remote_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """The message that a person replied to or forwarded, as the platform shows it."""

    text: str
    sender_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundMessage:
    """One message for a session, whoever wrote it.

    `id` is derived from the platform's own ids and is the first dedup key, `delivery_id` (an update or
    event id) the second. `session_key` is empty until intake sets it, once. `ready_at` is when a message
    whose parts belong together (`group_id`: an album, a long paste) may be taken. `person` is set in intake: the
    name of the configured person, or None for a member of an allowed group. `platform_id` is what the platform
    calls the message, where a reply can name it.
    """

    id: str
    channel: str
    chat_id: str
    sender_id: str
    text: str
    received_at: datetime
    chat_kind: ChatKind = ChatKind.DIRECT
    thread_id: str | None = None
    sender_name: str = ""
    attachments: tuple[Attachment, ...] = ()
    addressed: bool = True
    reply_to: str | None = None
    quoted: Quoted | None = None
    edit_of: str | None = None
    entrance: Entrance = Entrance.USER
    ready_at: datetime | None = None
    session_key: SessionKey = SessionKey("")
    delivery_id: str | None = None
    group_id: str | None = None
    forwarded_from: str | None = None
    language: str | None = None
    person: str | None = None
    workspace: str | None = None
    platform_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A button: what it shows, and the text that comes back when it is pressed."""

    label: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboundMessage:
    """One part of a reply; `id` is the turn's, so (id, part) names it for ever.

    `reply_to` is the platform's id of the message that is answered; `answers` are our ids of the inbound
    messages that the turn answered. `placeholder` is the platform's id of a message to edit into this one.
    `text` is Markdown; the adapter renders it. `seq` is the number of the stored answer, if there is one.
    """

    id: str
    channel: str
    chat_id: str
    text: str
    part: int = 0
    thread_id: str | None = None
    reply_to: str | None = None
    answers: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    placeholder: str | None = None
    choices: tuple[Choice, ...] = ()
    session_key: SessionKey = SessionKey("")
    seq: int | None = None
    chat_kind: ChatKind = ChatKind.DIRECT


def escape_part(part: str) -> str:
    """One part of a session key with `#`, `@`, `%` and control characters percent-escaped."""
    return "".join(
        "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))
        if char in "#@%" or not char.isprintable()
        else char
        for char in part
    )


def platform_of(channel: str) -> str:
    """The platform of a channel: one of several workspaces is a channel `slack-NAME` of the platform `slack`."""
    return channel.partition("-")[0]


def takes_slash(channel: str) -> bool:
    """Whether `/new` can be typed there as a message: in Slack `/` belongs to Slack, so that it is `!new`."""
    return platform_of(channel) != "slack"


def session_key(message: InboundMessage, *, scope: Scope) -> SessionKey:
    """The session of a message: channel and chat, the topic or thread with `thread`, the sender with `user`.

    The key names the platform, not the workspace, because its chats' ids are unique beyond one.
    """
    key = f"{escape_part(platform_of(message.channel))}:{escape_part(message.chat_id)}"
    if scope is not Scope.CHAT and message.thread_id is not None:
        key += f"#{escape_part(message.thread_id)}"
    if scope is Scope.USER:
        key += f"@{escape_part(message.sender_id)}"
    return SessionKey(key)
