"""Who may see a memory: one person, or everybody in one group chat (P13)."""

import re
import unicodedata
from pathlib import Path

from memory.names import safe_name

# Nothing that separates folders, hides a file or ends a line; everything that `safe_name` gives.
_AUDIENCE = re.compile(r"(?:person|group)-(?:[a-z0-9%+~_.-]|[^\W\x00-\x7f])+")
# Of a file name, in bytes; file systems take 255 and tools add suffixes of their own.
_LIMIT_BYTES = 200


def person_audience(name: str) -> str:
    """The audience of a person, on every channel: `person-ann`."""
    return f"person-{safe_name(name)}"


def group_audience(channel: str, chat_id: str) -> str:
    """The audience of a group chat: `group-telegram--100200`; the `-` after the channel is the only one before the id."""
    return f"group-{safe_name(channel, limit_bytes=60, escape='-')}-{safe_name(chat_id, limit_bytes=120)}"


def is_group(audience: str) -> bool:
    """Whether an audience is everybody in a group chat, and not one person."""
    return audience.startswith("group-")


def audience_directory(state: Path, audience: str) -> Path:
    """Where the memory of an audience lies; ValueError for a text that is no audience's name, `shared` included."""
    if not _is_audience(audience):
        raise ValueError(
            f"{audience!r} is no audience: expected person-NAME or group-CHANNEL-ID, such as person-ann"
        )
    return state / "memory" / audience


def audiences_in(state: Path) -> list[str]:
    """Those that have a folder; reads the disk."""
    folders = sorted(path.name for path in (state / "memory").glob("*") if path.is_dir())
    return [name for name in folders if _is_audience(name)]


def _is_audience(text: str) -> bool:
    # One folder must not have two names: letter case and Unicode form are as `safe_name` leaves them.
    plain = _AUDIENCE.fullmatch(text) and text == unicodedata.normalize("NFKD", text).lower()
    return bool(plain) and len(text.encode()) <= _LIMIT_BYTES
