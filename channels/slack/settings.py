"""What one Slack workspace is configured with."""

from dataclasses import dataclass

API_URL = "https://slack.com/api/"


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackSettings:
    """One workspace: `bot_token` and either `app_token` (Socket Mode) or `signing_secret` (HTTP mode).

    `workspace` is the NAME of `[channels.slack.NAME]`, empty for the only one.
    Times are in seconds; Slack allows about one message a second in a channel and fifty edits a minute.
    """

    bot_token: str
    app_token: str = ""
    signing_secret: str = ""
    base_url: str = API_URL
    connections: int = 1
    proxy: str = ""
    workspace: str = ""
    request_seconds: float = 15.0
    ping_seconds: float = 10.0
    probe_seconds: float = 20.0
    retry_seconds: float = 1.0
    stream_seconds: float = 1.2
    lookup_seconds: float = 1.0

    @property
    def name(self) -> str:
        """The channel's name: `slack`, or `slack-NAME` for one workspace of several."""
        return f"slack-{self.workspace}" if self.workspace else "slack"

    @property
    def socket_mode(self) -> bool:
        """Whether events come over a socket that we open; else Slack posts them to us."""
        return bool(self.app_token)
