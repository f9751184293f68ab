"""A reply's texts as the parts that the outbox keeps."""

from collections.abc import Sequence
from dataclasses import replace

from channels.messages import ChatKind, Entrance, InboundMessage, OutboundMessage
from gateway.turns.restore import Work


def replies_to(message: InboundMessage, texts: Sequence[str]) -> list[OutboundMessage]:
    """One part per text, addressed to where the message came from; in a group the first one is a reply to it."""
    quotes = message.chat_kind is ChatKind.GROUP and message.entrance is Entrance.USER
    return [
        OutboundMessage(
            id=message.id,
            part=part,
            channel=message.channel,
            chat_id=message.chat_id,
            thread_id=message.thread_id,
            text=text,
            reply_to=message.platform_id if quotes and part == 0 else None,
            answers=(message.id,),
            session_key=message.session_key,
            chat_kind=message.chat_kind,
        )
        for part, text in enumerate(texts)
    ]


def reply_parts(
    work: Work, texts: Sequence[str], *, placeholder: str | None = None, seq: int | None = None
) -> list[OutboundMessage]:
    """The parts of a turn's reply, addressed to where its newest message came from; the first goes into the placeholder."""
    return [
        replace(
            part,
            id=work.turn_id,
            answers=work.ids,
            placeholder=placeholder if part.part == 0 else None,
            seq=seq,
        )
        for part in replies_to(work.newest, texts)
    ]
