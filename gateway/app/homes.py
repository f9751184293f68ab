"""Which session a message belongs to: never one that holds what another audience said (P13)."""

from channels.messages import InboundMessage, Scope, SessionKey, session_key
from gateway.app.people import audience_of
from gateway.config.settings import IMPLICIT_OWNER, Settings
from memory.audience import group_audience, person_audience
from memory.errors import StoreCorrupt
from memory.sessions.locks import KeyedLocks
from memory.sessions.manager import SessionManager


class Homes:
    """Names sessions by the configured scope, and beside one that is somebody else's another of the same name."""

    def __init__(self, settings: Settings, sessions: SessionManager) -> None:
        self._scope = Scope(settings.sessions.scope)
        self._here = person_audience(settings.person_here)
        self._sessions = sessions
        self._asking = KeyedLocks()

    async def session_of(self, message: InboundMessage) -> SessionKey:
        """The key that the message goes by from now on; raises StoreUnavailable where nothing can be read now."""
        key = message.session_key or session_key(message, scope=self._scope)
        audience = audience_of(message)
        try:
            async with self._asking.hold(
                key
            ):  # in the order in which they came: a look at the disk takes its time
                held_by = await self._sessions.audience_of(key)
        except StoreCorrupt:
            return key  # its turn finds the same, and says so
        if not held_by or held_by == audience or self._succeeds(audience, held_by, message):
            return key
        return SessionKey(f"{key}~{audience}")

    def _succeeds(self, audience: str, held_by: str, message: InboundMessage) -> bool:
        """Whether it is the same human under a name that they have since been given.

        Who had no name in a direct chat went by the chat, and who was alone here before people were configured
        is the owner now.
        """
        nameless = group_audience(message.channel, message.chat_id)
        return held_by == nameless or (held_by == person_audience(IMPLICIT_OWNER) and audience == self._here)
