"""People who were let in at run time, for the operator: listed, let in, put out again."""

from datetime import UTC, datetime

from gateway.journal.base import Member, PairingCode
from gateway.operations.operation import Document, OperationFailed, OperationPorts
from gateway.operations.outbox import send_now
from memory.sessions.codec import format_time


async def list_pairing(ports: OperationPorts) -> Document:
    """Who waits for a yes, and who has one."""
    codes = await ports.approvals.codes(now=datetime.now(UTC))
    return {"codes": [_code_row(code) for code in codes], "people": [*map(_row, ports.approvals.members)]}


async def approve(ports: OperationPorts, *, code: str, person: str = "", role: str = "") -> Document:
    """Let the stranger behind a code in, at once where a daemon runs; they are told."""
    approved = await ports.approvals.approve(code, name=person, role=role, now=datetime.now(UTC))
    await send_now(ports, f"{approved.welcome.id}/{approved.welcome.part}")
    return _row(approved.member)


async def revoke(ports: OperationPorts, *, channel: str, sender_id: str) -> Document:
    """Take a yes back: from now on they are a stranger."""
    member = await ports.approvals.revoke(channel, sender_id)
    if member is None:
        raise OperationFailed(
            f'nobody was let in as {channel} "{sender_id}"; mneme pair list shows all, '
            "and the people of mneme.toml are changed there"
        )
    return {**_row(member), "revoked": True}


def _code_row(code: PairingCode) -> Document:
    return {
        "code": code.code,
        "channel": code.channel,
        "sender_id": code.sender_id,
        "sender_name": code.sender_name,
        "expires_at": format_time(code.expires_at),
    }


def _row(member: Member) -> Document:
    return {
        "name": member.name,
        "role": member.role,
        "channel": member.channel,
        "sender_id": member.sender_id,
        "approved_at": format_time(member.approved_at),
    }
