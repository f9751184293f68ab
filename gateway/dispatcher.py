"""Takes ready sessions from the bus and has each batch answered by a command or a turn."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from time import perf_counter

import structlog

from channels.messages import Entrance, InboundMessage, SessionKey
from gateway.bus import Batch, Bus, rides_along
from gateway.config.sections import Busy
from gateway.errors import ContextOverflow, LLMError, LLMRejected
from gateway.journal.base import InboxEntry
from gateway.llm.client import Usage
from gateway.replies import Say, say
from gateway.service.metrics import Outcome, Part
from gateway.service.retry import Backoff
from gateway.turns.commands import Afterwards, CommandContext, Commands, Rerun, parse, rerun_entry
from gateway.turns.conversation import no_arrivals
from gateway.turns.ports import TurnPorts
from gateway.turns.reply import replies_to
from gateway.turns.turn import Turn, TurnState, language_of
from memory.errors import StoreError
from memory.sessions.session import Session

STORE_PAUSE = Backoff(first=5.0, cap=300.0)
"""Seconds before a session whose store could not write is tried again: a full disk is not freed in a millisecond, and
every try asks the model anew."""

PARTS: Mapping[TurnState, Part] = {
    TurnState.COMPACT: "compact",
    TurnState.BUILD: "recall",
    TurnState.RUN: "model",
    TurnState.SAVE: "save",
    TurnState.RESPOND: "respond",
}
"""What the metrics call a turn's states."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReport:
    """How a turn went. `ending` is answered, stopped, broke, or the kind of the model's error."""

    session: str
    turn_id: str
    ending: str
    usage: Usage
    repairs: Mapping[str, int]
    parts: Mapping[Part, float]
    """Seconds by part of the way."""
    seconds: float

    @property
    def outcome(self) -> Outcome:
        """The same in the words of the metrics."""
        if self.ending == "answered":
            return "answered"
        return "stopped" if self.ending == "stopped" else "failed"


@dataclass(slots=True)
class _Running:
    turn: Turn
    task: asyncio.Task[None]
    stop_message: InboundMessage | None = None
    stopped: bool = False


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
        finished: Callable[[TurnReport], None] = lambda _report: None,
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
                await self._places.acquire()
                batch = await self._bus.take()
                tasks.create_task(self._serve(batch), name=f"serve {batch.key}")

    def stop(self, key: SessionKey, message: InboundMessage | None = None) -> bool:
        """End the session's running turn, keeping what is finished; whether one was running.

        `message` is the /stop that asked for it, answered by the turn's own last word; without one, a new message
        took the turn's place. A turn that has its answer is not stopped any more.
        """
        running = self._running.get(key)
        if running is None or running.stopped or not running.turn.may_be_stopped:
            return False
        running.stopped = True
        running.stop_message = message
        running.task.cancel()
        return True

    @property
    def running(self) -> int:
        """How many turns run now."""
        return len(self._running)

    async def _serve(self, batch: Batch) -> None:
        answered: Sequence[str] = ()
        structlog.contextvars.bind_contextvars(session=batch.key)
        try:
            async with self._ports.sessions.checkout(
                batch.key, audience=self._audience(batch.entries[0].message)
            ) as session:
                handled = await self._handle(session, batch)
            if isinstance(handled, Afterwards):
                head = batch.entries[0].message
                await self._say(head, await handled.run())
                handled = [head.id]
            answered = handled
            self._store_failures = 0
        except StoreError as error:
            log.error("session_unwritable", error=str(error))
            self._store_failures += 1
            await asyncio.sleep(self._store_pause.delay(self._store_failures, rng=self._rng))
        finally:
            await self._bus.finish(batch.key, answered=answered)
            self._places.release()

    async def _handle(self, session: Session, batch: Batch) -> Sequence[str] | Afterwards:
        """Answer the head of the batch; the ids that are answered now, or what is to be done without the session."""
        head = batch.entries[0]
        command = parse(head.message)
        if command is None:
            return await self._turn(session, self._together(batch.entries))
        context = CommandContext(
            session=session,
            message=head.message,
            argument=command.argument,
            role=self._ports.role(head.message),
            language=language_of(head.message, setting=self._ports.settings.language),
        )
        if any(message.turn == head.message.id for message in session.messages):
            # A command's turn (/retry) that was interrupted, with what had joined it.
            return await self._turn(session, self._together(batch.entries))
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
        started = perf_counter()
        task = asyncio.get_running_loop().create_task(turn.run(), name=f"turn {turn.turn_id}")
        self._running[key] = running = _Running(turn, task)
        try:
            await asyncio.wait([running.task])
        finally:
            del self._running[key]
            if not running.task.done():
                running.task.cancel()
                await asyncio.wait([running.task])
        ending = await self._close(turn, running)
        report = TurnReport(
            session=session.key,
            turn_id=turn.turn_id,
            ending=ending,
            usage=turn.usage,
            repairs=turn.repairs,
            parts={part: turn.seconds[state] for state, part in PARTS.items() if state in turn.seconds},
            seconds=perf_counter() - started,
        )
        self._finished(report)
        log.info(
            "turn_finished",
            turn=turn.turn_id,
            ending=ending,
            answered=len(turn.answered),
            rounds=turn.rounds,
            prompt_tokens=turn.usage.prompt_tokens,
            completion_tokens=turn.usage.completion_tokens,
            repairs=turn.repairs,
            seconds=round(report.seconds, 4),
        )
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
        if running.task.cancelled():
            await self._end_stopped(turn, running.stop_message)
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
        # The turn is one of the four places that handle broadly.
        log.error("turn_broke", exc_info=error)
        await turn.end(say(Say.FAILED, turn.language))
        return "broke"

    async def _end_stopped(self, turn: Turn, stop_message: InboundMessage | None) -> None:
        """Close a turn that /stop or, with `interrupt`, a new message ended; whoever waits for its reply is told."""
        if stop_message is None:
            await turn.end(say(Say.INTERRUPTED, turn.language))
            return
        waiting = self._bus.waiting(turn.newest.session_key) - len(turn.answered)
        await turn.end(say(Say.STOPPED, turn.language, finished=turn.rounds, waiting=max(0, waiting)))
        await self._ports.journal.respond(answered=[stop_message.id])

    async def _say(self, message: InboundMessage, text: str) -> None:
        """Answer a command."""
        parts = replies_to(message, self._ports.split(message.channel, text))
        await self._ports.journal.respond(answered=[message.id], replies=parts)
        self._ports.deliver(parts)
        self._ports.wake()  # /compact, /new and their like leave a job behind


def _sentence(error: LLMError) -> Say:
    """What a person is told of a model that failed; what an operator can do stands in the log."""
    if isinstance(error, ContextOverflow):
        return Say.TOO_LONG
    return Say.MODEL_REFUSED if isinstance(error, LLMRejected) else Say.MODEL_UNAVAILABLE
