"""Erasing what somebody wants forgotten, with a report of what was touched."""

from gateway.operations.operation import Document, OperationFailed, OperationPorts
from memory.audience import person_audience
from memory.forget import Erasure


async def forget(ports: OperationPorts, *, ref: str = "", person: str = "") -> Document:
    """Erase a message by its reference, or everything of a person by name."""
    if bool(ref) == bool(person):
        raise OperationFailed("name a reference such as telegram:42#17, or a person")
    try:
        if ref:
            return report(await ports.forget.message(ref))
        return report(await ports.forget.person(person_audience(person), senders=[person]))
    except ValueError as error:
        raise OperationFailed(str(error)) from error


def report(erasure: Erasure) -> Document:
    """What was touched."""
    return {
        "messages": list(erasure.messages),
        "sessions": list(erasure.sessions),
        "claims": erasure.claims,
        "archived": erasure.archived,
        "lines": erasure.lines,
        "owed": erasure.owed,
        "typed": erasure.typed,
    }
