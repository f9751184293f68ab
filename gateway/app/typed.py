"""What was typed at the terminal and can be called up again there, as far as it is to be forgotten."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from memory.atomic import disk_errors, replace_now
from memory.sessions.manager import SessionManager

TYPED = "terminal_history"
"""The file, in the state directory; its form is that of prompt-toolkit's `FileHistory`."""

_SESSIONS = "terminal:"


class TypedWords:
    """Erases lines by what they say; the file doesn't tell in which of the terminal's sessions one was typed."""

    def __init__(self, state: Path, *, sessions: SessionManager) -> None:
        self._path = state / TYPED
        self._sessions = sessions

    async def erase(self, *, holds: Callable[[str, str], bool]) -> int:
        """Erase every line for which `holds(session, text)` is true of a session of the terminal; how many."""
        keys = [head.key for head in await self._sessions.heads() if head.key.startswith(_SESSIONS)]
        return await asyncio.to_thread(
            self._erase, lambda text: any(holds(key, text) for key in keys or [_SESSIONS])
        )

    def _erase(self, is_erased: Callable[[str], bool]) -> int:
        with disk_errors(self._path):
            try:
                text = self._path.read_bytes().decode("utf-8", "surrogateescape")
            except FileNotFoundError:
                return 0
        before, *entries = text.split("\n# ")
        kept = [each for each in entries if not is_erased(each.partition("\n")[2].replace("\n+", "\n"))]
        if len(kept) < len(entries):
            replace_now(self._path, "\n# ".join([before, *kept]).encode("utf-8", "surrogateescape"))
        return len(entries) - len(kept)
