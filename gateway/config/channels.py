"""The section `channels`: where we listen."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from channels.access import GroupPolicy
from gateway.config.secret import Secret
from gateway.config.section import Section
from gateway.config.values import Count, Proxy, SecureUrl, Strings, WebUrl, is_safe_name, refuse


class Telegram(Section):
    """One bot."""

    token: Secret = Field(default=Secret(), description="from @BotFather; env:NAME or file:PATH")
    mode: Literal["polling", "webhook"] = Field(default="polling", description="polling | webhook")
    base_url: WebUrl = Field(
        default="https://api.telegram.org", description="a local Bot API server works too"
    )
    webhook_url: SecureUrl = Field(default="", description="https://…; the secret token is made and checked")
    groups: Annotated[GroupPolicy, Field(strict=False)] = Field(
        default=GroupPolicy.MENTION, description="mention | all | off"
    )
    names: Strings = Field(default=(), description="words that count as a mention")
    proxy: Proxy = ""

    @model_validator(mode="after")
    def _webhook_has_a_url(self) -> Self:
        if self.token and self.mode == "webhook" and not self.webhook_url:
            raise refuse('https://… where Telegram reaches us, because mode is "webhook"', key="webhook_url")
        return self


class SlackWorkspace(Section):
    """One workspace, over Socket Mode (`app_token`) or HTTP (`signing_secret`)."""

    bot_token: Secret = Field(default=Secret(), description="xoxb-…; env:NAME or file:PATH")
    app_token: Secret = Field(default=Secret(), description="xapp-…: Socket Mode; or")
    signing_secret: Secret = Field(default=Secret(), description="HTTP mode on gateway.http, /slack/events")
    base_url: WebUrl = "https://slack.com/api/"
    groups: Annotated[GroupPolicy, Field(strict=False)] = Field(
        default=GroupPolicy.MENTION, description="mention | all | off"
    )
    connections: Annotated[Count, Field(le=10)] = Field(default=1, description="Socket Mode")
    proxy: Proxy = ""

    @model_validator(mode="after")
    def _can_receive(self) -> Self:
        if self.bot_token and not (self.app_token or self.signing_secret):
            raise refuse("a token for Socket Mode, or signing_secret for HTTP mode", key="app_token")
        if not self.bot_token and (self.app_token or self.signing_secret):
            raise refuse("the bot's token beside app_token or signing_secret", key="bot_token")
        return self


class Web(Section):
    """The web chat and the HTTP API."""

    token: Secret = Field(default=Secret(), description='"" = loopback only; otherwise Authorization: Bearer')


def _by_workspace(value: object) -> object:
    """One plain table is the workspace named ""; tables inside are workspaces by name."""
    if not isinstance(value, dict) or not value or "" in value:
        return value
    named = [isinstance(entry, dict | SlackWorkspace) for entry in value.values()]
    if any(named) and not all(named):
        raise refuse("either one table, or a table for each workspace, not both")
    return value if all(named) else {"": value}


def _workspace_names(value: dict[str, SlackWorkspace]) -> dict[str, SlackWorkspace]:
    for name in value:
        if name and not is_safe_name(name):
            raise refuse("a name of letters, digits, - and _ for each workspace", key=name)
    return value


Workspaces = Annotated[
    dict[str, SlackWorkspace], BeforeValidator(_by_workspace), AfterValidator(_workspace_names)
]


class Channels(Section):
    """Every platform."""

    telegram: Telegram = Telegram()
    slack: Workspaces = Field(default={})
    web: Web = Web()
