"""The directory of session files: which file is whose, and reading them (in threads: everything here blocks)."""

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from memory.atomic import disk_errors, open_regular, remove_now
from memory.messages import Message
from memory.names import original_text, safe_name
from memory.sessions.codec import decode
from memory.sessions.session import Session
from memory.sessions.stores.base import SET_ASIDE, Damage, SessionHead
from memory.sessions.stores.contents import Contents, read_contents
from memory.sessions.stores.ends import offset_of, read_end, read_from

_SUFFIX = ".jsonl"
# With both suffixes and those of a temporary file it stays under the 255 bytes of a file name.
_NAME_BYTES = 180
# What nanobot puts an underscore for.
_THEIR_UNSAFE = re.compile(r'[<>:"/\\|?*]')


class SessionFiles:
    """Reads the files of a directory; missing ones and a missing directory hold nothing."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._heads: dict[Path, tuple[tuple[int, int], SessionHead]] = {}

    def path(self, key: str) -> Path:
        """The file of a session: its own name, or the one that nanobot gave it."""
        path = self.directory / (safe_name(key, limit_bytes=_NAME_BYTES) + _SUFFIX)
        if path.exists():
            return path
        return self._their_path(key) or path

    def damaged_path(self, path: Path) -> Path:
        """Where what can't be read of a file is kept."""
        return path.with_name(f"{path.name}.damaged")

    def size(self, key: str) -> int:
        """Bytes of the session's file; 0 where there is none."""
        path = self.path(key)
        with disk_errors(path), contextlib.suppress(FileNotFoundError):
            return path.stat().st_size
        return 0

    def load(self, key: str, limit: int) -> Session | None:
        """The session with its last messages."""
        contents = self.read_end(key, limit)
        if contents is None:
            return None
        session = contents.session(key)
        session.messages = contents.messages(last=limit)
        return session

    def read_end(self, key: str, limit: int) -> Contents | None:
        """The state and at least the last `limit` messages, cheaply where the file is tidy; None without a file."""
        return self._read_end(self.path(key), limit)

    def read_whole(self, key: str) -> Contents | None:
        """Everything in the file; None where there is none."""
        with _opened(self.path(key)) as file:
            return read_contents(file.read()) if file else None

    def page(self, key: str, before: int, limit: int) -> list[Message]:
        """The messages before a number."""
        with _opened(self.path(key)) as file:
            if file is None or limit <= 0 or before <= 1:
                return []
            contents = None
            if (end := offset_of(file, before, size=_size(file))) is not None:
                contents = read_end(file, end=end, limit=limit, with_metadata=False)
            contents = contents or _whole(file)
            return contents.messages(to_seq=before - 1, last=limit)

    def read(self, key: str, from_seq: int, to_seq: int) -> list[Message]:
        """The messages between two numbers."""
        with _opened(self.path(key)) as file:
            if file is None:
                return []
            contents = None
            if (start := offset_of(file, from_seq, size=_size(file))) is not None:
                contents = read_from(file, start, to_seq=to_seq)
            contents = contents or _whole(file)
            return contents.messages(from_seq=from_seq, to_seq=to_seq)

    def heads(self) -> list[SessionHead]:
        """Every session, newest update first; a file that has not changed is not read again."""
        known, self._heads = self._heads, {}
        for path in self.directory.glob(f"*{_SUFFIX}"):
            with contextlib.suppress(FileNotFoundError):  # deleted meanwhile
                found = path.stat()
                if not stat.S_ISREG(found.st_mode):
                    continue  # nobody's words are in a pipe or a folder
                stamp = (found.st_mtime_ns, found.st_size)
                old = known.get(path)
                head = old[1] if old is not None and old[0] == stamp else self._head(path)
                if head is not None:
                    self._heads[path] = (stamp, head)
        heads = [head for _, head in self._heads.values()]
        return sorted(heads, key=lambda head: head.updated_at, reverse=True)

    def damages(self, key: str) -> list[Damage]:
        """What of a file can't be read, and what was set aside earlier."""
        path = self.path(key)
        contents = self.read_whole(key)
        found = [
            Damage(
                key=key,
                place=f"{path.name} line {broken.line}",
                problem=broken.problem,
                repair="left out; goes to the .damaged file with the next save",
            )
            for broken in (contents.broken if contents else ())
        ]
        aside = self.damaged_path(path)
        with _opened(aside) as file:
            return found + [
                Damage(
                    key=key,
                    place=f"{aside.name} line {number}",
                    problem="could not be read",
                    repair=SET_ASIDE,
                    is_aside=True,
                )
                for number, line in enumerate(file or (), start=1)
                if line.strip()
            ]

    def remove(self, key: str) -> bool:
        """Remove everything of a session, durably; whether there was anything."""
        path = self.path(key)
        existed = path.exists()
        remove_now(path)
        remove_now(self.damaged_path(path))
        return existed

    def remove_damaged(self, key: str) -> None:
        """Remove, durably, what was set aside."""
        remove_now(self.damaged_path(self.path(key)))

    def _read_end(self, path: Path, limit: int) -> Contents | None:
        with _opened(path) as file:
            if file is None:
                return None
            return read_end(file, end=_size(file), limit=limit) or _whole(file)

    def _head(self, path: Path) -> SessionHead | None:
        contents = self._read_end(path, 0)
        if contents is None:
            return None
        stored = contents.metadata.get("key")
        key = stored if isinstance(stored, str) else original_text(path.stem)
        if key is None or self.path(key) != path:
            return None  # nobody can ask for it by a key
        session = contents.session(key)
        return SessionHead(
            key=key,
            audience=session.audience,
            last_seq=session.last_seq,
            last_consolidated=session.last_consolidated,
            tokens=session.tokens,
            updated_at=session.updated_at,
            erasures=contents.erasures,
        )

    def _their_path(self, key: str) -> Path | None:
        name = _THEIR_UNSAFE.sub("_", key)
        if not name or name.startswith(".") or not name.isprintable() or len(name.encode()) > _NAME_BYTES:
            return None
        path = self.directory / (name + _SUFFIX)
        with _opened(path) as file:
            return path if file is not None and _key_in(file.readline()) == key else None


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[BinaryIO | None]:
    file = open_regular(path)
    with disk_errors(path), file or contextlib.nullcontext():
        yield file


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size


def _whole(file: BinaryIO) -> Contents:
    file.seek(0)
    return read_contents(file.read())


def _key_in(line: bytes) -> object:
    try:
        return decode(line).get("key")
    except ValueError:
        return None
