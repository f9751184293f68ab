"""What was typed at the terminal and can be called up again there, as far as it is to be forgotten."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from memory.atomic import read_regular, replace_now
from memory.forget import Holds
from memory.sessions.manager import SessionManager

TYPED = "terminal_history"
"""The file, in the state directory; its form is that of prompt-toolkit's `FileHistory`."""

_SESSIONS = "terminal:"


class TypedWords:
    """Erases lines by what they say; the file doesn't tell in which of the terminal's sessions one was typed."""

    def __init__(self, state: Path, *, sessions: SessionManager) -> None:
        self._path = state / TYPED
        self._sessions = sessions

    async def erase(self, *, holds: Holds) -> int:
        """Erase every line that is to go from a session of the terminal; how many."""
        keys = [head.key for head in await self._sessions.heads() if head.key.startswith(_SESSIONS)]
        return await asyncio.to_thread(
            self._erase, lambda text: any(holds(key, text, None) for key in keys or [_SESSIONS])
        )

    def _erase(self, is_erased: Callable[[str], bool]) -> int:
        data = read_regular(self._path)
        if data is None:
            return 0
        before, *entries = data.decode("utf-8", "surrogateescape").split("\n# ")
        kept = [each for each in entries if not is_erased(_text(each))]
        if len(kept) < len(entries):
            replace_now(self._path, "\n# ".join([before, *kept]).encode("utf-8", "surrogateescape"))
        return len(entries) - len(kept)


def _text(entry: str) -> str:
    """What was typed: every line of an entry but its first, the time, begins with a plus."""
    _time, *lines = entry.rstrip("\n").split("\n")
    return "\n".join(line.removeprefix("+") for line in lines)
