"""A working directory that nobody keeps a mneme.toml in: the one of whoever runs Mneme from this checkout is theirs."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def elsewhere() -> Iterator[None]:
    """Work in an empty directory, and come back."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="mneme-elsewhere-") as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
