"""What Slack tells us as our own `InboundMessage`, or None where it is not for us; pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from channels.messages import Attachment, ChatKind, InboundMessage, Quoted
from channels.slack.entities import mentions, readable

# A message of one of these subtypes was written by a person; all others are notices (joins, topics, deletions).
_WRITTEN = frozenset({"", "file_share", "thread_broadcast", "me_message"})
_DIRECT = frozenset({"im", "app_home"})
_UNREADABLE_FILES = frozenset({"tombstone", "hidden_by_limit"})
_COMMAND = re.compile(r"!(?=[a-z])")
_SLACKBOT = "USLACKBOT"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who we are in a workspace, as `auth.test` says."""

    user_id: str
    bot_id: str = ""
    team_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What is needed to read a payload: our own channel name, who we are, who others are, when it came."""

    channel: str
    identity: Identity
    received_at: datetime
    names: Mapping[str, str]


def users_in(body: Mapping[str, Any]) -> frozenset[str]:
    """The ids of the users whose names would make this payload's message readable."""
    event = _mapping(_mapping(body).get("event"))
    message = _mapping(event.get("message")) or event
    sender = _text(message.get("user"))
    return mentions(_text(message.get("text"))) | ({sender} if sender else set())


def read(body: Mapping[str, Any], *, reading: Reading) -> InboundMessage | None:
    """The message in an Events API callback, a slash command or a pressed button; None if there is none for us.

    One message has one id, whatever events announce it: `<channel>:<team>/<chat>/<ts>`; the event's own id is
    the second key. An edit has an id of its own and names the message in `edit_of`. In a channel, what is not
    addressed to us by mention comes out with `addressed=False`: whether its thread is ours is not known here.
    """
    if "command" in body:
        return _slash_command(body, reading)
    if body.get("type") == "block_actions":
        return _button(body, reading)
    event = _mapping(body.get("event"))
    if _text(event.get("type")) not in {"message", "app_mention"}:
        return None
    if event.get("subtype") == "message_changed":
        return _edit(body, event, reading)
    return _message(body, event, reading)


def message_id(channel: str, team: str, chat_id: str, ts: str) -> str:
    """Our id of a message, whatever announces it."""
    return f"{channel}:{team}/{chat_id}/{ts}"


def _message(body: Mapping[str, Any], event: Mapping[str, Any], reading: Reading) -> InboundMessage | None:
    chat_id, ts, sender = (_text(event.get(key)) for key in ("channel", "ts", "user"))
    if (
        _text(event.get("subtype")) not in _WRITTEN
        or not (chat_id and ts and sender)
        or _is_bot(event, reading)
    ):
        return None
    us = reading.identity.user_id
    direct = _text(event.get("channel_type")) in _DIRECT or chat_id.startswith("D")
    quoted = _shared(event, reading)
    text = _command(readable(_text(event.get("text")), names=reading.names, without=us))
    attachments = _attachments(event)
    if not (text or attachments or quoted):
        return None
    root = _text(event.get("thread_ts"))
    return InboundMessage(
        id=_id(body, reading, chat_id, ts),
        channel=reading.channel,
        chat_id=chat_id,
        sender_id=sender,
        sender_name=reading.names.get(sender, ""),
        text=text or (quoted.text if quoted else ""),
        received_at=reading.received_at,
        chat_kind=ChatKind.DIRECT if direct else ChatKind.GROUP,
        thread_id=(root if root != ts else "") or (None if direct else ts),
        attachments=attachments,
        addressed=direct or event.get("type") == "app_mention" or us in mentions(_text(event.get("text"))),
        reply_to=root if root and root != ts else None,
        quoted=quoted,
        delivery_id=_delivery(body, reading),
        forwarded_from=quoted.sender_name if quoted else None,
        workspace=_home(event) or _team(body, reading) or None,
    )


def _edit(body: Mapping[str, Any], event: Mapping[str, Any], reading: Reading) -> InboundMessage | None:
    """A person's new words for an old message; Slack announces previews, reactions and replies likewise."""
    message = _mapping(event.get("message"))
    edited = _text(_mapping(message.get("edited")).get("ts"))
    if not edited or message.get("text") == _mapping(event.get("previous_message")).get("text"):
        return None
    where = {key: event.get(key) for key in ("channel", "channel_type")}
    new = _message(body, {**message, **where, "type": "message"}, reading)
    return replace(new, id=f"{new.id}/{edited}", edit_of=new.id) if new else None


