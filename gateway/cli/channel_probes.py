"""What `doctor` finds by asking each platform who we are there, and who may talk to us."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable

from channels.errors import ChannelError, ChannelRefused
from gateway.app.channels import round_trips
from gateway.cli.findings import Finding
from gateway.config import Settings
from gateway.errors import ConfigError
from gateway.service.logs import redact

_SECONDS = 15.0
"""A platform that takes longer for one answer can't be reached, for us."""


async def probe_channels(settings: Settings) -> AsyncIterator[Finding]:
    """One round trip on each channel that is set up; a daemon that listens there isn't disturbed by it."""
    asked = list(round_trips(settings))
    for name, ask in asked:
        yield await _asked(name, ask)
    if asked:
        yield _strangers(settings)


async def _asked(channel: str, ask: Callable[[], Awaitable[str]]) -> Finding:
    began = time.monotonic()
    try:
        async with asyncio.timeout(_SECONDS):
            who = await ask()
    except TimeoutError:
        message = f"no answer within {_SECONDS:.0f} s"
        return Finding(check=channel, ok=False, message=message, fix="look at this machine's network")
    except (ChannelError, ConfigError) as error:
        token = isinstance(error, ChannelRefused | ConfigError)
        fix = (
            "look at its tokens in mneme.toml" if token else "look at this machine's network, or at its proxy"
        )
        return Finding(check=channel, ok=False, message=redact(str(error)), fix=fix)
    message = f"answered {who} in {time.monotonic() - began:.1f} s"
    return Finding(check=channel, ok=True, message=message)


def _strangers(settings: Settings) -> Finding:
    if settings.access.pairing:
        message = "a stranger's direct message is answered with a code; mneme pair approve CODE lets them in"
        return Finding(check="access", ok=True, message=message)
    return Finding(
        check="access",
        ok=True,
        message="strangers meet silence; the log names their ids (stranger_refused)",
        fix="allow people under [people] and groups under [access] in mneme.toml",
    )
