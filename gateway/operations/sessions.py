"""Sessions for their operator: listed, shown, checked, carried in and out, mended, deleted."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import asdict

from gateway.operations.operation import Document, OperationFailed, OperationPorts
from memory.audience import audience_directory
from memory.messages import Message
from memory.sessions.codec import format_time
from memory.sessions.session import Session
from memory.sessions.stores.base import Damage, SessionHead
from memory.sessions.transfer import Imported, export_lines, import_session, session_document
from memory.view.history import problems
from memory.view.repairs import Problem, RepairKind

# Nothing of it can be sent, so no number of a message says where it is.
_DAMAGE = "damaged_record"
_JOINED = frozenset({RepairKind.ADJACENT_USERS, RepairKind.ADJACENT_ASSISTANTS})


async def list_sessions(ports: OperationPorts) -> Document:
    """Every session, newest update first."""
    return {"sessions": [_row(head) for head in await ports.sessions.heads()]}


async def show_session(ports: OperationPorts, *, key: str) -> Document:
    """A session with all of its messages."""
    session, messages = await _whole(ports, key)
    return session_document(session, messages)


async def check_session(ports: OperationPorts, *, key: str) -> Document:
    """What is repaired whenever this session is sent, and what of it can't be read.

    `damages` also names what was set aside earlier, which is no problem any more.
    """
    session, messages = await _whole(ports, key)
    damages = await ports.sessions.damages(key)
    # What /undo hid and `forget` erased is never sent; what that brings together is no fault of the store.
    gone = {message.seq for message in messages if message.erased or session.is_hidden(message.seq)}
    sendable = [message for message in messages if message.seq not in gone]
    found = [{"seq": 0, "kind": _DAMAGE, "repair": one.repair} for one in damages if not one.is_aside]
    found += [
        {"seq": one.seq, "kind": one.kind.value, "repair": one.repair}
        for one in await asyncio.to_thread(problems, sendable)
        if not _is_brought_about(one, gone)
    ]
    return {"key": key, "problems": found, "damages": [_damage(one) for one in damages]}


def _is_brought_about(problem: Problem, gone: Collection[int]) -> bool:
    """Whether messages only stand together, or in front, because others are gone."""
    if problem.kind is RepairKind.LEADING_MESSAGE:
        return any(seq < problem.seq for seq in gone)
    return problem.kind in _JOINED and problem.seq - 1 in gone


async def check_sessions(ports: OperationPorts) -> Document:
    """`check_session` for each session in which something is found, and how many were looked at."""
    heads = await ports.sessions.heads()
    reports = [await check_session(ports, key=head.key) for head in heads]
    found = [report for report in reports if report["problems"] or report["damages"]]
    return {"checked": len(reports), "sessions": found}


async def export_session(ports: OperationPorts, *, key: str) -> Document:
    """The lines of the session's file, without their ends."""
    session, messages = await _whole(ports, key)
    lines = await asyncio.to_thread(
        lambda: [line.decode().rstrip("\n") for line in export_lines(session, messages)]
    )
    return {"key": key, "messages": len(messages), "lines": lines}


async def import_lines(
    ports: OperationPorts, *, lines: Sequence[str], key: str = "", otherwise: str = ""
) -> Document:
    """Keep the session that these lines tell, under `key`, else the key that they name, else `otherwise`.

    What can't be read is named and left out. A session that has messages already is never added to.
    """
    data = "\n".join(lines).encode()
    imported = await asyncio.to_thread(_imported, data, key=key, otherwise=otherwise)
    session = imported.session
    if not _is_audience(ports, session.audience):
        session.audience = ports.owner_audience
    try:
        await ports.sessions.adopt(session)
    except ValueError as error:
        raise OperationFailed(f"{error}; --key imports under another one") from error
    await ports.index.caught_up()
    return {
        "key": session.key,
        "audience": session.audience,
        "messages": len(session.messages),
        "damages": [
            {"place": one.place, "problem": one.problem, "repair": one.repair} for one in imported.damages
        ],
    }


async def repair_session(ports: OperationPorts, *, key: str) -> Document:
    """Set aside what of the session can't be read, and put the rest in order."""
    await _known(ports, key)
    mended = await ports.sessions.repair(key)
    await ports.index.caught_up()
    return {"key": key, "repaired": [_damage(one) for one in mended]}


async def delete_session(ports: OperationPorts, *, key: str) -> Document:
    """Remove a session from the disk and from the search index."""
    if not await ports.sessions.delete(key):
        raise OperationFailed(_unknown(key))
    await ports.index.caught_up()
    return {"key": key, "deleted": True}


async def _known(ports: OperationPorts, key: str) -> Session:
    session = await ports.sessions.look(key)
    if session is None:
        raise OperationFailed(_unknown(key))
    return session


def _unknown(key: str) -> str:
    return f'there is no session "{key}"; mneme sessions list shows all'


async def _whole(ports: OperationPorts, key: str) -> tuple[Session, list[Message]]:
    session = await _known(ports, key)
    return session, await ports.sessions.read(key, from_seq=1, to_seq=session.last_seq)


def _imported(data: bytes, *, key: str, otherwise: str) -> Imported:
    try:
        return import_session(data, key=key, otherwise=otherwise)
    except ValueError as error:
        raise OperationFailed(str(error)) from error


def _is_audience(ports: OperationPorts, audience: str) -> bool:
    """Whether a file may name it: a foreign name must not become a folder."""
    try:
        audience_directory(ports.state, audience)
    except ValueError:
        return False
    return True


def _row(head: SessionHead) -> Document:
    return {
        "key": head.key,
        "audience": head.audience,
        "messages": head.last_seq,
        "last_consolidated": head.last_consolidated,
        "tokens": head.tokens,
        "updated_at": format_time(head.updated_at),
    }


def _damage(damage: Damage) -> Document:
    document = asdict(damage)
    del document["key"]
    return document
