"""The two faces of a terminal chat: a person at a keyboard, and a pipe."""

import asyncio
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.markdown import Markdown
from rich.text import Text

from channels.terminal import Answer
from gateway.app.typed import TYPED

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

PROMPT = "› "


class PipeScreen:
    """Lines in, plain text out; each line is read when the one before is answered."""

    async def read(self) -> str | None:
        """The next line; None at the end of the input."""
        line = await asyncio.to_thread(sys.stdin.buffer.readline)
        return line.decode("utf-8", "replace").rstrip("\r\n") if line else None

    def stream(self, text: str) -> None:
        """A pipe gets finished answers."""

    def answer(self, answer: Answer) -> None:
        """Print the answer that is awaited."""
        self.show(answer.text)

    def show(self, text: str) -> None:
        """Print a text as it is."""
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    def interrupts(self, on_interrupt: Callable[[], None]) -> None:
        """A pipe's Ctrl-C ends the program, as everywhere."""


class TerminalScreen:
    """Line editing with history and several lines (Alt+Enter), answers as Markdown while they are written."""

    def __init__(self, *, history: Path) -> None:
        self._console = Console()
        self._history = history
        self._session: PromptSession[str] | None = None
        self._live: Live | None = None

    async def read(self) -> str | None:
        """What was typed; None at Ctrl-D, or at Ctrl-C on an empty line."""
        from prompt_toolkit.patch_stdout import patch_stdout  # noqa: PLC0415 - a pipe never needs it

        session = self._session = self._session or self._new_session()
        with patch_stdout(raw=True):
            try:
                return await session.prompt_async(PROMPT)
            except (EOFError, KeyboardInterrupt):
                return None

    def stream(self, text: str) -> None:
        """Show the last lines of what is written so far; the whole follows when it is finished."""
        if self._live is None:
            self._live = Live(console=self._console, transient=True, refresh_per_second=12)
            self._live.start()
        lines = text.splitlines()[-max(1, self._console.height - 4) :]
        self._live.update(Text("\n".join(lines)))

    def answer(self, answer: Answer) -> None:
        """Print the answer that is awaited."""
        self.show(answer.text)

    def show(self, text: str) -> None:
        """Print a finished text."""
        if self._live is not None:
            self._live.stop()
            self._live = None
        self._console.print(_markdown(text))
        self._console.print()

    def interrupts(self, on_interrupt: Callable[[], None]) -> None:
        """Ctrl-C while an answer is awaited; at the prompt the line editor has it."""
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, on_interrupt)

    def _new_session(self) -> "PromptSession[str]":
        from prompt_toolkit import PromptSession  # noqa: PLC0415 - a pipe never needs it
        from prompt_toolkit.history import FileHistory, InMemoryHistory  # noqa: PLC0415 - the same
        from prompt_toolkit.key_binding import KeyBindings  # noqa: PLC0415 - the same
        from prompt_toolkit.key_binding.key_processor import KeyPressEvent  # noqa: PLC0415 - the same

        keys = KeyBindings()

        @keys.add("escape", "enter")
        def _newline(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        if self._history.exists() and not self._history.is_file():  # reading a pipe would wait for ever
            return PromptSession(history=InMemoryHistory(), key_bindings=keys)
        self._history.touch(mode=0o600)
        return PromptSession(history=FileHistory(str(self._history)), key_bindings=keys)


def _markdown(text: str) -> Markdown:
    """The text as Markdown in which a line ends where it was ended, as on every other platform."""
    shown = Markdown(text)
    for part in (child for token in shown.parsed for child in token.children or ()):
        if part.type == "softbreak":
            part.type = "hardbreak"
    return shown


class OneMessage(PipeScreen):
    """Says one thing, reads nothing, and keeps what comes of it for whoever prints it."""

    def __init__(self, text: str) -> None:
        self._texts = [text]
        self.answered: Answer | None = None
        self.beside: list[str] = []
        """What nobody waited for: answers to earlier questions, reminders."""

    def answer(self, answer: Answer) -> None:
        """Keep it."""
        self.answered = answer

    def show(self, text: str) -> None:
        """Keep it."""
        self.beside.append(text)

    async def read(self) -> str | None:
        """The message, once."""
        return self._texts.pop() if self._texts else None


def screen_for(state: Path) -> PipeScreen | TerminalScreen:
    """The screen that fits where input comes from and output goes to; what was typed is remembered in `state`."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        return TerminalScreen(history=state / TYPED)
    return PipeScreen()
