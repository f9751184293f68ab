"""The files that may change: found, read byte for byte, and written so that a crash leaves old or new."""

import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from memory.atomic import ensure_dir, remove_file, replace_file

MEMORY, USER, SOUL = "MEMORY.md", "USER.md", "SOUL.md"
MAX_BYTES = 1 << 20
"""A file beyond this is no memory of a conversation: it is neither edited nor kept in the history."""

_NAMES = (MEMORY, USER, SOUL)
_SKILL = re.compile(r"skills/[a-z0-9][a-z0-9-]{0,47}/SKILL\.md")
_CONFLICT = re.compile(rb"^(?:<{7} |>{7} |={7}\r?$)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One file as it stands. With a `problem` it is left alone; `stamp` tells whether it was written since."""

    data: bytes
    problem: str = ""
    stamp: tuple[int, int, int] = (0, 0, 0)

    @property
    def text(self) -> str:
        """Its words; bytes that are no UTF-8 stay what they are when encoded again by `encoded`."""
        return self.data.decode("utf-8", "surrogateescape")


NO_PAGE = Page(data=b"")


def is_page(path: str) -> bool:
    """Whether a path of the audience's folder is one that may change by itself."""
    return path in _NAMES or is_skill(path)


def is_skill(path: str) -> bool:
    """Whether it is the file of a skill."""
    return _SKILL.fullmatch(path) is not None


def encoded(text: str) -> bytes:
    """The bytes of a text that `Page.text` gave."""
    return text.encode("utf-8", "surrogateescape")


def read_pages(directory: Path) -> dict[str, Page]:
    """The pages that are there, by path; blocks. A file that is not plainly the audience's own is a problem."""
    root = directory.resolve()
    return {path: page for path in _paths(directory) if (page := _page(directory / path, root)) is not None}


async def write_pages(directory: Path, files: Mapping[str, bytes | None]) -> None:
    """Write each file atomically, None removes it; raises StoreUnavailable when the disk fails."""
    for path, data in files.items():
        place = directory / path
        if data is None:
            await remove_file(place)
        else:
            await ensure_dir(place.parent)
            await replace_file(place, data)


def _paths(directory: Path) -> Iterator[str]:
    yield from _NAMES
    for place in sorted(directory.glob("skills/*/SKILL.md")):
        path = place.relative_to(directory).as_posix()
        if is_skill(path):
            yield path


def _page(place: Path, root: Path) -> Page | None:
    try:
        found = place.lstat()
        if not stat.S_ISREG(found.st_mode) or not place.resolve().is_relative_to(root):
            return Page(data=b"", problem="is no plain file of this folder (a link is not followed)")
        if found.st_size > MAX_BYTES:
            return Page(data=b"", problem=f"has {found.st_size:,} bytes, more than {MAX_BYTES:,}")
        data = place.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return Page(data=b"", problem=f"can't be read: {error.strerror or error}")
    stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
    if _CONFLICT.search(data):
        return Page(data=data, problem="holds the marks of a merge conflict; resolve it by hand", stamp=stamp)
    return Page(data=data, stamp=stamp)
