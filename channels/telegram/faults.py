"""What the Bot API and the network answer with when something is wrong, as our own errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from telegram import error as vendor

from channels.errors import ChannelError, ChannelRefused, DeliveryFailed, DeliveryRejected
from channels.telegram.errors import PollConflict, RequestRefused
from channels.telegram.settings import TelegramSettings

_NOT_JSON = "Parsing the server response"
"""The library's words about an error without the Bot API's JSON: a proxy or a portal answered, whatever its status says."""

_EXCERPT = 120  # characters of what it said: enough to recognise it by


@contextmanager
def mapped(settings: TelegramSettings) -> Iterator[None]:
    """Raise what the vendor raises as DeliveryFailed, RequestRefused, DeliveryRejected, ChannelRefused or PollConflict."""
    try:
        yield
    except vendor.TelegramError as error:
        raise _ours(error, settings.redacted(str(error)), place=settings.base_url) from error


def _ours(error: vendor.TelegramError, said: str, *, place: str) -> ChannelError:  # noqa: PLR0911 - one return a kind
    if _NOT_JSON in said:
        return DeliveryFailed(f"something that isn't Telegram answers at {place}; a proxy? {said[:_EXCERPT]}")
    match error:
        case vendor.RetryAfter():
            wait = error.retry_after
            return DeliveryFailed(
                said, retry_after=wait.total_seconds() if isinstance(wait, timedelta) else wait
            )
        case vendor.ChatMigrated():
            return DeliveryRejected(f"the group became the supergroup {error.new_chat_id}")
        case vendor.Forbidden():
            return DeliveryRejected(f"Telegram forbids: {said}")
        case vendor.InvalidToken() | vendor.EndPointNotFound():
            return ChannelRefused(
                f"Telegram does not know this bot's token ({said}); @BotFather shows the right one, "
                "which belongs into channels.telegram.token"
            )
        case vendor.Conflict():
            return PollConflict(said)
        case vendor.BadRequest():
            return RequestRefused(said)
        case _:
            return DeliveryFailed(f"Telegram can't be reached: {said}")
