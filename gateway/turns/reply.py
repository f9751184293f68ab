"""A reply's text as the parts that the outbox keeps."""

from collections.abc import Sequence

from channels.messages import ChatKind, Entrance, OutboundMessage
from gateway.turns.restore import Work


def reply_parts(
    work: Work, texts: Sequence[str], *, placeholder: str | None = None, seq: int | None = None
) -> list[OutboundMessage]:
    """One part per text, addressed to where the newest message came from; the first goes into the placeholder."""
    newest = work.newest
    quotes = newest.chat_kind is ChatKind.GROUP and newest.entrance is Entrance.USER
    return [
        OutboundMessage(
            id=work.turn_id,
            part=part,
            channel=newest.channel,
            chat_id=newest.chat_id,
            thread_id=newest.thread_id,
            text=text,
            reply_to=newest.id if quotes and part == 0 else None,
            answers=work.ids,
            placeholder=placeholder if part == 0 else None,
            session_key=newest.session_key,
            seq=seq,
            chat_kind=newest.chat_kind,
        )
        for part, text in enumerate(texts)
    ]
