"""Refusals of the Bot API that we act on by themselves."""

from channels.errors import ChannelError, DeliveryRejected

_HOPELESS = (
    "chat not found",
    "user not found",
    "user is deactivated",
    "peer_id_invalid",
    "group chat was upgraded",
    "thread not found",
    "topic_closed",
    "topic_deleted",
    "rights",
    "chat_write_forbidden",
    "chat_restricted",
)
"""What Telegram says about a chat that can't be written to, whatever is written."""

_UNTOUCHABLE = (
    "message to edit",
    "can't be edited",
    "message to delete",
    "can't be deleted",
    "message_id_invalid",
)


class RequestRefused(DeliveryRejected):
    """400: this request will never be taken unchanged; `reason` is Telegram's own sentence, in lower case."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"Telegram refuses: {reason}")
        self.reason = reason.lower()

    @property
    def hopeless(self) -> bool:
        """The place is at fault, not the text: no other form of it will get through."""
        return any(sign in self.reason for sign in _HOPELESS)

    @property
    def unmodified(self) -> bool:
        """The message says that already."""
        return "not modified" in self.reason

    @property
    def untouchable(self) -> bool:
        """The message to edit or delete is gone, too old or not ours; a new one can still be sent."""
        return any(sign in self.reason for sign in _UNTOUCHABLE)


class PollConflict(ChannelError):
    """409: somebody else polls with this token, or a webhook is set (`webhook`)."""

    def __init__(self, reason: str) -> None:
        self.webhook = "webhook" in reason.lower()
        super().__init__(
            "a webhook is set for this bot, so that it can't be polled"
            if self.webhook
            else "another process polls with this bot's token; stop it, or give one of the two a bot of its own"
        )
