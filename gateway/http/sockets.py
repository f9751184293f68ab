"""Addresses of sockets in the file system, also where the path is longer than the system allows for one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LONGEST = 100
"""In bytes; the smallest limit in use is 104, its last byte a zero."""


@contextmanager
def unix_address(path: Path) -> Iterator[str]:
    """What to bind or connect to, for as long as the block lasts."""
    if len(os.fsencode(path)) <= _LONGEST:
        yield str(path)
        return
    # The directory by its descriptor: Linux alone has that, and elsewhere the system says what is wrong.
    descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{descriptor}/{path.name}"
    finally:
        os.close(descriptor)
