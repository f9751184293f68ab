"""Who was let in at run time: what the journal keeps, with a view of it that answers at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import structlog

from channels.access import Person, Role
from channels.messages import OutboundMessage
from gateway.config.values import is_safe_name
from gateway.errors import GatewayError
from gateway.journal.base import Journal, Member, PairingCode
from gateway.pairing.codes import typed_code
from gateway.pairing.names import free_name
from gateway.replies import Say, choose_language, say

log = structlog.get_logger(__name__)

ROLES = tuple(role.value for role in Role)


class PairingRefused(GatewayError):
    """Nobody was let in; the text is one line for the operator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approved:
    """Somebody may talk from now on. `welcome` tells them so; it is in the outbox already."""

    member: Member
    welcome: OutboundMessage


class Approvals:
    """The roster of the journal. It is changed through here alone, so the view is always what is kept.

    A change that can't be written raises StoreError and changes nothing: whoever was in stays in, nobody else is.
    `configured` maps the people of the configuration to their roles; a reload replaces it.
    """

    def __init__(self, journal: Journal, *, configured: Mapping[str, str], language: str = "auto") -> None:
        self.configured = configured
        self._journal = journal
        self._language = language
        self._members: dict[tuple[str, str], Member] = {}

    async def refresh(self) -> None:
        """Read the view anew; when that fails, it stays what it was."""
        members = await self._journal.members()
        self._members = {(member.channel, member.sender_id): member for member in members}

    @property
    def members(self) -> tuple[Member, ...]:
        """Everybody who was let in."""
        return tuple(self._members.values())

    def person_of(self, channel: str, sender_id: str) -> Person | None:
        """The person behind an identity (the port of `channels.access`)."""
        member = self._members.get((channel, sender_id))
        return Person(name=member.name, role=Role(member.role)) if member else None

    def role_of(self, name: str) -> str | None:
        """What a person may command; None where there is no such person. The configuration comes first."""
        known = {member.name: member.role for member in self._members.values()}
        return self.configured.get(name) or known.get(name)

    async def codes(self, *, now: datetime) -> list[PairingCode]:
        """Who waits for a yes."""
        return await self._journal.codes(now=now)

    async def approve(self, code: str, *, name: str = "", role: str = "", now: datetime) -> Approved:
        """Let the stranger behind the code in, and tell them.

        With the name of somebody who is known it is one more identity of that person, in the role they have.
        Without a name they get their own, made unlike everybody else's: what a stranger calls themselves must not
        make them somebody (P13, P15). PairingRefused says why nobody was let in.
        """
        code = typed_code(code)
        offered = next((known for known in await self.codes(now=now) if known.code == code), None)
        if offered is None:
            raise PairingRefused(f'the code "{code}" is unknown or no longer good; mneme pair list shows all')
        name = self._name(name, offered)
        role = self._role(role, name)
        member = await self._journal.approve(code, name=name, role=role, now=now)
        if member is None:
            raise PairingRefused(f'the code "{code}" was used just now')
        self._members[member.channel, member.sender_id] = member
        log.info(
            "pairing_approved",
            channel=member.channel,
            sender=member.sender_id,
            person=member.name,
            role=member.role,
        )
        welcome = self._welcome(offered, member)
        await self._journal.respond(answered=[], replies=[welcome])
        return Approved(member=member, welcome=welcome)

    async def revoke(self, channel: str, sender_id: str) -> Member | None:
        """Take a yes back; None where there was none."""
        found = await self._journal.revoke(channel, sender_id)
        member = self._members.pop((channel, sender_id), None)
        if not found:
            return None
        log.info("pairing_revoked", channel=channel, sender=sender_id, person=member.name if member else "")
        return member

    def _name(self, wanted: str, offered: PairingCode) -> str:
        known = [*self.configured, *(member.name for member in self._members.values())]
        if not wanted:
            return free_name(offered, taken=known)
        if not is_safe_name(wanted):
            raise PairingRefused(f'"{wanted}" is no name for a person: use letters, digits, - and _')
        # One spelling belongs to one person.
        return next((name for name in known if name.casefold() == wanted.casefold()), wanted)

    def _role(self, wanted: str, name: str) -> str:
        if wanted and wanted not in ROLES:
            raise PairingRefused(f'"{wanted}" is no role: expected {" or ".join(ROLES)}')
        has = self.role_of(name)
        if wanted and has and wanted != has:
            raise PairingRefused(f"{name} is known already, as {has}")
        return has or wanted or Role.MEMBER

    def _welcome(self, offered: PairingCode, member: Member) -> OutboundMessage:
        language = choose_language(self._language, person=offered.language or None)
        return OutboundMessage(
            id=f"paired/{offered.code}",
            channel=offered.channel,
            chat_id=offered.chat_id,
            text=say(Say.PAIRED, language, name=member.name),
        )
