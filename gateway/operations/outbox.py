"""What is answered and not delivered, for the operator: listed, tried again, given up."""

from gateway.journal.base import OutboxEntry
from gateway.operations.operation import Document, OperationFailed, OperationPorts
from memory.sessions.codec import format_time

_MOST = 10_000


async def list_outbox(ports: OperationPorts) -> Document:
    """Dead letters first."""
    return {"entries": [_row(entry) for entry in await ports.journal.entries(limit=_MOST)]}


async def retry_entry(ports: OperationPorts, *, id: str) -> Document:  # noqa: A002 - an operation's argument, by its name
    """A dead letter is due again, at once where a daemon runs and else when the next one starts."""
    if not await ports.journal.retry(id):
        raise OperationFailed(f'there is no dead letter "{id}"; mneme outbox list shows all')
    await send_now(ports, id)
    return {"id": id, "status": "due"}


async def send_now(ports: OperationPorts, entry_id: str) -> None:
    """Hand a part that is due to the daemon, where one runs; its place among what is owed stays its own."""
    position = 0
    while ports.running is not None and (entries := await ports.journal.due(after=position)):
        position = entries[-1].position
        for entry in entries:
            if entry.id == entry_id:
                ports.running.requeue(entry)
                return


async def drop_entry(ports: OperationPorts, *, id: str) -> Document:  # noqa: A002 - an operation's argument, by its name
    """Give a part of a reply up, dead or due."""
    if not await ports.journal.drop(id):
        raise OperationFailed(f'nothing of the id "{id}" waits to be delivered; mneme outbox list shows all')
    return {"id": id, "status": "dropped"}


def _row(entry: OutboxEntry) -> Document:
    return {
        "id": entry.id,
        "channel": entry.message.channel,
        "chat_id": entry.message.chat_id,
        "status": entry.status.value,
        "attempts": entry.attempts,
        "next_at": format_time(entry.next_at) if entry.next_at else None,
        "error": entry.error,
    }
