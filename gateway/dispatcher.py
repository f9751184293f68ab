"""Takes ready sessions from the bus and has each batch answered by a command or a turn."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Protocol

import structlog

from channels.messages import Entrance, InboundMessage, SessionKey
from gateway.bus import Batch, Bus, rides_along
from gateway.config.sections import Busy
from gateway.errors import ContextOverflow, DailyBudgetSpent, LLMError, LLMRejected
from gateway.journal.base import InboxEntry
from gateway.replies import Say, say
from gateway.service.retry import Backoff
from gateway.turns.commands import Afterwards, CommandContext, Commands, Rerun, parse, rerun_entry
from gateway.turns.conversation import no_arrivals
from gateway.turns.ports import TurnPorts
from gateway.turns.reply import language_of, replies_to
from gateway.turns.restore import last_turn
from gateway.turns.turn import Turn
from memory.errors import StoreError
from memory.sessions.session import Session

STORE_PAUSE = Backoff(first=5.0, cap=300.0)
"""Seconds before a session whose store could not write is tried again: a full disk is not freed in a millisecond, and
every try asks the model anew."""

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Running:
    turn: Turn
    task: asyncio.Task[None]
    stop_message: InboundMessage | None = None
    stopped: bool = False


class Finished(Protocol):
    """Who is told of every turn that ended."""

    def __call__(self, turn: Turn, *, ending: str) -> None:
        """`ending` is answered, stopped, broke, or the kind of the model's error."""


