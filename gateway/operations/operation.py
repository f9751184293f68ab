"""What every operation is given and gives: ports, a JSON document, or one line that says why not."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from gateway.errors import GatewayError
from gateway.journal.base import Journal, OutboxEntry
from gateway.pairing.approvals import Approvals
from memory.archive.record import History
from memory.archive.search import SearchIndex
from memory.forget import Forget
from memory.longterm.dream import DreamReport
from memory.longterm.notebook import Notebook
from memory.sessions.manager import SessionManager

Document = dict[str, Any]
"""What JSON can say; its keys are those of `--json` and stay."""

Operation = Callable[..., Awaitable[Document]]
"""`async def operation(ports, *, argument=…)`: every argument is a JSON value and given by its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """What only a running daemon can do."""

    status: Callable[[], Awaitable[Document]]
    """How it is."""
    reload: Callable[[], Awaitable[Document]]
    """Read the configuration again and go by it, as far as that can change."""
    requeue: Callable[[OutboxEntry], None]
    """A part of a reply is due again; send it now."""
    cancel_job: Callable[[str], Awaitable[bool]]
    """End a job, also one that runs; whether there was one."""


class Dream(Protocol):
    """Dreams for an audience; OperationFailed where there is no model to dream with."""

    async def __call__(self, audience: str, *, dry_run: bool, retry: bool) -> DreamReport:
        """See `memory.longterm.dream`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationPorts:
    """What operations work on. `owner_audience` is whose an imported session is when nothing says so.

    `running` is the daemon, where there is one.
    """

    sessions: SessionManager
    index: SearchIndex
    journal: Journal
    approvals: Approvals
    forget: Forget
    history: History
    notebook: Notebook
    dream: Dream
    state: Path
    owner_audience: str
    running: Running | None = None


class OperationFailed(GatewayError):
    """It can't be done; the text is one line for the operator."""
