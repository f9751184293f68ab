"""What an archive says of itself: who wrote it and when, and the size and hash of every file in it."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from gateway.errors import GatewayError

NAME = "manifest.json"
"""The archive's last member: an archive that was cut off has none."""
ROOT = "state/"
"""What the names of the state directory's files begin with in the archive."""
FORMAT = 1


class BackupRefused(GatewayError):
    """It can't be written or restored; the text is one line for the operator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """One file: bytes and SHA-256."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """`files` are named as in the state directory. `left_out` names what is no plain file."""

    version: str
    created_at: datetime
    files: Mapping[str, FileRecord]
    left_out: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(record.size for record in self.files.values())

    @property
    def counts(self) -> dict[str, int]:
        """How many files there are by what lies at the top of the state directory."""
        return dict(sorted(Counter(name.partition("/")[0] for name in self.files).items()))


def manifest_to_json(manifest: Manifest) -> bytes:
    """The manifest's text in the archive."""
    document = {
        "format": FORMAT,
        "version": manifest.version,
        "created_at": manifest.created_at.isoformat(),
        "counts": manifest.counts,
        "left_out": list(manifest.left_out),
        "files": {
            name: {"size": record.size, "sha256": record.sha256} for name, record in manifest.files.items()
        },
    }
    return json.dumps(document, indent=1, ensure_ascii=False).encode("utf-8", "surrogateescape")


def manifest_from_json(data: bytes) -> Manifest:
    """The manifest of a text; BackupRefused where it is none that we can read."""
    try:
        document: dict[str, Any] = json.loads(data.decode("utf-8", "surrogateescape"))
        if document["format"] != FORMAT:
            raise BackupRefused(f"the archive has format {document['format']}, and this Mneme reads {FORMAT}")
        return Manifest(
            version=str(document["version"]),
            created_at=datetime.fromisoformat(document["created_at"]),
            files={
                name: FileRecord(size=int(record["size"]), sha256=str(record["sha256"]))
                for name, record in document["files"].items()
            },
            left_out=tuple(document.get("left_out", ())),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BackupRefused("the archive's manifest can't be read") from error
