"""Shows a reply while it is being written, at the platform's pace and never at the model's cost."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import structlog

from channels.adapter import ChannelAdapter
from channels.errors import ChannelError
from channels.messages import OutboundMessage
from gateway.journal.base import Outbox
from gateway.service.waiting import first_of

log = structlog.get_logger(__name__)

CLOSING_SECONDS = 10.0
"""How long a finished answer waits for the platform to confirm the placeholder it will be edited into."""


Clear = Callable[[tuple[str, str]], Awaitable[None]]
"""Returns when nothing is owed to a chat (channel, chat id) any more."""


class Live:
    """One reply in the making. `wrote` never waits; a task of its own talks to the platform.

    Where the platform edits, the text appears in a placeholder whose id is journaled before its first edit, so
    that the finished answer goes into it also after a crash (P4). No placeholder is shown above what is still
    owed to the chat.
    """

    def __init__(
        self, message: OutboundMessage, *, adapter: ChannelAdapter | None, outbox: Outbox, clear: Clear
    ) -> None:
        self._message = message
        self._adapter = adapter
        self._outbox = outbox
        self._clear = clear
        self._text = ""
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._placeholder: str | None = None
        self._closing = asyncio.Event()

    def wrote(self, text: str) -> None:
        """A piece of the answer arrived."""
        self._text += text
        if self._adapter is None or not self._adapter.abilities.streams:
            return
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._show(self._adapter))
        self._changed.set()

    def restart(self) -> None:
        """What was written so far belonged to a round with calls; the answer begins anew."""
        self._text = ""

    async def close(self) -> str | None:
        """Stop showing; the placeholder that the reply must be edited into, if there is one."""
        self._closing.set()
        self._changed.set()
        task, self._task = self._task, None
        if task is not None:
            await asyncio.wait([task], timeout=CLOSING_SECONDS)
            task.cancel()
            await asyncio.wait([task])  # an edit that comes later would stand above the answer
            self._report(task)
        if self._adapter is None or not self._adapter.abilities.edits:
            return None
        return self._placeholder or await self._outbox.placeholder_of(self._message.id)

    async def _show(self, adapter: ChannelAdapter) -> None:
        if adapter.abilities.edits:
            await self._open(adapter)
            if self._placeholder is None:
                return
        while not self._closing.is_set():
            await self._changed.wait()
            self._changed.clear()
            shown = replace(self._message, text=self._text, placeholder=self._placeholder)
            await adapter.update_stream(shown)

    def _report(self, task: asyncio.Task[None]) -> None:
        """What is shown on the way is a courtesy, whose failure ends no turn: the outbox delivers the reply itself."""
        error = None if task.cancelled() else task.exception()
        if error is not None:
            is_platform = isinstance(error, ChannelError)
            log.warning(
                "reply_not_shown",
                channel=self._message.channel,
                error=type(error).__name__,
                exc_info=None if is_platform else error,
            )

    async def _open(self, adapter: ChannelAdapter) -> None:
        self._placeholder = await self._outbox.placeholder_of(self._message.id)
        if self._placeholder is None and await self._in_turn():
            self._placeholder = await adapter.open_stream(self._message)
            if self._placeholder is not None:
                await self._outbox.placeholder(self._message.id, self._placeholder)

    async def _in_turn(self) -> bool:
        """Wait until everything said before is delivered; False when the answer is finished first."""
        chat = (self._message.channel, self._message.chat_id)
        cleared = asyncio.ensure_future(self._clear(chat))
        await first_of(cleared, self._closing.wait())
        return cleared.done()
