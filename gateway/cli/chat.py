"""`mneme chat`: a conversation in the terminal."""

from channels.messages import SessionKey
from channels.terminal import TerminalAdapter
from gateway.app import open_stores
from gateway.cli.screen import PipeScreen, screen_for
from gateway.config import Settings


class _OneMessage(PipeScreen):
    """A screen that says one thing and reads nothing."""

    def __init__(self, text: str) -> None:
        self._texts = [text]

    async def read(self) -> str | None:
        """The message, once."""
        return self._texts.pop() if self._texts else None


async def chat(settings: Settings, *, message: str | None, session: str | None) -> None:
    """Chat until the input ends; with `message`, say that, print the reply and return."""
    async with open_stores(settings) as stores:
        screen = (
            _OneMessage(message)
            if message is not None
            else screen_for(settings.gateway.state / "terminal_history")
        )
        adapter = TerminalAdapter(screen, session_key=SessionKey(session) if session else None)
