"""What a Telegram message shows: its text, its files, and what stands for things that are neither."""

from channels.messages import Attachment
from channels.payloads import Json, mapping, mappings, number_of, text_of

_FILES = (
    ("animation", "video/mp4", "animation.mp4"),
    ("document", "application/octet-stream", "document"),
    ("video", "video/mp4", "video.mp4"),
    ("video_note", "video/mp4", "video-note.mp4"),
    ("voice", "audio/ogg", "voice.ogg"),
    ("audio", "audio/mpeg", "audio.mp3"),
    ("sticker", "image/webp", "sticker.webp"),
)
"""Field of a message, and the type and name to assume where Telegram names none."""


def text_shown(message: Json) -> str:
    """Text or caption; a sticker's emoji; the data of a place, a contact or a poll. Service messages show nothing."""
    return text_of(message.get("text")) or text_of(message.get("caption")) or _data(message)


def attachments_of(message: Json) -> tuple[Attachment, ...]:
    """The files of a message; of a picture, the largest size."""
    sizes = [size for size in mappings(message.get("photo")) if text_of(size.get("file_id"))]
    if sizes:
        largest = max(
            sizes, key=lambda size: (number_of(size.get("width")) or 0) * (number_of(size.get("height")) or 0)
        )
        return (_attachment(largest, mime="image/jpeg", name="photo.jpg"),)
    for field, mime, name in _FILES:
        file = mapping(message.get(field))
        if text_of(file.get("file_id")):
            return (_attachment(file, mime=mime, name=name),)
    return ()


def _attachment(file: Json, *, mime: str, name: str) -> Attachment:
    return Attachment(
        name=text_of(file.get("file_name")) or name,
        mime=text_of(file.get("mime_type")) or mime,
        size=number_of(file.get("file_size")) or 0,
        remote_id=file["file_id"],
    )


def _data(message: Json) -> str:
    if emoji := text_of(mapping(message.get("sticker")).get("emoji")):
        return emoji
    if place := mapping(message.get("location")):
        # RFC 5870, which people's maps and models read alike.
        venue = mapping(message.get("venue"))
        named = [text_of(venue.get("title")), text_of(venue.get("address"))]
        return "\n".join([*filter(None, named), f"geo:{place.get('latitude')},{place.get('longitude')}"])
    if contact := mapping(message.get("contact")):
        parts = (text_of(contact.get(field)) for field in ("first_name", "last_name", "phone_number"))
        return " ".join(filter(None, parts))
    if poll := mapping(message.get("poll")):
        options = (text_of(option.get("text")) for option in mappings(poll.get("options")))
        return "\n".join([text_of(poll.get("question")), *(f"- {option}" for option in options)])
    return ""
