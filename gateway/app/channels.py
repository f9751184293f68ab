"""The channels that are configured, as adapters."""

from collections.abc import Awaitable, Callable

from channels.adapter import ChannelAdapter
from channels.messages import InboundMessage, Scope, session_key
from gateway.app.stores import Stores
from gateway.config import Settings
from gateway.config.channels import SlackWorkspace
from memory.errors import StoreUnavailable

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


def _slack(workspace: SlackWorkspace, name: str, knows_thread: KnowsThread) -> ChannelAdapter:
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
    return SlackAdapter(settings, knows_thread=knows_thread)


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
