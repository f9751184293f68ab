"""How far Dream has read in an audience's archive, how often it tried what comes next, and what it gave up."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import aiofiles

from memory.archive.record import read_count
from memory.atomic import append_line, disk_errors, plain_opener, replace_file
from memory.audience import audience_directory
from memory.sessions.codec import decode, encode, format_time, parse_time, whole_number

_CURSOR = ".dream_cursor"
_ATTEMPTS = ".dream_attempts"
_ASIDE = ".dream_aside"


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside:
    """A batch that Dream gave up: the entries from one cursor to another, none of which are in the files."""

    from_cursor: int
    to_cursor: int
    at: datetime
    reason: str


class Progress:
    """The three small files of one audience; none of them holds words of anybody's."""

    def __init__(self, state: Path, *, audience: str) -> None:
        self._directory = audience_directory(state, audience)

    async def cursor(self) -> int:
        """The last entry that is done with; see `read_count`."""
        return await asyncio.to_thread(read_count, self._directory / _CURSOR)

    async def move(self, cursor: int) -> None:
        """Be done with everything up to the cursor."""
        await replace_file(self._directory / _CURSOR, f"{cursor}\n".encode())

    async def begin(self, *, after: int) -> int:
        """Count one more attempt at what comes after the cursor, before it is made; which one it is."""
        begun, failed = await self._attempts(after)
        await self._save_attempts(after, begun=begun + 1, failed=failed)
        return begun + 1

    async def fail(self, *, after: int) -> int:
        """Count one more attempt that ended without an answer; how many did. A restart in its midst is none of them."""
        begun, failed = await self._attempts(after)
        await self._save_attempts(after, begun=begun, failed=failed + 1)
        return failed + 1

    async def spare(self) -> None:
        """Take the attempt that was begun last back: what was asked is not to blame for how it ended."""
        try:
            raw = decode(await self._read(_ATTEMPTS))
        except ValueError:
            return
        after, begun, failed = (whole_number(raw.get(name)) for name in ("after", "begun", "failed"))
        await self._save_attempts(after, begun=max(0, begun - 1), failed=failed)

    async def _attempts(self, after: int) -> tuple[int, int]:
        try:
            raw = decode(await self._read(_ATTEMPTS))
        except ValueError:
            return 0, 0
        if raw.get("after") != after:
            return 0, 0
        return whole_number(raw.get("begun")), whole_number(raw.get("failed"))

    async def _save_attempts(self, after: int, *, begun: int, failed: int) -> None:
        data = encode({"after": after, "begun": begun, "failed": failed})
        await replace_file(self._directory / _ATTEMPTS, data)

    async def set_aside(self, aside: Aside) -> None:
        """Name a batch that is given up; move the cursor afterwards."""
        await append_line(self._directory / _ASIDE, _line(aside))

    async def take_back(self, done: Aside) -> None:
        """A batch that was given up is in the files after all."""
        left = [_line(aside) + b"\n" for aside in await self.aside() if aside != done]
        await replace_file(self._directory / _ASIDE, b"".join(left))

    async def aside(self) -> tuple[Aside, ...]:
        """The batches that were given up, oldest first."""
        found = []
        for line in (await self._read(_ASIDE)).splitlines():
            try:
                raw = decode(line)
            except ValueError:
                continue
            at = parse_time(raw.get("timestamp"))
            if at is not None:
                found.append(
                    Aside(
                        from_cursor=whole_number(raw.get("from")),
                        to_cursor=whole_number(raw.get("to")),
                        at=at,
                        reason=str(raw.get("reason")),
                    )
                )
        return tuple(dict.fromkeys(found))

    async def _read(self, name: str) -> bytes:
        with disk_errors(self._directory / name):
            try:
                async with aiofiles.open(self._directory / name, "rb", opener=plain_opener) as file:
                    return bytes(await file.read())
            except FileNotFoundError:
                return b""


def _line(aside: Aside) -> bytes:
    return encode(
        {
            "from": aside.from_cursor,
            "to": aside.to_cursor,
            "timestamp": format_time(aside.at),
            "reason": aside.reason,
        }
    )
