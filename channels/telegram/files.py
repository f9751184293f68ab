"""The files of a reply go out as pictures where people should see them, else as documents."""

from typing import TYPE_CHECKING

from channels.adapter import Load
from channels.errors import DeliveryRejected
from channels.messages import OutboundMessage
from channels.telegram.outbound import placed

if TYPE_CHECKING:
    from channels.telegram.client import Client

_PICTURES = frozenset({"image/jpeg", "image/png"})
_LARGEST_PICTURE = 10_000_000
"""Bot API, sendPhoto: at most 10 MB; what is larger goes as a document."""


async def send_files(client: "Client", message: OutboundMessage, load: Load | None) -> tuple[str, ...]:
    """Send the attachments of a message, in order; their platform ids."""
    if not message.attachments:
        return ()
    if load is None:
        raise DeliveryRejected("files can't be sent: nothing gives their content")
    sent = []
    for attachment in message.attachments:
        content = await load(attachment)
        field = "photo" if attachment.mime in _PICTURES and len(content) <= _LARGEST_PICTURE else "document"
        answer = await client.upload(
            f"send{field.capitalize()}",
            field,
            content,
            name=attachment.name,
            **placed(message, first=not message.text.strip(), last=False),
        )
        sent.append(str(answer["message_id"]))
    return tuple(sent)
