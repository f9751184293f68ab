"""Which Host and Origin a request may name: a page of another site must not talk to us through a browser (DNS rebinding)."""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

from gateway.http.problems import HttpProblem, forbidden

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


class Hosts:
    """The names under which we are served: the address that we listen on, this machine, and configured ones.

    Listening on every address, any IP address is ours: only names can be rebound.
    """

    def __init__(self, bound: str, *, names: Iterable[str] = ()) -> None:
        self._names = {name.lower() for name in (bound, *LOCAL, *names) if name}
        address = _address(bound)
        self._any_address = address is not None and address.is_unspecified

    def check(self, host: str | None, *, origin: str | None) -> None:
        """Refuse a foreign Host with 403, and an Origin that is not the very place that is asked."""
        if not self._is_ours(host):
            raise _foreign("Host")
        if origin is not None and _place(origin) != (host or "").lower():
            raise _foreign("Origin")

    def _is_ours(self, host: str | None) -> bool:
        try:
            name = urlsplit(f"//{host or ''}").hostname or ""
        except ValueError:
            return False
        return name in self._names or (self._any_address and _address(name) is not None)


def is_loopback(address: str | None) -> bool:
    """Whether a peer is this machine."""
    found = _address((address or "").partition("%")[0])
    if found is None:
        return False
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return (mapped or found).is_loopback


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def _place(origin: str) -> str:
    """Host and port of an origin; "" for `null` and whatever is no web origin."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return ""
    return parts.netloc.lower() if parts.scheme in {"http", "https"} else ""


def _foreign(header: str) -> HttpProblem:
    return forbidden(f"this {header} is not served here")
