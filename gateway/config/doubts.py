"""What a configuration may say, and hardly means: doctor and the start of the daemon tell."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Final

from gateway.config.environment import misspelt
from gateway.config.settings import Settings, unread_zone

_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_NOT_YET: Final = (
    "llm.vision",
    "voice.model",
    "tools.search",
    "tools.shell",
    "tools.mcp",
)
"""Keys that are read and checked, and that nothing in this version goes by."""


def doubts(settings: Settings, environ: Mapping[str, str]) -> list[str]:
    """One line for each, beginning with the key or the variable."""
    found = [
        f"{path}: the secret itself is written here; write env:NAME or file:PATH"
        for path, secret in settings.secrets()
        if secret.is_plain
    ]
    if settings.people and settings.owner is None:
        found.append(
            'people: nobody has role = "owner", so nobody can approve, pair or sit at the terminal; give it to somebody'
        )
    if _nobody_may_talk(settings):
        found.append(
            "access: a channel is set up, but no person, group or pairing lets anybody talk to it; "
            "name people or groups, or set access.pairing = true"
        )
    if _reachable_without_token(settings):
        found.append(
            "channels.web.token: gateway.http is open to the network, yet only this machine is answered; set one"
        )
    if settings.gateway.timezone == "auto" and (unread := unread_zone(environ)):
        found.append(
            f'TZ: "{unread}" names no time zone such as Europe/Berlin, so times are shown in {settings.zone_of().key}'
        )
    return found + _without_effect(settings) + misspelt(environ)


def _nobody_may_talk(settings: Settings) -> bool:
    channels = settings.channels
    listening = bool(channels.telegram.token) or any(entry.bot_token for entry in channels.slack.values())
    known = any(person.telegram or person.slack for person in settings.people.values())
    access = settings.access
    return listening and not (known or access.groups or access.workspaces or access.pairing)


def _reachable_without_token(settings: Settings) -> bool:
    address = settings.gateway.address
    tokens = [settings.channels.web.token, *(person.web_token for person in settings.people.values())]
    return address is not None and address[0] not in _LOOPBACK and not any(tokens)


def _without_effect(settings: Settings) -> list[str]:
    defaults = Settings()
    return [
        f"{key}: this version does nothing with it; leave it out"
        for key in _NOT_YET
        if attrgetter(key)(settings) != attrgetter(key)(defaults)
    ]
