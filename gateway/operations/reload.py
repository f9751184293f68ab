"""Reading the configuration again while we run: what can change changes, the rest is named."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import BaseModel

from gateway.config import Settings
from gateway.operations.operation import Document

LIVE = ("people", "access", "gateway.log_level", "channels.web")
"""What a running daemon can take over; everything else is wired at its start."""


class Reload:
    """Loads, compares, applies. `appliers` take the new settings over one after the other and must not fail."""

    def __init__(
        self,
        settings: Settings,
        *,
        load: Callable[[], Settings],
        appliers: Sequence[Callable[[Settings], None]],
    ) -> None:
        self._settings = settings
        self._load = load
        self._appliers = appliers

    async def __call__(self) -> Document:
        """`applied` and `needs_restart`, as key paths; ConfigError, and nothing has changed, for a file with faults."""
        settings = await asyncio.to_thread(self._load)
        changed = _changes(self._settings, settings, path="")
        applied = [path for path in changed if path.startswith(LIVE)]
        if applied:
            for apply in self._appliers:
                apply(settings)
        self._settings = settings
        return {"applied": applied, "needs_restart": [path for path in changed if path not in applied]}


def _changes(old: Any, new: Any, *, path: str) -> list[str]:
    if not (isinstance(old, BaseModel) and isinstance(new, BaseModel)):
        return [path] if old != new else []
    return [
        change
        for name in type(old).model_fields
        for change in _changes(
            getattr(old, name), getattr(new, name), path=f"{path}.{name}" if path else name
        )
    ]
