"""Who stands behind a request, by its token or by where it comes from, and which web sessions are theirs."""

import base64
import binascii
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field

from aiohttp import web

from channels.web.adapter import Guest
from gateway.http.hosts import is_loopback
from gateway.http.ownership import Ownership
from gateway.http.problems import bad_request, forbidden, unauthorized

_SUBPROTOCOL = "bearer."
_ENCODED = "base64url.bearer."
"""As a browser must send it: a subprotocol may not hold every character that a token may."""
DEFAULT_SESSION = "default"
"""Where the owner writes who names no session; anybody else then writes in one of their own name."""
LONGEST_NAME = 128
"""In characters: a session's name is part of its key, of its file's name and of the ids of its messages."""
_LEFT = (
    "this session is kept for a name that mneme.toml no longer has; if that was yours, take it back there, "
    "or use another session"
)
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP")


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """Who may come in. `token` "" lets this machine in without one; each person's token names the person.

    `sessions` gives the names of web sessions to people; `owner` stands behind everything that names nobody.
    """

    owner: str
    token: str = ""
    people: Mapping[str, str] = field(default_factory=dict)
    """Name by token."""
    sessions: Mapping[str, str] = field(default_factory=dict)
    """Name by session."""
    names: frozenset[str] = frozenset()
    """Everybody whom the configuration names, with or without a token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Who asks: the person that a token names, or None for whoever holds the house's own token or sits at this machine."""

    person: str | None


class Visitors:
    """Knows visitors by their token. `keys` may be replaced while we serve."""

    def __init__(self, keys: Keys, *, ownership: Ownership) -> None:
        self.keys = keys
        self._ownership = ownership

    def identify(self, request: web.Request) -> Visitor:
        """Who sent this request; 401 for a wrong or missing token, 403 for another machine where none is set."""
        presented = _token(request)
        if presented is not None and (self.keys.token or self.keys.people):
            return self._by_token(presented)
        if self.keys.token:
            raise unauthorized("a token is needed, as Authorization: Bearer")
        if not _from_here(request):
            raise forbidden("only this machine is served; set channels.web.token to serve others")
        return Visitor(person=None)

    async def guest(self, visitor: Visitor, session: str) -> Guest:
        """The visitor in a web session, "" for their own; 403 when it is somebody else's, 400 for what is no name."""
        session = session or _own_session(visitor, owner=self.keys.owner)
        if not 0 < len(session) <= LONGEST_NAME or not session.isprintable():
            raise bad_request(f"a session's name has 1 to {LONGEST_NAME} printable characters")
        given = self.keys.sessions.get(session)
        person = visitor.person or given or self.keys.owner
        guest = Guest(sender_id=person, chat_id=session)
        theirs = await self._ownership.admits(guest, kept_for=self._at_home_in(session))
        if given not in {None, person} or not theirs:
            left = await self._ownership.is_left(guest, names=self.keys.names)
            raise forbidden(_LEFT if left else "this session is somebody else's")
        return guest

    def _at_home_in(self, session: str) -> str | None:
        """Who writes there without naming a session: it is theirs also before they came."""
        if session == DEFAULT_SESSION:
            return self.keys.owner
        return session if session in self.keys.people.values() and session != self.keys.owner else None

    def _by_token(self, presented: str) -> Visitor:
        """Every token is compared, and each in constant time: how long it takes says nothing."""
        found: Visitor | None = None
        for token, person in [(self.keys.token, None), *self.keys.people.items()]:
            if token and hmac.compare_digest(token.encode(), presented.encode()):
                found = Visitor(person=person)
        if found is None:
            raise unauthorized("this token is unknown")
        return found


def _own_session(visitor: Visitor, *, owner: str) -> str:
    return DEFAULT_SESSION if visitor.person in {None, owner} else visitor.person


def _token(request: web.Request) -> str | None:
    """The token of the Authorization header or, from a browser's socket, of the subprotocols; never of the URL."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return _legal(token.strip())
    for offered in request.headers.get("Sec-WebSocket-Protocol", "").split(","):
        name = offered.strip()
        if name.startswith(_SUBPROTOCOL):
            return _legal(name.removeprefix(_SUBPROTOCOL))
        if name.startswith(_ENCODED):
            return _decoded(name.removeprefix(_ENCODED))
    return None


def _decoded(text: str) -> str:
    """What base64url without padding stands for; "", which is nobody's token, for what it isn't."""
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
    except (binascii.Error, ValueError):
        return ""


def _legal(text: str) -> str:
    """A header as text; its stray bytes come as lone surrogates, which no token has."""
    return text.encode(errors="surrogateescape").decode(errors="replace")


def _from_here(request: web.Request) -> bool:
    """Whether the request comes from this machine and not only through a proxy on it."""
    return is_loopback(request.remote) and not any(name in request.headers for name in _FORWARDED)
