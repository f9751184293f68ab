"""`/pair`: the owner lets people in from the chat."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from channels.messages import OutboundMessage
from gateway.pairing.approvals import Approvals, PairingRefused
from gateway.replies import Say, say
from gateway.turns.commands import CommandContext, Handler

USAGE = "/pair, /pair CODE [NAME], /pair revoke CHANNEL ID"


def pairing_handlers(
    approvals: Approvals, *, deliver: Callable[[Sequence[OutboundMessage]], None]
) -> Mapping[str, Handler]:
    """For `Commands`, which lets owners alone use it."""

    async def pair(context: CommandContext) -> str:
        match context.argument.split():
            case []:
                return await _everybody(approvals, context)
            case ["revoke", channel, sender_id]:
                return await _revoke(approvals, channel, sender_id, context)
            case [code] | [code, _] if code != "revoke":
                return await _approve(context)
            case _:
                return say(Say.USAGE, context.language, usage=USAGE)

    async def _approve(context: CommandContext) -> str:
        code, *name = context.argument.split()
        try:
            approved = await approvals.approve(code, name="".join(name), now=datetime.now(UTC))
        except PairingRefused:
            return say(Say.PAIRING_UNKNOWN, context.language)
        deliver([approved.welcome])
        return say(Say.PAIR_APPROVED, context.language, name=approved.member.name)

    return {"pair": pair}


async def _everybody(approvals: Approvals, context: CommandContext) -> str:
    now = datetime.now(UTC)
    lines = [
        say(
            Say.PAIR_WAITING,
            context.language,
            code=code.code,
            name=code.sender_name or code.sender_id,
            channel=code.channel,
            id=code.sender_id,
            minutes=int((code.expires_at - now).total_seconds() // 60) + 1,
        )
        for code in await approvals.codes(now=now)
    ]
    lines += [
        say(
            Say.PAIR_MEMBER,
            context.language,
            name=member.name,
            role=member.role,
            channel=member.channel,
            id=member.sender_id,
        )
        for member in approvals.members
    ]
    return "\n".join(lines) or say(Say.PAIR_NOBODY, context.language)


async def _revoke(approvals: Approvals, channel: str, sender_id: str, context: CommandContext) -> str:
    member = await approvals.revoke(channel, sender_id)
    if member is None:
        return say(Say.PAIR_NOT_FOUND, context.language)
    return say(Say.PAIR_REVOKED, context.language, name=member.name)
