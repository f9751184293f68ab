"""Durable writes that fail when a test says so, before or after they took effect."""

from collections.abc import Callable, Collection
from sqlite3 import Connection
from typing import Any, TypeVar, cast

from memory.database import Database
from memory.errors import StoreUnavailable

T = TypeVar("T")
P = TypeVar("P")


class _Countdown:
    def __init__(self) -> None:
        self._left = 0
        self.after = False

    def start(self, nth: int, *, after: bool) -> None:
        self._left, self.after = nth, after

    def is_over(self) -> bool:
        self._left -= 1
        return self._left == 0


class FailingDatabase(Database):
    """A database on which `fail` makes one write fail; what is written later or read is left alone."""

    def fail(self, *, nth: int = 1, after: bool = False) -> None:
        """Let the n-th write from now raise StoreUnavailable: nothing was written, or, with `after`, all of it was."""
        self._countdown().start(nth, after=after)

    async def write(self, work: Callable[[Connection], T]) -> T:
        countdown = self._countdown()
        if not countdown.is_over():
            return await super().write(work)
        if countdown.after:
            await super().write(work)
        raise StoreUnavailable("the disk is full, says the test")

    def _countdown(self) -> _Countdown:
        countdown: _Countdown = self.__dict__.setdefault("countdown", _Countdown())
        return countdown


def failing(inner: P, methods: Collection[str], *, nth: int = 1, after: bool = False) -> P:
    """The object with a disk that fails once, at the n-th call of one of the async methods named."""
    return cast("P", _Failing(inner, methods, nth, after=after))


class _Failing:
    def __init__(self, inner: object, methods: Collection[str], nth: int, *, after: bool) -> None:
        self._inner = inner
        self._methods = methods
        self._countdown = _Countdown()
        self._countdown.start(nth, after=after)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)
        if name not in self._methods:
            return method

        async def call(*args: Any, **kwargs: Any) -> Any:
            if not self._countdown.is_over():
                return await method(*args, **kwargs)
            if self._countdown.after:
                await method(*args, **kwargs)
            raise StoreUnavailable("the disk is full, says the test")

        return call
