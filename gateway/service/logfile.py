"""A file of lines that starts anew when it is full, keeping the last few; a full disk costs lines, never a turn."""

import os
from contextlib import suppress
from pathlib import Path

_MODE = 0o600


class RotatedFile:
    """`mneme.jsonl`, then `mneme.jsonl.1` (the newest of the old ones) and so on.

    Lines go straight to the kernel, each with one write: they survive the death of the process.
    """

    def __init__(self, path: Path, *, limit_bytes: int = 10_000_000, kept: int = 5) -> None:
        self.path = path
        self.lost = 0
        self._limit = limit_bytes
        self._kept = kept
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._descriptor = self._open()
        self._size = os.fstat(self._descriptor).st_size

    def write(self, line: bytes) -> None:
        """Append one line; one that can't be written whole is counted in `lost`, and nothing of it stays."""
        try:
            if self._size and self._size + len(line) > self._limit:
                self._rotate()
            written = os.write(self._descriptor, line)
            if written < len(line):  # a disk that has just become full takes the beginning
                self.lost += 1
                os.ftruncate(self._descriptor, os.fstat(self._descriptor).st_size - written)
            else:
                self._size += written
        except OSError:
            self.lost += 1

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _open(self) -> int:
        flags = (
            os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
        )  # a pipe may have no reader
        return os.open(self.path, flags, _MODE)

    def _rotate(self) -> None:
        for number in range(self._kept - 1, 0, -1):
            with suppress(FileNotFoundError):
                self._numbered(number).replace(self._numbered(number + 1))
        with suppress(FileNotFoundError):
            self.path.replace(self._numbered(1))
        fresh = self._open()
        os.close(self._descriptor)
        self._descriptor, self._size = fresh, 0

    def _numbered(self, number: int) -> Path:
        return self.path.with_name(f"{self.path.name}.{number}")
