"""One part of a reply goes out: rendered, within the limits, with plain text where markup is refused."""

from typing import TYPE_CHECKING, Any

from channels.errors import DeliveryRejected
from channels.markdown import parse
from channels.messages import OutboundMessage
from channels.telegram.errors import RequestRefused
from channels.telegram.inbound import GENERAL_TOPIC
from channels.telegram.markup import plain_parts, render, split

if TYPE_CHECKING:
    from channels.telegram.client import Client

_LONGEST_CALLBACK = 64
"""Bot API, InlineKeyboardButton: callback_data, 1 to 64 bytes."""

Parameters = dict[str, Any]


async def send_part(client: "Client", message: OutboundMessage) -> tuple[str, ...]:
    """Send one part and give its platform ids: several only if it was longer than one message.

    The placeholder is edited into the text, or deleted where there is none. Where Telegram refuses the markup,
    the words go out without it, split again; what it refuses then as well raises RequestRefused.
    """
    text = message.text + _choices_as_text(message)
    parts = split(text)
    if not parts and message.placeholder is not None:
        await _delete(client, message.chat_id, message.placeholder)
    elif not parts and not message.attachments:
        raise DeliveryRejected("there is nothing to show")
    sent: list[str] = []
    for number, part in enumerate(parts):
        place = placed(message, first=not number, last=number == len(parts) - 1)
        placeholder = message.placeholder if not number else None
        try:
            sent.append(
                await _show(client, place, render(parse(part)).html, placeholder=placeholder, html=True)
            )
        except RequestRefused as refused:
            if refused.hopeless:
                raise
            sent += await _send_plain(client, place, part, placeholder=placeholder)
    return tuple(sent)


async def send_placeholder(client: "Client", message: OutboundMessage) -> str:
    """Send what will be edited into the reply; its platform id."""
    return await _show(client, placed(message, first=True, last=False), "…", placeholder=None, html=False)


async def edit_placeholder(client: "Client", message: OutboundMessage) -> None:
    """Show the beginning of a reply that is being written, as far as one message holds it."""
    parts = split(message.text)
    if parts and message.placeholder is not None:
        html = render(parse(parts[0])).html
        await _edit(client, placed(message, first=False, last=False), html, message.placeholder, html=True)


async def show_typing(client: "Client", message: OutboundMessage) -> None:
    """Show that an answer is being written, for five seconds; here the General topic must be named."""
    await client.call(
        "sendChatAction", chat_id=message.chat_id, message_thread_id=message.thread_id, action="typing"
    )


async def _send_plain(
    client: "Client", place: Parameters, part: str, *, placeholder: str | None
) -> list[str]:
    sent = []
    for number, text in enumerate(plain_parts(part)):
        sent.append(await _show(client, place, text, placeholder=None if number else placeholder, html=False))
    return sent


async def _show(
    client: "Client", place: Parameters, text: str, *, placeholder: str | None, html: bool
) -> str:
    """Edit the placeholder into the text, or send it where there is none to edit; the message's id."""
    if placeholder is not None and await _edit(client, place, text, placeholder, html=html):
        return placeholder
    answer = await client.call("sendMessage", **place, text=text, parse_mode="HTML" if html else None)
    return str(answer["message_id"])


async def _edit(client: "Client", place: Parameters, text: str, message_id: str, *, html: bool) -> bool:
    """Whether the message now says so; False when it can't be edited any more."""
    try:
        await client.call(
            "editMessageText",
            chat_id=place["chat_id"],
            message_id=int(message_id),
            text=text,
            parse_mode="HTML" if html else None,
            reply_markup=place.get("reply_markup"),
        )
    except RequestRefused as refused:
        if refused.untouchable:
            return False
        if not refused.unmodified:
            raise
    return True


async def _delete(client: "Client", chat_id: str, message_id: str) -> None:
    """Delete a message of ours, unless that is no longer possible."""
    try:
        await client.call("deleteMessage", chat_id=chat_id, message_id=int(message_id))
    except RequestRefused as refused:
        if not refused.untouchable:
            raise


def placed(message: OutboundMessage, *, first: bool, last: bool) -> Parameters:
    """Where a message goes: the General topic goes without a thread id; a reply whose origin is gone still goes."""
    place: Parameters = {"chat_id": message.chat_id}
    if message.thread_id not in (None, GENERAL_TOPIC):
        place["message_thread_id"] = message.thread_id
    if first and message.part == 0 and (message.reply_to or "").isdecimal():
        reply = {"message_id": int(message.reply_to or 0), "allow_sending_without_reply": True}
        place["reply_parameters"] = reply
    if last and message.choices and not _choices_as_text(message):
        buttons = [[{"text": choice.label, "callback_data": choice.value}] for choice in message.choices]
        place["reply_markup"] = {"inline_keyboard": buttons}
    return place


def _choices_as_text(message: OutboundMessage) -> str:
    """The choices as lines to answer with, where a value is too long for a button."""
    if all(len(choice.value.encode()) <= _LONGEST_CALLBACK for choice in message.choices):
        return ""
    return "\n\n" + "\n".join(f"- {choice.label}: `{choice.value}`" for choice in message.choices)
