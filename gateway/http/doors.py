"""The two ways in: the public address, where everybody is looked at, and the control socket, which only its owner can open."""

from typing import Protocol

from aiohttp import web

from channels.web.adapter import Guest
from gateway.http.hosts import Hosts
from gateway.http.visitors import Visitor, Visitors


class Door(Protocol):
    """Who may come in this way."""

    def look_at(self, request: web.Request) -> None:
        """Refuse what no visitor of ours would send."""

    def identify(self, request: web.Request) -> Visitor:
        """Who asks, or a refusal."""

    async def guest(self, request: web.Request, session: str) -> Guest:
        """Who writes in this web session, or a refusal."""


class PublicDoor:
    """Host and Origin are checked for everything, a token wherever somebody's words are at stake."""

    def __init__(self, hosts: Hosts, visitors: Visitors) -> None:
        self._hosts = hosts
        self._visitors = visitors

    def look_at(self, request: web.Request) -> None:
        """403 for a foreign Host or Origin."""
        self._hosts.check(request.headers.get("Host"), origin=request.headers.get("Origin"))

    def identify(self, request: web.Request) -> Visitor:
        """By token or by machine."""
        return self._visitors.identify(request)

    async def guest(self, request: web.Request, session: str) -> Guest:
        """The visitor, where the session is theirs."""
        return await self._visitors.guest(self.identify(request), session)


class ControlDoor:
    """The file system let them in: mode 0600 in a directory of mode 0700."""

    def __init__(self, visitors: Visitors) -> None:
        self._visitors = visitors

    def look_at(self, request: web.Request) -> None:
        """No browser comes this way."""

    def identify(self, request: web.Request) -> Visitor:
        """The owner of the house."""
        return Visitor(person=None)

    async def guest(self, request: web.Request, session: str) -> Guest:
        """The owner, or the person whose session it is by configuration."""
        return await self._visitors.guest(self.identify(request), session)
