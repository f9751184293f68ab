"""What the people of a workspace are called; a lookup that fails or is slow leaves them their ids."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from time import monotonic

from channels.errors import ChannelError
from channels.recent import Recent
from channels.slack.api import SlackApi

_REMEMBERED = 5000
_GOOD_SECONDS = 3600.0
_FAILED_SECONDS = 60.0


class People:
    """Names by user id, each asked for once an hour, or once a minute where it failed."""

    def __init__(self, api: SlackApi, *, patience: float) -> None:
        self._api = api
        self._patience = patience
        self._known: Recent[str, tuple[str, float]] = Recent(limit=_REMEMBERED)

    async def names(self, user_ids: Iterable[str]) -> dict[str, str]:
        """The names that are known or can be had within `patience` seconds, all together."""
        found: dict[str, str] = {}
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                for user_id in user_ids:
                    found[user_id] = await self._name(user_id)
        return {user_id: name for user_id, name in found.items() if name}

    async def _name(self, user_id: str) -> str:
        name, until = self._known.get(user_id, ("", 0.0))
        if monotonic() < until:
            return name
        # Told before it is asked: a lookup that is cut off counts as failed.
        self._known[user_id] = name, monotonic() + _FAILED_SECONDS
        try:
            name = await self._api.user_name(user_id)
        except ChannelError:
            return name
        self._known[user_id] = name, monotonic() + _GOOD_SECONDS
        return name