def _slash_command(body: Mapping[str, Any], reading: Reading) -> InboundMessage | None:
    """`/mneme args`; a bare one asks for help. Its trigger id is the only id that Slack gives it."""
    chat_id, sender, trigger = (_text(body.get(key)) for key in ("channel_id", "user_id", "trigger_id"))
    if not (chat_id and sender and trigger):
        return None
    text = readable(_text(body.get("text")), names=reading.names)
    return InboundMessage(
        id=_id(body, reading, chat_id, trigger),
        channel=reading.channel,
        chat_id=chat_id,
        sender_id=sender,
        sender_name=_text(body.get("user_name")),
        text="/" + (text.lstrip("/!") or "help"),
        received_at=reading.received_at,
        chat_kind=ChatKind.DIRECT if chat_id.startswith("D") else ChatKind.GROUP,
        workspace=_text(body.get("team_id")) or None,
    )


def _button(body: Mapping[str, Any], reading: Reading) -> InboundMessage | None:
    """A pressed button speaks its value, in the thread of the message that showed it."""
    actions = body.get("actions")
    action = _mapping(actions[0]) if isinstance(actions, list) and actions else {}
    message = _mapping(body.get("message"))
    chat_id = _text(_mapping(body.get("channel")).get("id"))
    user = _mapping(body.get("user"))
    sender, value, at = _text(user.get("id")), _text(action.get("value")), _text(action.get("action_ts"))
    if not (chat_id and sender and value and at):
        return None
    return InboundMessage(
        id=_id(body, reading, chat_id, at),
        channel=reading.channel,
        chat_id=chat_id,
        sender_id=sender,
        sender_name=_text(user.get("name")),
        text=value,
        received_at=reading.received_at,
        chat_kind=ChatKind.DIRECT if chat_id.startswith("D") else ChatKind.GROUP,
        thread_id=_text(message.get("thread_ts")) or None,
        reply_to=_text(message.get("ts")) or None,
        workspace=_text(user.get("team_id")) or None,
    )


def _is_bot(event: Mapping[str, Any], reading: Reading) -> bool:
    """Our own messages and other apps' are never a turn: two bots that answer each other never end."""
    ours = _text(event.get("user")) in {reading.identity.user_id, _SLACKBOT}
    return ours or bool(event.get("bot_id") or event.get("bot_profile"))


def _shared(event: Mapping[str, Any], reading: Reading) -> Quoted | None:
    """The message that a person shared along with theirs."""
    for item in _items(event.get("attachments")):
        text = readable(_text(item.get("text")) or _text(item.get("fallback")), names=reading.names)
        if text and (item.get("is_share") or item.get("is_msg_unfurl")):
            return Quoted(text=text, sender_name=_text(item.get("author_name")))
    return None


def _attachments(event: Mapping[str, Any]) -> tuple[Attachment, ...]:
    return tuple(
        Attachment(
            name=_text(file.get("name")) or _text(file.get("id")) or "file",
            mime=_text(file.get("mimetype")) or "application/octet-stream",
            size=size if isinstance(size := file.get("size"), int) else 0,
            remote_id=_text(file.get("url_private_download")) or _text(file.get("url_private")),
        )
        for file in _items(event.get("files"))
        if _text(file.get("mode")) not in _UNREADABLE_FILES
        and (_text(file.get("url_private_download")) or _text(file.get("url_private")))
    )


def _command(text: str) -> str:
    """`!new` for `/new`, because `/` belongs to Slack."""
    return _COMMAND.sub("/", text, count=1) if _COMMAND.match(text) else text


def _id(body: Mapping[str, Any], reading: Reading, chat_id: str, ts: str) -> str:
    return message_id(reading.channel, _team(body, reading), chat_id, ts)


def _delivery(body: Mapping[str, Any], reading: Reading) -> str | None:
    event_id = _text(body.get("event_id"))
    return f"{reading.channel}:event:{event_id}" if event_id else None


def _home(event: Mapping[str, Any]) -> str:
    """The workspace of whoever wrote: in a shared channel that may be another company's."""
    return _text(event.get("user_team")) or _text(event.get("team"))


def _team(body: Mapping[str, Any], reading: Reading) -> str:
    """The workspace that we are installed in; a shared channel's event may name another one."""
    team = _text(body.get("team_id")) or _text(_mapping(body.get("team")).get("id"))
    return reading.identity.team_id or team


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _items(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
