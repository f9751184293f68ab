"""Every operation by its name, which is also its address at a running daemon."""

import inspect
from collections.abc import Mapping
from typing import Any

from gateway.operations import carrying, daemon, forget, jobs, longterm, memory, outbox, pairing, sessions
from gateway.operations.operation import Document, Operation, OperationFailed, OperationPorts

OPERATIONS: Mapping[str, Operation] = {
    "sessions-list": sessions.list_sessions,
    "sessions-show": sessions.show_session,
    "sessions-check": sessions.check_session,
    "sessions-check-all": sessions.check_sessions,
    "sessions-export": sessions.export_session,
    "sessions-import": sessions.import_lines,
    "sessions-repair": sessions.repair_session,
    "sessions-delete": sessions.delete_session,
    "memory-audiences": memory.list_audiences,
    "memory-search": memory.search_memory,
    "memory-search-batch": memory.search_batch,
    "memory-show": memory.show_memory,
    "memory-why": longterm.why,
    "memory-log": longterm.log,
    "memory-diff": longterm.diff,
    "memory-restore": longterm.restore,
    "memory-dream": longterm.dream,
    "memory-reindex": memory.reindex,
    "memory-forget": forget.forget,
    "outbox-list": outbox.list_outbox,
    "outbox-retry": outbox.retry_entry,
    "outbox-drop": outbox.drop_entry,
    "jobs-list": jobs.list_jobs,
    "jobs-show": jobs.show_job,
    "jobs-cancel": jobs.cancel_job,
    "memory-carry-in": carrying.carry_in_page,
    "reminders-keep": carrying.keep_reminder,
    "pair-list": pairing.list_pairing,
    "pair-approve": pairing.approve,
    "pair-revoke": pairing.revoke,
    "status": daemon.status,
    "reload": daemon.reload,
}


async def perform(ports: OperationPorts, name: str, arguments: Mapping[str, Any]) -> Document:
    """The document of one operation; OperationFailed says in one line why there is none."""
    operation = OPERATIONS.get(name)
    if operation is None:
        raise OperationFailed(f'there is no operation "{name}"')
    try:
        call = inspect.signature(operation).bind(ports, **arguments)
    except TypeError as error:
        raise OperationFailed(f"{name}: {error}") from error
    return await operation(*call.args, **call.kwargs)
