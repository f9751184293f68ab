"""The channels that are configured, as adapters, and as questions to their platforms."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from channels.adapter import ChannelAdapter
from channels.messages import InboundMessage, Scope, session_key
from gateway.app.people import slack_channel
from gateway.app.stores import Stores
from gateway.config import Settings
from gateway.config.channels import SlackWorkspace, Telegram
from memory.errors import StoreUnavailable

if TYPE_CHECKING:
    from channels.slack.settings import SlackSettings
    from channels.telegram.settings import TelegramSettings

Admits = Callable[[InboundMessage], bool]
"""Whether a message would be taken in, by the rules that are in force now."""

KnowsThread = Callable[[InboundMessage, str], Awaitable[bool]]
"""Whether the thread of a message, whose first message would have this id, is a conversation of ours."""


def channel_adapters(settings: Settings, stores: Stores, *, admits: Admits) -> list[ChannelAdapter]:
    """Telegram and each Slack workspace, where a token is set; ConfigError when a token can't be read."""
    adapters: list[ChannelAdapter] = []
    if settings.channels.telegram.token:
        adapters.append(_telegram(settings, admits))
    adapters += [
        _slack(workspace, name, known_threads(stores, scope=Scope(settings.sessions.scope)))
        for name, workspace in settings.channels.slack.items()
        if workspace.bot_token
    ]
    return adapters


def round_trips(settings: Settings) -> Iterator[tuple[str, Callable[[], Awaitable[str]]]]:
    """The channels that are set up, by name, each with a question to its platform: who are we?

    ChannelError says why it has no answer, ConfigError that the token can't be read.
    """
    if settings.channels.telegram.token:
        yield "telegram", partial(_ask_telegram, settings.channels.telegram)
    for name, workspace in settings.channels.slack.items():
        if workspace.bot_token:
            yield slack_channel(name), partial(_ask_slack, workspace, name)


async def _ask_telegram(telegram: Telegram) -> str:
    from channels.telegram.client import Client  # noqa: PLC0415 - who has no bot doesn't wait for it

    # Making one reads certificates.
    async with await asyncio.to_thread(Client, _telegram_settings(telegram)) as client:
        return f"@{(await client.me()).username}"


async def _ask_slack(workspace: SlackWorkspace, name: str) -> str:
    from channels.slack.api import SlackApi  # noqa: PLC0415 - who has no workspace doesn't wait for it

    api = SlackApi(_slack_settings(workspace, name))
    identity = await api.identify()
    if workspace.app_token:
        await api.open_socket()  # an address that nobody connects to; what refuses it is the token
    return f"{identity.user_id} of {identity.team_id}"


def _telegram(settings: Settings, admits: Admits) -> ChannelAdapter:
    from channels.telegram.adapter import TelegramAdapter  # noqa: PLC0415 - who has no bot doesn't wait for it

    return TelegramAdapter(
        _telegram_settings(settings.channels.telegram), unavailable=(StoreUnavailable,), admits=admits
    )


def _telegram_settings(telegram: Telegram) -> "TelegramSettings":
    from channels.telegram.settings import TelegramSettings  # noqa: PLC0415 - the same

    return TelegramSettings(
        token=telegram.token.reveal(),
        base_url=telegram.base_url,
        mode=telegram.mode,
        webhook_url=telegram.webhook_url,
        names=tuple(telegram.names),
        proxy=telegram.proxy,
    )


def _slack(workspace: SlackWorkspace, name: str, knows_thread: KnowsThread) -> ChannelAdapter:
    from channels.slack.adapter import SlackAdapter  # noqa: PLC0415 - who has no workspace doesn't wait for it

    return SlackAdapter(_slack_settings(workspace, name), knows_thread=knows_thread)


def _slack_settings(workspace: SlackWorkspace, name: str) -> "SlackSettings":
    from channels.slack.settings import SlackSettings  # noqa: PLC0415 - the same

    return SlackSettings(
        bot_token=workspace.bot_token.reveal(),
        app_token=workspace.app_token.reveal() if workspace.app_token else "",
        signing_secret=workspace.signing_secret.reveal() if workspace.signing_secret else "",
        base_url=workspace.base_url,
        connections=workspace.connections,
        proxy=workspace.proxy,
        workspace=name,
    )


def known_threads(stores: Stores, *, scope: Scope = Scope.THREAD) -> KnowsThread:
    """Whether a thread is a conversation of ours already: what is written there then needs no new mention.

    It is if its first message was for us, or if it is a session; with scope `chat` no thread is one.
    """

    async def known(message: InboundMessage, root_id: str) -> bool:
        if await stores.journal.accepted(root_id) is not None:
            return True
        key = session_key(message, scope=scope)
        return scope is not Scope.CHAT and await stores.sessions.audience_of(key) is not None

    return known
