"""How commands reach what is kept: one operation or several, by name, with a document back."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Protocol

from gateway.app import open_stores, operation_ports
from gateway.cli.command import print_note, run_async
from gateway.config import Settings
from gateway.operations.operation import Document
from gateway.operations.table import perform

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
    """Open what is kept, in this process; AlreadyRunning where another one has it."""
    async with open_stores(settings) as stores:
        ports = operation_ports(settings, stores)

        async def here(name: str, *, note: str = "", **arguments: object) -> Document:
            with _patience(note):
                return await perform(ports, name, arguments)

        yield here


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
