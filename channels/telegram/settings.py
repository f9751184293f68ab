"""What one Telegram bot is configured with."""

import hashlib
from dataclasses import dataclass

API_URL = "https://api.telegram.org"


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramSettings:
    """One bot: `mode` is polling or webhook, `names` are words that count as a mention in groups.

    Times are in seconds. `poll_seconds` is how long the server may hold a poll open; one that hangs
    `stall_seconds` beyond that is given up and its connection rebuilt.
    """

    token: str
    base_url: str = API_URL
    mode: str = "polling"
    webhook_url: str = ""
    names: tuple[str, ...] = ()
    proxy: str = ""
    poll_seconds: int = 30
    stall_seconds: float = 15.0
    request_seconds: float = 20.0
    first_delay: float = 0.5
    longest_delay: float = 20.0
    edit_seconds: float = 1.0
    group_edit_seconds: float = 3.0

    @property
    def bot_id(self) -> str:
        """The number before the colon of the token; it names the bot and is no secret."""
        return self.token.partition(":")[0]

    @property
    def webhook_secret(self) -> str:
        """What Telegram must say in each webhook call: derived, so that it survives a restart unstored."""
        return hashlib.sha256(f"mneme webhook {self.token}".encode()).hexdigest()

    def redacted(self, text: str) -> str:
        """The text without the token, whatever put it there."""
        return text.replace(self.token, "<token>")
