"""A conversation in a terminal, or over a pipe: one line in, one answer out."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from channels.adapter import Abilities, ChannelHealth, Receive, Sent
from channels.messages import InboundMessage, OutboundMessage, SessionKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What became of a message: `turn` names the turn and `seq` the stored answer, of which a refusal has none."""

    text: str
    turn: str = ""
    seq: int | None = None


class Screen(Protocol):
    """Where a person types and reads."""

    async def read(self) -> str | None:
        """The next thing that was typed (several lines are one text); None at the end of input."""

    def stream(self, text: str) -> None:
        """Show the answer as far as it is written."""

    def show(self, text: str) -> None:
        """Show what nobody waits for (Markdown): an answer to an earlier question, a reminder."""

    def answer(self, answer: Answer) -> None:
        """Show the answer that is awaited (Markdown), in place of what was streamed of it."""

    def interrupts(self, on_interrupt: Callable[[], None]) -> None:
        """Call this when Ctrl-C is pressed while an answer is awaited."""


@dataclass(slots=True)
class _Waiting:
    message_id: str
    answered: asyncio.Event


class TerminalAdapter:
    """The terminal as a channel. `run` ends at the end of input, when everything typed is answered."""

    name = "terminal"

    def __init__(
        self,
        screen: Screen,
        *,
        chat_id: str = "main",
        session_key: SessionKey | None = None,
        language: str | None = None,
    ) -> None:
        self.abilities = Abilities(streams=True)
        self._screen = screen
        self._chat_id = chat_id
        self._session_key = session_key or SessionKey("")
        self._language = language
        self._waiting: _Waiting | None = None

    async def run(self, receive: Receive) -> None:
        """Read, hand on, wait for the answer, and again, until the input ends."""
        tasks: set[asyncio.Task[None]] = set()

        async def stop() -> None:
            await receive(self._message("/stop"))

        def interrupt() -> None:
            task = asyncio.get_running_loop().create_task(stop())
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        self._screen.interrupts(interrupt)
        while (text := await self._screen.read()) is not None:
            if text.strip():
                await self.ask(text, receive)

    async def ask(self, text: str, receive: Receive) -> None:
        """Hand one message on and return when it is answered."""
        message = self._message(text)
        waiting = self._waiting = _Waiting(message.id, asyncio.Event())
        await receive(message)
        await waiting.answered.wait()
        self._waiting = None

    async def send(self, message: OutboundMessage) -> Sent:
        """Show a part of an answer, also one to a question of an earlier run."""
        if self._waiting is not None and self._waiting.message_id in message.answers:
            self._screen.answer(Answer(text=message.text, turn=message.id, seq=message.seq))
            self._waiting.answered.set()
        else:
            self._screen.show(message.text)
        return Sent(ids=(f"{message.id}/{message.part}",))

    def split(self, text: str) -> list[str]:
        """A terminal takes any length."""
        return [text]

    async def open_stream(self, message: OutboundMessage) -> str | None:
        """There is nothing to edit: what is written appears as it comes."""
        return None

    async def update_stream(self, message: OutboundMessage) -> None:
        """Show what is written so far of the answer that is awaited."""
        if self._waiting is not None and self._waiting.message_id in message.answers:
            self._screen.stream(message.text)

    async def typing(self, message: OutboundMessage) -> None:
        """The cursor is enough."""

    def health(self) -> ChannelHealth:
        """As good as the person in front of it."""
        return ChannelHealth(ok=True, last_round_trip=datetime.now(UTC))

    async def close(self) -> None:
        """The screen stays with whoever opened it."""

    def _message(self, text: str) -> InboundMessage:
        # A terminal has no ids of its own; the clock's nanoseconds never repeat within a chat.
        return InboundMessage(
            id=f"terminal:{self._chat_id}/{time.time_ns()}",
            channel=self.name,
            chat_id=self._chat_id,
            sender_id="terminal",
            text=text,
            received_at=datetime.now(UTC),
            language=self._language,
            session_key=self._session_key,
        )