class Dispatcher:
    """Serves up to `max_turns` sessions at once; a session's messages one batch at a time."""

    def __init__(
        self,
        bus: Bus,
        ports: TurnPorts,
        commands: Commands,
        *,
        audience: Callable[[InboundMessage], str],
        max_turns: int = 256,
        busy: Busy = "collect",
        store_pause: Backoff = STORE_PAUSE,
        finished: Finished,
    ) -> None:
        self._bus = bus
        self._ports = ports
        self._commands = commands
        self._audience = audience
        self._places = asyncio.Semaphore(max_turns)
        self._busy: Busy = busy
        self._store_pause = store_pause
        self._store_failures = 0
        self._rng = Random()  # noqa: S311 - spreads waits, guards nothing
        self._finished = finished
        self._running: dict[SessionKey, _Running] = {}

    async def run(self) -> None:
        """Serve until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                batch = await self._next()
                serving = tasks.create_task(self._serve(batch), name=f"serve {batch.key}")
                # A task that is cancelled before its first step runs no line of its own.
                serving.add_done_callback(partial(self._served, batch.key))

    async def _next(self) -> Batch:
        """A batch and a place to serve it in; a disk that can't be read now is tried again."""
        await self._places.acquire()
        try:
            while True:
                try:
                    return await self._bus.take()
                except StoreError as error:
                    await self._pause("inbox_unreadable", error)
        except BaseException:
            self._places.release()
            raise

    def stop(self, key: SessionKey, message: InboundMessage | None = None) -> bool:
        """End the session's running turn, keeping what is finished; whether one was running.

        `message` is the /stop that asked for it, answered by the turn's own last word; without one, a new message
        took the turn's place. A turn that has its answer is not stopped any more.
        """
        running = self._running.get(key)
        if running is None or running.stopped or not running.turn.may_be_stopped or not running.task.cancel():
            return False
        running.stopped = True
        running.stop_message = message
        return True

    def interrupt(self, message: InboundMessage) -> bool:
        """End the session's running turn for a new message of the person whom it answers; whether one was running.

        What comes back of a job or a reminder, and what somebody else asked, is told to its end.
        """
        running = self._running.get(message.session_key)
        if running is None:
            return False
        newest = running.turn.newest
        theirs = newest.entrance is Entrance.USER and newest.sender_id == message.sender_id
        return theirs and self.stop(message.session_key)

    async def _serve(self, batch: Batch) -> Sequence[str]:
        """Deal with a batch; the ids that are answered now."""
        structlog.contextvars.bind_contextvars(session=batch.key)
        try:
            answered = await self._answer(batch)
        except StoreError as error:
            await self._pause("session_unwritable", error)
            return ()
        self._store_failures = 0
        return answered

    def _served(self, key: SessionKey, serving: asyncio.Task[Sequence[str]]) -> None:
        """Give the session back, and the place: whatever ended the task."""
        failed = serving.cancelled() or serving.exception() is not None
        self._bus.finish(key, answered=() if failed else serving.result())
        self._places.release()

    async def _answer(self, batch: Batch) -> Sequence[str]:
        """Have the batch answered. What one person's message brings about must not end everybody's turns."""
        head = batch.entries[0].message
        try:
            async with self._ports.sessions.checkout(batch.key, audience=self._audience(head)) as session:
                entries = self._bus.remaining(batch)
                handled = await self._handle(session, entries) if entries else ()
            if not isinstance(handled, Afterwards):
                return handled
            await self._say(head, await handled.run())
        except StoreError:
            raise
        except Exception as error:
            log.error("turn_broke", exc_info=error)
            await self._say(head, say(Say.FAILED, language_of(head, setting=self._ports.settings.language)))
        return [head.id]

    async def _pause(self, event: str, error: StoreError) -> None:
        """Wait, the longer the more often in a row a store has failed."""
        log.error(event, error=str(error))
        self._store_failures += 1
        await asyncio.sleep(self._store_pause.delay(self._store_failures, rng=self._rng))

    async def _handle(self, session: Session, entries: Sequence[InboxEntry]) -> Sequence[str] | Afterwards:
        """Answer the first of them; the ids that are answered now, or what is to be done without the session."""
        entries = _begun_first(session, entries)
        head = entries[0]
        command = parse(head.message)
        if command is None:
            return await self._turn(session, self._together(entries))
        context = CommandContext(
            session=session,
            message=head.message,
            argument=command.argument,
            role=self._ports.role(head.message),
            language=language_of(head.message, setting=self._ports.settings.language),
        )
        if any(message.turn == head.message.id for message in session.messages):
            # A command's turn (/retry) that was interrupted, with what had joined it.
            return await self._turn(session, self._together(entries))
        result = await self._commands.answer(command, context)
        if isinstance(result, Rerun):
            return await self._turn(session, [rerun_entry(head, result)])
        await self._ports.sessions.save(session)
        if isinstance(result, Afterwards):
            return result
        await self._say(head.message, result)
        return [head.message.id]

    def _together(self, entries: Sequence[InboxEntry]) -> list[InboxEntry]:
        """The entries that one turn answers: up to the next command; where they queue, one message or group."""
        head, together = entries[0].message, [entries[0]]
        for entry in entries[1:]:
            if parse(entry.message) is not None or entry.message.thread_id != head.thread_id:
                break  # a reply goes to one thread
            same_group = (
                entry.message.group_id is not None and entry.message.group_id == together[-1].message.group_id
            )
            if not (self._busy != "queue" or same_group or rides_along(together[-1].message)):
                break
            together.append(entry)
        return together

    async def _turn(self, session: Session, entries: Sequence[InboxEntry]) -> Sequence[str]:
        """Run one turn in a task of its own, so that /stop can end it and nothing else."""
        key = SessionKey(session.key)
        arrivals = partial(self._arrivals, key) if self._busy == "steer" else no_arrivals
        turn = Turn(session, entries, ports=self._ports, arrivals=arrivals)
        task = asyncio.get_running_loop().create_task(turn.run(), name=f"turn {turn.turn_id}")
        self._running[key] = running = _Running(turn, task)
        try:
            await asyncio.wait([running.task])
        finally:
            del self._running[key]
            if not running.task.done():
                running.task.cancel()
                await asyncio.wait([running.task])
        self._finished(turn, ending=await self._close(turn, running))
        return turn.answered

    def _arrivals(self, key: SessionKey, answered: Sequence[InboundMessage]) -> Sequence[InboundMessage]:
        """What the person who is answered wrote since; a command, or anybody else, is waited with."""
        head = answered[0]

        def fits(message: InboundMessage) -> bool:
            who = (message.entrance, message.sender_id, message.thread_id)
            return who == (Entrance.USER, head.sender_id, head.thread_id) and parse(message) is None

        return self._bus.take_more(key, besides={message.id for message in answered}, fits=fits)

    async def _close(self, turn: Turn, running: _Running) -> str:
        """Say what has to be said of a turn that didn't answer by itself; how it ended."""
        ending = await self._ending(turn, running)
        if running.stop_message is not None:
            await self._ports.journal.respond(answered=[running.stop_message.id])
        return ending

    async def _ending(self, turn: Turn, running: _Running) -> str:
        if running.task.cancelled():
            await turn.end(self._stopped(turn, running))
            return "stopped"
        error = running.task.exception()
        if error is None:
            return "answered"
        if isinstance(error, StoreError):
            raise error
        if isinstance(error, LLMError):
            log.warning("model_failed", error=str(error), kind=type(error).__name__)
            await turn.end(say(_sentence(error), turn.language))
            return type(error).__name__
        log.error("turn_broke", exc_info=error)
        await turn.end(say(Say.FAILED, turn.language))
        return "broke"

    def _stopped(self, turn: Turn, running: _Running) -> str:
        """The last word of a turn that /stop or, with `interrupt`, a new message ended."""
        if running.stop_message is None:
            return say(Say.INTERRUPTED, turn.language)
        waiting = max(0, self._bus.waiting(turn.newest.session_key) - len(turn.answered))
        return say(Say.STOPPED, turn.language, finished=turn.rounds, waiting=waiting)

    async def _say(self, message: InboundMessage, text: str) -> None:
        """Answer a command."""
        parts = replies_to(message, self._ports.split(message.channel, text))
        await self._ports.journal.respond(answered=[message.id], replies=parts)
        self._ports.deliver(parts)
        self._ports.wake()  # /compact, /new and their like leave a job behind


def _begun_first(session: Session, entries: Sequence[InboxEntry]) -> Sequence[InboxEntry]:
    """A turn that was interrupted goes on before a message that had to wait and stands before it."""
    begun = {message.turn for message in last_turn(session)} & {entry.message.id for entry in entries}
    return sorted(entries, key=lambda entry: entry.message.id not in begun)


def _sentence(error: LLMError) -> Say:
    """What a person is told of a model that failed; what an operator can do stands in the log."""
    if isinstance(error, ContextOverflow):
        return Say.TOO_LONG
    if isinstance(error, DailyBudgetSpent):
        return Say.DAILY_BUDGET
    return Say.MODEL_REFUSED if isinstance(error, LLMRejected) else Say.MODEL_UNAVAILABLE
