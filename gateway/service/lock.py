"""One process per state directory: a lock of the kernel, which dies with the process that holds it.

The number in the file is for people. It decides nothing: in a container every process has the same one.
"""

import errno
import fcntl
import os
import stat
from pathlib import Path
from types import TracebackType
from typing import Self

_MODE = 0o600


class AlreadyRunning(Exception):
    """Another process holds the lock; the text says which and what to do."""

    def __init__(self, path: Path, *, pid: str) -> None:
        holder = f"process {pid}" if pid else "another process"
        super().__init__(
            f"Mneme is running already: {holder} holds {path}. Stop it first, or use another state directory."
        )
        self.path = path
        self.pid = pid


class ProcessLock:
    """Held from `acquire` to `release` or to the end of the process, whatever ends it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock or raise AlreadyRunning at once."""
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _MODE)
        try:
            self._require_plain(descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        except OSError as error:
            taken = error.errno in {errno.EWOULDBLOCK, errno.EACCES}
            pid = _pid_in(descriptor) if taken else ""
            os.close(descriptor)
            if taken:
                raise AlreadyRunning(self.path, pid=pid) from error
            raise
        self._descriptor = descriptor

    def _require_plain(self, descriptor: int) -> None:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "expected a plain file", str(self.path))

    def release(self) -> None:
        """Let go; the file stays, because removing it would let two processes hold two files of one name."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def _pid_in(descriptor: int) -> str:
    text = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
    return text if text.isdigit() else ""
