"""One heap for all threads of the process, where the C library lets us choose."""

import ctypes
from contextlib import suppress
from typing import Final

_ARENA_MAX: Final = -8  # M_ARENA_MAX of glibc's malloc.h


def share_one_heap() -> None:
    """Call it before any thread begins; does nothing where the C library isn't glibc.

    glibc gives each thread a heap of its own, which holds on to what it has freed: 15 MiB in the daemon, for
    threads that take turns at the interpreter anyway.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)
