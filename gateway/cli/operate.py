"""How commands reach what is kept: one operation or several, by name, with a document back."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from typing import Any, Protocol

from gateway.app import open_stores, operation_ports
from gateway.cli.command import print_note, run_async
from gateway.cli.daemon import daemon_at
from gateway.cli.log_places import open_log
from gateway.config import Settings
from gateway.operations.operation import Document
from gateway.operations.table import perform
from gateway.service.lock import AlreadyRunning

Way = Callable[[str, dict[str, Any]], Awaitable[Document]]

_PATIENCE_SECONDS = 1.5
"""Who waits longer is told for what."""


class Operate(Protocol):
    """Performs operations of `gateway.operations.table`; OperationFailed says why one can't be done."""

    async def __call__(self, name: str, *, note: str = "", **arguments: object) -> Document:
        """The document; `note` says what is going on when it takes long."""


def operate(settings: Settings, name: str, *, note: str = "", **arguments: object) -> Document:
    """Perform one operation."""

    async def once() -> Document:
        async with operating(settings) as perform_one:
            return await perform_one(name, note=note, **arguments)

    return run_async(once())


@asynccontextmanager
async def operating(settings: Settings) -> AsyncIterator[Operate]:
    """What is kept, opened in this process, or the daemon that has it open.

    AlreadyRunning where another process has it and is no daemon.
    """
    async with AsyncExitStack() as stack:
        way = await _way(settings, stack)

        async def operate_one(name: str, *, note: str = "", **arguments: object) -> Document:
            with _patience(note):
                return await way(name, arguments)

        yield operate_one


async def _way(settings: Settings, stack: AsyncExitStack) -> Way:
    try:
        stores = await stack.enter_async_context(open_stores(settings))
    except AlreadyRunning:
        daemon = await stack.enter_async_context(daemon_at(settings.gateway.state))
        if daemon is None:
            raise
        return daemon.perform
    open_log(settings, foreground=False)  # a log has no place between the lines of an answer
    return partial(perform, operation_ports(settings, stores))


@contextmanager
def _patience(note: str) -> Iterator[None]:
    if not note:
        yield
        return
    timer = asyncio.get_running_loop().call_later(_PATIENCE_SECONDS, print_note, f"{note} …")
    try:
        yield
    finally:
        timer.cancel()
