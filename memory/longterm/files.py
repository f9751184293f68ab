"""The Markdown files of long-term memory, read as they are."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memory.atomic import read_regular
from memory.audience import audience_directory
from memory.errors import StoreUnavailable
from memory.longterm.pages import MAX_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """Steps to follow, under a name; `description` says in a line when."""

    name: str
    description: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LongTerm:
    """What the files of an audience say; "" where there is none. `skills` are those of all, then its own."""

    agents: str = ""
    shared_soul: str = ""
    soul: str = ""
    user: str = ""
    memory: str = ""
    skills: tuple[Skill, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Snapshot:
    places: Sequence[str]
    stamps: Sequence[tuple[int, int]]
    content: LongTerm


class LongTermFiles:
    """Reads the files of an audience and those that all share; unchanged files are not read again."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self._snapshots: dict[str, _Snapshot] = {}

    async def read(self, audience: str) -> LongTerm:
        """What the files say now, of one beyond MAX_BYTES its head.

        A missing, unreadable or foreign file (a link out of the folder of the audience, or of what all share) is "".
        """
        # A dozen looks at what the kernel has in its cache take microseconds; a thread takes a hundred times that.
        known = self._snapshots.get(audience)
        if known is not None and known.stamps == _stamps(known.places):
            return known.content
        return await asyncio.to_thread(self._read, audience)

    def _read(self, audience: str) -> LongTerm:
        shared = self._state / "memory" / "shared"
        own = audience_directory(self._state, audience)
        files = [
            shared / "AGENTS.md",
            shared / "SOUL.md",
            own / "SOUL.md",
            own / "USER.md",
            own / "MEMORY.md",
        ]
        folders = [shared / "skills", own / "skills"]
        skills = [path for folder in folders for path in sorted(folder.glob("*/SKILL.md"))]
        places = [str(path) for path in (*files, *folders, *skills)]
        stamps = _stamps(places)  # before reading: what is written meanwhile is read again
        agents, shared_soul = (self._text(path, within=shared) for path in files[:2])
        soul, user, memory = (self._text(path, within=own) for path in files[2:])
        content = LongTerm(
            agents=agents,
            shared_soul=shared_soul,
            soul=soul,
            user=user,
            memory=memory,
            skills=tuple(self._skill(path) for path in skills),
        )
        self._snapshots[audience] = _Snapshot(places=places, stamps=stamps, content=content)
        return content

    def _skill(self, path: Path) -> Skill:
        text = self._text(path, within=path.parents[2])
        return Skill(name=path.parent.name, description=_description(text), text=text)

    def _text(self, path: Path, *, within: Path) -> str:
        try:
            # Another audience's file is as foreign as one outside of the state directory (P13); a pipe has no end.
            place, folder = path.resolve(), within.resolve()
            if not (place.is_relative_to(folder) and folder.is_relative_to(self._state.resolve())):
                return ""
            return (read_regular(place, limit=MAX_BYTES) or b"").decode("utf-8", "replace").strip()
        except (
            OSError,
            RuntimeError,
            StoreUnavailable,
        ):  # pathlib's word for a link to itself is RuntimeError
            return ""


def _stamps(places: Sequence[str]) -> list[tuple[int, int]]:
    return [_stamp(place) for place in places]


def _stamp(place: str) -> tuple[int, int]:
    try:
        found = os.stat(place)  # noqa: PTH116 - a path object costs more than the look
    except OSError:
        return 0, -1
    return found.st_mtime_ns, found.st_size


def _description(text: str) -> str:
    """The `description:` of a skill's front matter, else its first line of prose."""
    for line in text.splitlines():
        if line.startswith("description:"):
            return line.removeprefix("description:").strip().strip("\"'")
    return next(
        (line for line in text.splitlines() if line.strip() and not line.startswith(("#", "---"))), ""
    )
