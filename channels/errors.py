"""What can go wrong between us and a platform."""

import asyncio


class ChannelError(Exception):
    """Something failed at a platform's edge."""


class DeliveryFailed(ChannelError):
    """A send that may succeed later; `retry_after` (seconds) is the time the platform named, if it did.

    `until` is set by the adapter as soon as the send can succeed; before that it is no use, and counts as no
    attempt: nobody is there to take the message.
    """

    def __init__(
        self, message: str, *, retry_after: float | None = None, until: asyncio.Event | None = None
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.until = until


class DeliveryRejected(ChannelError):
    """A send that will never succeed unchanged: the chat is gone, the bot is blocked, the content is refused."""


class ChannelRefused(ChannelError):
    """The platform refuses us altogether: a wrong or revoked token, an app that was removed."""


class NotAccepted(ChannelError):
    """A message could not be taken in now; whoever wrote it keeps it and sends it again."""
