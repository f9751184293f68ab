"""The configuration, read again while the daemon runs: what can change changes at once, the rest is named."""

import re

from gateway.app.gateway import Gateway
from gateway.app.web import keys_of
from gateway.config import load
from gateway.config.differences import differing
from gateway.http.visitors import Visitors
from gateway.operations.operation import Document
from gateway.service import logs

_AT_ONCE = re.compile(
    r"people(\..+)?"
    r"|access\.(groups|pairing|workspaces)"
    r"|gateway\.(drain_seconds|log_level)"
    r"|channels\.(telegram|slack(\.[^.]+)?)\.groups"
    r"|channels\.web\.token"
)
"""The keys whose values are asked for anew each time."""


class Reloading:
    """Reads the configuration again each time it is called; with faults in it nothing changes.

    Gives the keys that changed since the last time and were `applied`, and those that `needs_restart` because
    they differ from what the daemon was started with.
    """

    def __init__(self, gateway: Gateway, visitors: Visitors) -> None:
        self._gateway = gateway
        self._visitors = visitors
        self._started_with = gateway.settings

    async def __call__(self) -> Document:
        """Read, and go by it; ConfigError names every fault."""
        before = self._gateway.settings
        after = load(before.source, state=before.gateway.state, environ=before.environ, names_secrets=True)
        self._visitors.keys = keys_of(after)
        self._gateway.reload(after)
        logs.adjust(level=after.gateway.log_level, secrets=after.secret_values())
        applied = filter(_AT_ONCE.fullmatch, differing(before, after))
        waiting = differing(self._started_with, after)
        return {
            "applied": list(applied),
            "needs_restart": [key for key in waiting if not _AT_ONCE.fullmatch(key)],
        }
