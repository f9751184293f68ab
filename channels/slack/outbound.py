"""What we send: text, buttons and files, and simpler text where Slack refuses the form."""

from typing import Any

import structlog

from channels.adapter import Load, Sent
from channels.cuts import split_text, utf16_units
from channels.errors import DeliveryRejected
from channels.markdown import parse, plain_text
from channels.messages import Attachment, OutboundMessage
from channels.slack.api import SlackApi
from channels.slack.entities import escape
from channels.slack.faults import Fault, delivering
from channels.slack.rendering import SECTION_LIMIT, blocks, choices_as_text, texts

_log = structlog.get_logger(__name__)

# Slack took the call but not its form or length; the same words go through as plain short text.
_FORM = frozenset(
    {
        "block_mismatch",
        "blocks_too_long",
        "invalid_blocks",
        "invalid_blocks_format",
        "markdown_text_conflict",
        "metadata_too_large",
        "msg_blocks_too_long",
        "msg_too_long",
        "too_many_blocks",
    }
)
# The placeholder can't become the answer any more, so the answer is posted beside it.
_PLACEHOLDER_GONE = frozenset({"cant_update_message", "edit_window_closed", "message_not_found"})

# There is nothing to delete any more, or it stays for good.
_UNDELETABLE = frozenset({"cant_delete_message", "compliance_exports_prevent_deletion", "message_not_found"})


class Outbound:
    """Sends one part of a reply; every method raises DeliveryFailed (later) or DeliveryRejected (never)."""

    def __init__(self, api: SlackApi, *, load: Load | None = None) -> None:
        self._api = api
        self._load = load

    async def send(self, message: OutboundMessage) -> Sent:
        """Post a part with its files, or make its placeholder into it; a repeated try repeats as little as can be."""
        with delivering():
            if message.attachments and not message.placeholder:
                return Sent(ids=await self._commented(message))
            ids = await self._text(message)
            await self._upload(message)
            return Sent(ids=ids)

    async def post(self, message: OutboundMessage, *, text: str) -> str:
        """Post a ready mrkdwn text where the message belongs."""
        with delivering():
            return await self._api.post(_arguments(message, text))

    async def update(self, message: OutboundMessage, *, text: str) -> None:
        """Show a ready mrkdwn text in the message's placeholder."""
        with delivering():
            await self._api.update(_changes(message, text))

    async def _commented(self, message: OutboundMessage) -> tuple[str, ...]:
        """Files and text in one message, so that no failure shows one without the other."""
        first, *rest = texts(message.text) or [""]
        await self._upload(message, comment=first)
        return tuple([await self._post(message, text) for text in rest])

    async def _upload(self, message: OutboundMessage, *, comment: str = "") -> None:
        files = [await self._file(attachment) for attachment in message.attachments]
        if files:
            await self._api.upload(
                files, channel=message.chat_id, thread_ts=message.thread_id, comment=comment
            )

    async def _file(self, attachment: Attachment) -> tuple[str, bytes]:
        if self._load is None:
            raise DeliveryRejected("this adapter was given no way to read attachments")
        return attachment.name, await self._load(attachment)

    async def _text(self, message: OutboundMessage) -> tuple[str, ...]:
        try:
            return await self._formatted(message)
        except Fault as fault:
            if fault.code not in _FORM:
                raise
            _log.warning(
                "delivery_simplified", channel=message.channel, chat_id=message.chat_id, code=fault.code
            )
            return await self._plain(message)

    async def _formatted(self, message: OutboundMessage) -> tuple[str, ...]:
        first, *rest = texts(message.text) or [""]
        if not first:
            await self._take_away(message)
            return ()
        if message.choices:
            # The blocks hold all of the text; what is beside them is for notifications.
            return (await self._show(message, first, {"blocks": blocks(message)}),)
        return (await self._show(message, first, {}), *[await self._post(message, text) for text in rest])

    async def _plain(self, message: OutboundMessage) -> tuple[str, ...]:
        text = plain_text(parse(message.text)) + choices_as_text(message)
        first, *rest = split_text(text, measure=lambda part: utf16_units(escape(part)), limit=SECTION_LIMIT)
        # An update that names no blocks would leave the old ones standing.
        shown = await self._show(message, escape(first), {"blocks": []})
        return (shown, *[await self._post(message, escape(text)) for text in rest])

    async def _show(self, message: OutboundMessage, text: str, form: dict[str, Any]) -> str:
        """In the placeholder if there is one and it still stands, else as a new message."""
        if message.placeholder:
            try:
                return await self._api.update(_changes(message, text) | form)
            except Fault as fault:
                if fault.code not in _PLACEHOLDER_GONE:
                    raise
        return await self._post(message, text, form)

    async def _take_away(self, message: OutboundMessage) -> None:
        """Delete the placeholder of a part that says nothing."""
        if message.placeholder:
            try:
                await self._api.delete(message.chat_id, ts=message.placeholder)
            except Fault as fault:
                if fault.code not in _UNDELETABLE:
                    raise

    async def _post(self, message: OutboundMessage, text: str, form: dict[str, Any] | None = None) -> str:
        return await self._api.post(_arguments(message, text) | (form or {}))


def _changes(message: OutboundMessage, text: str) -> dict[str, Any]:
    # Unlike chat.postMessage, chat.update would make mentions out of plain names unless told not to.
    return {"channel": message.chat_id, "ts": message.placeholder, "text": text, "parse": "none"}


def _arguments(message: OutboundMessage, text: str) -> dict[str, Any]:
    # Previews of links would come back as edits of our own message, and show more than was said.
    arguments: dict[str, Any] = {
        "channel": message.chat_id,
        "text": text,
        "parse": "none",
        "unfurl_links": False,
        "unfurl_media": False,
    }
    return arguments | ({"thread_ts": message.thread_id} if message.thread_id else {})
