"""What can go wrong between us and a platform."""


class ChannelError(Exception):
    """Something failed at a platform's edge."""


class DeliveryFailed(ChannelError):
    """A send that may succeed later; `retry_after` (seconds) is the time the platform named, if it did."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class DeliveryRejected(ChannelError):
    """A send that will never succeed unchanged: the chat is gone, the bot is blocked, the content is refused."""


class ChannelRefused(ChannelError):
    """The platform refuses us altogether: a wrong or revoked token, an app that was removed."""
