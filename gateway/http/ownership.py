"""Whose a web session is: the person's who is in its memory, or who came first (P13)."""

from collections import OrderedDict
from collections.abc import Iterable
from datetime import UTC, datetime

from channels.messages import InboundMessage, Scope, SessionKey, session_key
from channels.web.adapter import Guest
from memory.audience import person_audience
from memory.sessions.manager import SessionManager

_CLAIMS = 10_000
"""Sessions that were opened and hold no message yet; beyond these the oldest are anybody's again."""


class Ownership:
    """Lets a session's first person in, and nobody else ever after."""

    def __init__(self, sessions: SessionManager, *, scope: Scope, channel: str = "web") -> None:
        self._sessions = sessions
        self._scope = scope
        self._channel = channel
        self._claims = OrderedDict[SessionKey, str]()

    async def admits(self, guest: Guest, *, kept_for: str | None = None) -> bool:
        """Whether the session is this guest's; one that nobody has is theirs from now on, unless it is kept for somebody."""
        key = self.key_of(guest)
        audience = await self._sessions.audience_of(key)
        if audience:
            self._claims.pop(key, None)
            return audience == person_audience(guest.sender_id)
        if kept_for is not None and self._scope is not Scope.USER:
            return guest.sender_id == kept_for
        owner = self._claims.setdefault(key, guest.sender_id)
        if len(self._claims) > _CLAIMS:
            self._claims.popitem(last=False)
        return owner == guest.sender_id

    async def is_left(self, guest: Guest, *, names: Iterable[str]) -> bool:
        """Whether the session holds the memory of somebody who has none of these names: renamed, or gone."""
        audience = await self._sessions.audience_of(self.key_of(guest))
        return bool(audience) and audience not in {person_audience(name) for name in names}

    def key_of(self, guest: Guest) -> SessionKey:
        """The session in which a guest writes, as intake will name it."""
        message = InboundMessage(
            id="",
            channel=self._channel,
            chat_id=guest.chat_id,
            sender_id=guest.sender_id,
            text="",
            received_at=datetime.min.replace(tzinfo=UTC),
        )
        return session_key(message, scope=self._scope)
