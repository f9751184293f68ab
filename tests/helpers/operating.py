"""Real stores in a directory of the test, with the operations on them."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from gateway.app import Stores, open_stores, operation_ports
from gateway.operations.operation import Document
from gateway.operations.table import perform
from memory.sessions.session import Session
from tests.helpers.house import settings_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Where an operator works."""

    stores: Stores
    state: Path

    async def __call__(self, name: str, **arguments: object) -> Document:
        """Perform an operation with arguments and a result that went through JSON."""
        ports = operation_ports(settings_for(self.state), self.stores)
        document = await perform(ports, name, json.loads(json.dumps(arguments)))
        carried: Document = json.loads(json.dumps(document))
        return carried

    async def keep(self, session: Session) -> None:
        """Store a session whose messages are unsaved."""
        await self.stores.sessions.adopt(session)


@asynccontextmanager
async def desk(state: Path, *, store: str = "sqlite") -> AsyncIterator[Desk]:
    """The desk at this state directory."""
    async with open_stores(settings_for(state, sessions__store=store)) as stores:
        yield Desk(stores=stores, state=state)
