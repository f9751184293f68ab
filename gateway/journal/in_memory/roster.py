"""Who was let in at run time."""

from datetime import UTC, datetime

from gateway.journal.base import Member, PairingCode
from gateway.journal.codec import legal, legal_texts


class InMemoryRoster:
    """Members by identity, codes by code."""

    def __init__(self) -> None:
        super().__init__()
        self._members: dict[tuple[str, str], Member] = {}
        self._codes: dict[str, PairingCode] = {}

    async def members(self) -> list[Member]:
        """In the order of their identities; one without a name is nobody."""
        return [
            member for who, member in sorted(self._members.items()) if all((*who, member.name, member.role))
        ]

    async def offer(self, code: PairingCode, *, now: datetime | None = None) -> PairingCode:
        at, code = now or datetime.now(UTC), legal_texts(code)
        self._codes = {name: known for name, known in self._codes.items() if known.expires_at > at}
        for known in self._codes.values():
            if (known.channel, known.sender_id) == (code.channel, code.sender_id):
                return known
        if code.code in self._codes:
            raise ValueError("this pairing code belongs to somebody else")
        self._codes[code.code] = code
        return code

    async def codes(self, *, now: datetime) -> list[PairingCode]:
        valid = [code for code in self._codes.values() if code.expires_at > now]
        return sorted(valid, key=lambda code: (code.expires_at, code.code))

    async def approve(self, code: str, *, name: str, role: str, now: datetime) -> Member | None:
        offered = self._codes.get(legal(code))
        if offered is None or offered.expires_at <= now:
            return None
        del self._codes[offered.code]
        who = (offered.channel, offered.sender_id)
        self._members[who] = Member(
            channel=who[0], sender_id=who[1], name=legal(name), role=legal(role), approved_at=now
        )
        return self._members[who]

    async def revoke(self, channel: str, sender_id: str) -> bool:
        return self._members.pop((legal(channel), legal(sender_id)), None) is not None
