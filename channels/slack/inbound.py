"""What Slack tells us as our own `InboundMessage`, or None where it is not for us; pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from channels.messages import Attachment, ChatKind, InboundMessage, Quoted
from channels.payloads import Json, mapping, mappings, number_of, text_of
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
    team_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What is needed to read a payload: our own channel name, who we are, who others are, when it came."""

    channel: str
    identity: Identity
    received_at: datetime
    names: Mapping[str, str]


def users_in(body: Json) -> frozenset[str]:
    """The ids of the users whose names would make this payload's message readable."""
    event = mapping(body.get("event"))
    message = mapping(event.get("message")) or event
    sender = text_of(message.get("user"))
    return mentions(text_of(message.get("text"))) | ({sender} if sender else set())


def read(body: Json, *, reading: Reading) -> InboundMessage | None:
    """The message in an Events API callback, a slash command or a pressed button; None if there is none for us.

    One message has one id, whatever events announce it: `<channel>:<team>/<chat>/<ts>`; the event's own id is
    the second key. An edit has an id of its own and names the message in `edit_of`. In a channel, what is not
    addressed to us by mention comes out with `addressed=False`: whether its thread is ours is not known here.
    """
    if "command" in body:
        return _slash_command(body, reading)
    if body.get("type") == "block_actions":
        return _button(body, reading)
    event = mapping(body.get("event"))
    if text_of(event.get("type")) not in {"message", "app_mention"}:
        return None
    if event.get("subtype") == "message_changed":
        return _edit(body, event, reading)
    return _message(body, event, reading)


def message_id(channel: str, team: str, chat_id: str, ts: str) -> str:
    """Our id of a message, whatever announces it."""
    return f"{channel}:{team}/{chat_id}/{ts}"


def _message(body: Json, event: Json, reading: Reading) -> InboundMessage | None:
    chat_id, ts, sender = (text_of(event.get(key)) for key in ("channel", "ts", "user"))
    if (
        text_of(event.get("subtype")) not in _WRITTEN
        or not (chat_id and ts and sender)
        or _is_bot(event, reading)
    ):
        return None
    us = reading.identity.user_id
    direct = text_of(event.get("channel_type")) in _DIRECT or chat_id.startswith("D")
    quoted = _shared(event, reading)
    text = _command(readable(text_of(event.get("text")), names=reading.names, without=us))
    attachments = _attachments(event)
    if not (text or attachments or quoted):
        return None
    root = text_of(event.get("thread_ts"))
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
        addressed=direct or event.get("type") == "app_mention" or us in mentions(text_of(event.get("text"))),
        reply_to=root if root and root != ts else None,
        quoted=quoted,
        delivery_id=_delivery(body, reading),
        forwarded_from=quoted.sender_name if quoted else None,
        workspace=_home(event) or _team(body, reading) or None,
    )


def _edit(body: Json, event: Json, reading: Reading) -> InboundMessage | None:
    """A person's new words for an old message; Slack announces previews, reactions and replies likewise."""
    message = mapping(event.get("message"))
    edited = text_of(mapping(message.get("edited")).get("ts"))
    if not edited or message.get("text") == mapping(event.get("previous_message")).get("text"):
        return None
    where = {key: event.get(key) for key in ("channel", "channel_type")}
    new = _message(body, {**message, **where, "type": "message"}, reading)
    return replace(new, id=f"{new.id}/{edited}", edit_of=new.id) if new else None


def _slash_command(body: Json, reading: Reading) -> InboundMessage | None:
    """`/mneme args`; a bare one asks for help. Its trigger id is the only id that Slack gives it."""
    chat_id, sender, trigger = (text_of(body.get(key)) for key in ("channel_id", "user_id", "trigger_id"))
    if not (chat_id and sender and trigger):
        return None
    text = readable(text_of(body.get("text")), names=reading.names)
    return InboundMessage(
        id=_id(body, reading, chat_id, trigger),
        channel=reading.channel,
        chat_id=chat_id,
        sender_id=sender,
        sender_name=text_of(body.get("user_name")),
        text="/" + (text.lstrip("/!") or "help"),
        received_at=reading.received_at,
        chat_kind=ChatKind.DIRECT if chat_id.startswith("D") else ChatKind.GROUP,
        workspace=text_of(body.get("team_id")) or None,
    )


def _button(body: Json, reading: Reading) -> InboundMessage | None:
    """A pressed button speaks its value, in the thread of the message that showed it."""
    action = next(iter(mappings(body.get("actions"))), {})
    message = mapping(body.get("message"))
    chat_id = text_of(mapping(body.get("channel")).get("id"))
    user = mapping(body.get("user"))
    sender, value, at = (
        text_of(user.get("id")),
        text_of(action.get("value")),
        text_of(action.get("action_ts")),
    )
    if not (chat_id and sender and value and at):
        return None
    return InboundMessage(
        id=_id(body, reading, chat_id, at),
        channel=reading.channel,
        chat_id=chat_id,
        sender_id=sender,
        sender_name=text_of(user.get("name")),
        text=value,
        received_at=reading.received_at,
        chat_kind=ChatKind.DIRECT if chat_id.startswith("D") else ChatKind.GROUP,
        thread_id=text_of(message.get("thread_ts")) or None,
        reply_to=text_of(message.get("ts")) or None,
        workspace=text_of(user.get("team_id")) or None,
    )


def _is_bot(event: Json, reading: Reading) -> bool:
    """Our own messages and other apps' are never a turn: two bots that answer each other never end."""
    ours = text_of(event.get("user")) in {reading.identity.user_id, _SLACKBOT}
    return ours or bool(event.get("bot_id") or event.get("bot_profile"))


def _shared(event: Json, reading: Reading) -> Quoted | None:
    """The message that a person shared along with theirs."""
    for item in mappings(event.get("attachments")):
        text = readable(text_of(item.get("text")) or text_of(item.get("fallback")), names=reading.names)
        if text and (item.get("is_share") or item.get("is_msg_unfurl")):
            return Quoted(text=text, sender_name=text_of(item.get("author_name")))
    return None


def _attachments(event: Json) -> tuple[Attachment, ...]:
    return tuple(
        Attachment(
            name=text_of(file.get("name")) or text_of(file.get("id")) or "file",
            mime=text_of(file.get("mimetype")) or "application/octet-stream",
            size=number_of(file.get("size")) or 0,
            remote_id=text_of(file.get("url_private_download")) or text_of(file.get("url_private")),
        )
        for file in mappings(event.get("files"))
        if text_of(file.get("mode")) not in _UNREADABLE_FILES
        and (text_of(file.get("url_private_download")) or text_of(file.get("url_private")))
    )


def _command(text: str) -> str:
    """`!new` for `/new`, because `/` belongs to Slack."""
    return _COMMAND.sub("/", text, count=1) if _COMMAND.match(text) else text


def _id(body: Json, reading: Reading, chat_id: str, ts: str) -> str:
    return message_id(reading.channel, _team(body, reading), chat_id, ts)


def _delivery(body: Json, reading: Reading) -> str | None:
    event_id = text_of(body.get("event_id"))
    return f"{reading.channel}:event:{event_id}" if event_id else None


def _home(event: Json) -> str:
    """The workspace of whoever wrote: in a shared channel that may be another company's."""
    return text_of(event.get("user_team")) or text_of(event.get("team"))


def _team(body: Json, reading: Reading) -> str:
    """The workspace that we are installed in; a shared channel's event may name another one."""
    team = text_of(body.get("team_id")) or text_of(mapping(body.get("team")).get("id"))
    return reading.identity.team_id or team
