"""A summariser that failed is left alone for a while: a minute, then five, then fifteen, per audience, over restarts."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from memory.atomic import ensure_dir, read_regular, remove_file, replace_file
from memory.audience import audience_directory
from memory.errors import StoreUnavailable

FILE = ".cooldown"

PAUSES = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=15))
"""After the first, the second and every further failure in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pause:
    failures: int = 0
    until: datetime | None = None


class CoolDowns:
    """Remembers when each audience's summariser may be asked again, in a file of the audience."""

    def __init__(self, state: Path, *, now: Callable[[], datetime]) -> None:
        self._state = state
        self._now = now

    async def is_cooling(self, audience: str) -> bool:
        """Whether the summariser failed a short while ago."""
        until = (await self._read(audience)).until
        return until is not None and self._now() < until

    async def failed(self, audience: str) -> None:
        """It failed (once more): leave it alone for longer."""
        failures = (await self._read(audience)).failures + 1
        until = self._now() + PAUSES[min(failures, len(PAUSES)) - 1]
        path = self._path(audience)
        await ensure_dir(path.parent)
        await replace_file(path, orjson.dumps({"failures": failures, "until": until.isoformat()}))

    async def worked(self, audience: str) -> None:
        """It gave something usable: the next failure is a first one again."""
        await remove_file(self._path(audience))

    async def _read(self, audience: str) -> _Pause:
        return await asyncio.to_thread(_read, self._path(audience), latest=self._now() + PAUSES[-1])

    def _path(self, audience: str) -> Path:
        return audience_directory(self._state, audience) / FILE


def _read(path: Path, *, latest: datetime) -> _Pause:
    """What the file says; one that makes no sense says nothing, and no clock that was set back makes a pause longer."""
    try:
        document: Any = orjson.loads(read_regular(path) or b"")
        failures, until = int(document["failures"]), datetime.fromisoformat(document["until"])
    except (StoreUnavailable, ValueError, TypeError, KeyError):
        return _Pause()
    if failures < 1 or until.tzinfo is None or until > latest:
        return _Pause()
    return _Pause(failures=failures, until=until)
