"""A disk that fills up in the middle of a write."""

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def disk_full_after(size: int) -> Iterator[None]:
    """No file may grow beyond this many bytes; what still fits of a write is written."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
