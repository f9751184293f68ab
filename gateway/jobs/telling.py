"""What comes of a job that somebody asked for is said where they asked, once, whatever crashes in between."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from channels.messages import Entrance, InboundMessage, OutboundMessage
from gateway.journal.base import Inbox, Job
from gateway.journal.origin import message_from
from gateway.turns.reply import replies_to


class Teller:
    """Says it under the job's id, so that a job which runs again says nothing twice."""

    def __init__(
        self,
        inbox: Inbox,
        *,
        split: Callable[[str, str], list[str]],
        deliver: Callable[[Sequence[OutboundMessage]], None],
    ) -> None:
        self._inbox = inbox
        self._split = split
        self._deliver = deliver

    async def tell(self, job: Job, text: str) -> None:
        """Say it in the chat and the thread that the job's `origin` names."""
        place = _place(job)
        parts = [replace(part, answers=()) for part in replies_to(place, self._split(place.channel, text))]
        await self._inbox.respond(answered=(), replies=parts)
        self._deliver(parts)


def is_told(job: Job) -> bool:
    """Whether somebody waits to hear of it."""
    return "origin" in job.payload


def language_of(job: Job) -> str:
    """The language of who asked for the job."""
    return _place(job).language or "en"


def _place(job: Job) -> InboundMessage:
    origin = job.payload["origin"]
    return message_from(origin, message_id=job.id, entrance=Entrance.USER, text="", at=job.created_at)
