"""Keeps named coroutines running: one that fails starts again after a while, and no other one notices."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from random import Random
from typing import Any

import structlog

from gateway.service.clock import Clock
from gateway.service.retry import Backoff

_log = structlog.get_logger()

_CALM_SECONDS = 60.0
"""A run that lasted so long before it failed counts as healthy: the next wait starts small again."""


class State(StrEnum):
    """Where a supervised coroutine stands."""

    RUNNING = "running"
    WAITING = "waiting"
    REFUSED = "refused"
    ENDED = "ended"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What is known of one coroutine: `failures` in a row, the last `error` by its kind, `since` when."""

    name: str
    state: State
    since: datetime
    restarts: int = 0
    failures: int = 0
    error: str | None = None


class StrayCancellation(Exception):
    """A library cancelled itself from within, though nobody asked us to stop."""


Factory = Callable[[], Coroutine[Any, Any, object]]


class Supervisor:
    """Runs coroutine factories by name: a task group in which no failure cancels the others.

    `terminal` are the errors after which trying again is useless: the coroutine stays down, its status says so.
    Coroutines run until cancelled; one that returns by itself has ended and is not started again.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        backoff: Backoff | None = None,
        rng: Random | None = None,
        terminal: tuple[type[Exception], ...] = (),
    ) -> None:
        self._clock = clock
        self._backoff = backoff or Backoff()
        self._rng = rng or Random()  # noqa: S311 - spreads waits, guards nothing
        self._terminal = terminal
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._statuses: dict[str, Status] = {}
        self._changed = asyncio.Event()

    def start(self, name: str, factory: Factory) -> None:
        """Run `factory()` under this name from now on; a name that is running already is a ValueError."""
        running = self._tasks.get(name)
        if running is not None and not running.done():
            raise ValueError(f"{name} is running already")
        self._tasks.pop(name, None)
        self._statuses[name] = Status(name=name, state=State.RUNNING, since=self._clock.now())
        self._tasks[name] = asyncio.create_task(self._keep(name, factory), name=name)

    def statuses(self) -> list[Status]:
        """Everybody, in the order of starting."""
        return [self._statuses[name] for name in self._tasks]

    def status(self, name: str) -> Status:
        """One of them; KeyError for a name that was never started."""
        return self._statuses[name]

    async def reached(self, name: str, state: State) -> Status:
        """Wait until this coroutine is in that state."""
        while (status := self._statuses[name]).state is not state:
            changed = self._changed
            await changed.wait()
        return status

    async def stop(self, *names: str, drain: Factory | None = None, seconds: float = 0.0) -> None:
        """Cancel these (or all) in reverse order of starting, each awaited before the one before it.

        `drain` may first let work end by itself, for at most `seconds`.
        """
        try:
            if drain is not None:
                await self._drained(drain, seconds=seconds)
        finally:
            for name in reversed([*self._tasks]):
                if not names or name in names:
                    await self._cancel(name)

    async def _drained(self, drain: Factory, *, seconds: float) -> None:
        async with asyncio.TaskGroup() as group:
            tasks = {group.create_task(drain()), group.create_task(self._clock.sleep(seconds))}
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()

    async def _cancel(self, name: str) -> None:
        task = self._tasks[name]
        task.cancel()
        await asyncio.wait({task})
        if self._statuses[name].state in {State.RUNNING, State.WAITING}:
            self._note(name, state=State.STOPPED)

    async def _keep(self, name: str, factory: Factory) -> None:
        while True:
            begun = self._clock.monotonic()
            try:
                await factory()
            except self._terminal as error:
                self._note(name, state=State.REFUSED, error=_kind(error))
                _log.error("coroutine_refused", name=name, error=str(error))
                return
            except asyncio.CancelledError:
                if _is_cancelled():
                    raise
                await self._wait(name, StrayCancellation(name), ran=self._clock.monotonic() - begun)
            except Exception as error:  # noqa: BLE001 - one of the four places of the house: a supervised coroutine
                await self._wait(name, error, ran=self._clock.monotonic() - begun)
            else:
                self._note(name, state=State.ENDED, error=None)
                return

    async def _wait(self, name: str, error: Exception, *, ran: float) -> None:
        before = self._statuses[name]
        failures = 1 if ran >= _CALM_SECONDS else before.failures + 1
        named = getattr(error, "retry_after", None)
        delay = self._backoff.delay(failures, rng=self._rng, named=named)
        self._note(name, state=State.WAITING, error=_kind(error), failures=failures)
        _log.warning(
            "coroutine_failed", name=name, failures=failures, restart_in=round(delay, 3), exc_info=error
        )
        await self._clock.sleep(delay)
        self._note(name, state=State.RUNNING, restarts=before.restarts + 1)

    def _note(self, name: str, **changes: Any) -> None:
        self._statuses[name] = replace(self._statuses[name], since=self._clock.now(), **changes)
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


def _kind(error: Exception) -> str:
    return type(error).__name__


def _is_cancelled() -> bool:
    """Whether somebody asked the running task to stop."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
