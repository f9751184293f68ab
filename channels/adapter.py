"""What a channel must be able to do, and how it says what its platform can't."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from channels.messages import Attachment, InboundMessage, OutboundMessage

Receive = Callable[[InboundMessage], Awaitable[None]]
"""Takes one message in; when it returns, the message is durable and the platform may be told so."""

Load = Callable[[Attachment], Awaitable[bytes]]
"""The content of a kept attachment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What a platform can do.

    `idempotent_send`: the same (id, part) sent twice is shown once. `asides`: what is said beside an answer, such as
    that it will take a while, is not taken for the answer.
    """

    edits: bool = False
    streams: bool = False
    idempotent_send: bool = False
    asides: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """The platform's ids of what was sent, in order; several when the text had to be split."""

    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelHealth:
    """The last good round trip, never the state of a socket."""

    ok: bool
    last_round_trip: datetime | None = None
    error: str | None = None


class ChannelAdapter(Protocol):
    """One platform. Everything that it receives goes through the `Receive` it was given."""

    name: str
    abilities: Abilities

    async def run(self, receive: Receive) -> None:
        """Listen until cancelled; await `receive` before acknowledging; raise ChannelRefused on a bad token."""

    async def send(self, message: OutboundMessage) -> Sent:
        """Send one part as it is; raise DeliveryFailed (later) or DeliveryRejected (never).

        A part without words, whatever its files, takes its placeholder away.
        """

    def split(self, text: str) -> list[str]:
        """The parts that a reply's Markdown must be sent in; each part is then one `send`."""

    async def open_stream(self, message: OutboundMessage) -> str | None:
        """Send a placeholder for a reply that is being written; its platform id, or None if that can't be."""

    async def update_stream(self, message: OutboundMessage) -> None:
        """Show what is written so far in `message.placeholder`; a failure here is never an error."""

    async def typing(self, message: OutboundMessage) -> None:
        """Show that an answer is being written; a failure here is never an error."""

    def health(self) -> ChannelHealth:
        """How the last round trip went."""

    async def close(self) -> None:
        """Let every connection go, once `run` has ended and nothing is sent any more; a second time does nothing."""
