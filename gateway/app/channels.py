"""The channels that are configured, as adapters."""

from collections.abc import Awaitable, Callable

from channels.adapter import ChannelAdapter
from channels.messages import InboundMessage
from gateway.app.stores import Stores
from gateway.config import Settings
from gateway.config.channels import SlackWorkspace
from memory.errors import StoreUnavailable

Admits = Callable[[InboundMessage], bool]
"""Whether a message would be taken in, by the rules that are in force now."""


def channel_adapters(settings: Settings, stores: Stores, *, admits: Admits) -> list[ChannelAdapter]:
    """Telegram and each Slack workspace, where a token is set; ConfigError when a token can't be read."""
    adapters: list[ChannelAdapter] = []
    if settings.channels.telegram.token:
        adapters.append(_telegram(settings, admits))
    adapters += [
        _slack(workspace, name, stores)
        for name, workspace in settings.channels.slack.items()
        if workspace.bot_token
    ]
    return adapters


def _telegram(settings: Settings, admits: Admits) -> ChannelAdapter:
    from channels.telegram.adapter import TelegramAdapter  # noqa: PLC0415 - who has no bot doesn't wait for it
    from channels.telegram.settings import TelegramSettings  # noqa: PLC0415 - the same

    telegram = settings.channels.telegram
    return TelegramAdapter(
        TelegramSettings(
            token=telegram.token.reveal(),
            base_url=telegram.base_url,
            mode=telegram.mode,
            webhook_url=telegram.webhook_url,
            names=tuple(telegram.names),
            proxy=telegram.proxy,
        ),
        unavailable=(StoreUnavailable,),
        admits=admits,
    )


def _slack(workspace: SlackWorkspace, name: str, stores: Stores) -> ChannelAdapter:
    from channels.slack.adapter import SlackAdapter  # noqa: PLC0415 - who has no workspace doesn't wait for it
    from channels.slack.settings import SlackSettings  # noqa: PLC0415 - the same

    settings = SlackSettings(
        bot_token=workspace.bot_token.reveal(),
        app_token=workspace.app_token.reveal() if workspace.app_token else "",
        signing_secret=workspace.signing_secret.reveal() if workspace.signing_secret else "",
        base_url=workspace.base_url,
        connections=workspace.connections,
        proxy=workspace.proxy,
        workspace=name,
    )
    return SlackAdapter(settings, knows_thread=known_threads(stores))


def known_threads(stores: Stores) -> Callable[[str, str], Awaitable[bool]]:
    """Whether a thread is a session of ours already: what is written there then needs no new mention."""

    async def known(chat_id: str, thread: str) -> bool:
        return await stores.sessions.audience_of(f"slack:{chat_id}#{thread}") is not None

    return known
