"""What an erasure has left on the disk."""

import zlib
from pathlib import Path


def holding(state: Path, words: bytes = b"marzipan-4711") -> list[str]:
    """The files of the state directory that hold these bytes, compressed objects of git unpacked."""
    found = []
    for path in sorted(state.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            if "objects" in path.parts and len(path.parent.name) == 2:
                data = zlib.decompress(data)
            if words in data:
                found.append(path.relative_to(state).as_posix())
    return found
