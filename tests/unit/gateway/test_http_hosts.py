import pytest

from gateway.http.hosts import Hosts, is_loopback
from gateway.http.problems import HttpProblem


def passes(hosts: Hosts, host: str | None, origin: str | None = None) -> bool:
    try:
        hosts.check(host, origin=origin)
    except HttpProblem as problem:
        return problem.status != 403
    return True


@pytest.mark.parametrize(
    ("bound", "host", "is_ours"),
    [
        ("127.0.0.1", "127.0.0.1:8760", True),
        ("127.0.0.1", "localhost:8760", True),
        ("127.0.0.1", "LOCALHOST", True),
        ("127.0.0.1", "[::1]:8760", True),
        ("127.0.0.1", "evil.example", False),
        ("127.0.0.1", "evil.example:8760", False),
        ("127.0.0.1", "127.0.0.1.evil.example", False),
        ("127.0.0.1", "192.168.1.5:8760", False),
        ("127.0.0.1", "", False),
        ("127.0.0.1", None, False),
        ("127.0.0.1", "[::1", False),
        ("192.168.1.5", "192.168.1.5:8760", True),
        ("0.0.0.0", "192.168.1.5:8760", True),  # noqa: S104 - what an operator may configure
        ("0.0.0.0", "evil.example", False),  # noqa: S104 - the same
        ("::", "[fd00::1]:8760", True),
        ("mneme.home", "mneme.home:8760", True),
        ("127.0.0.1", "bot.example.org", True),
    ],
)
def test_only_our_names_are_served(bound: str, host: str | None, is_ours: bool) -> None:
    assert passes(Hosts(bound, names=["bot.example.org"]), host) is is_ours


@pytest.mark.parametrize(
    ("origin", "is_ours"),
    [
        (None, True),
        ("http://127.0.0.1:8760", True),
        ("http://127.0.0.1:3000", False),
        ("http://localhost:8760", False),
        ("https://evil.example", False),
        ("null", False),
        ("", False),
        ("file://", False),
    ],
)
def test_a_page_talks_to_the_very_place_it_came_from(origin: str | None, is_ours: bool) -> None:
    assert passes(Hosts("127.0.0.1"), "127.0.0.1:8760", origin) is is_ours


@pytest.mark.parametrize(
    ("address", "is_here"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("10.0.0.1", False),
        ("", False),
        (None, False),
    ],
)
def test_this_machine_is_known_by_its_address(address: str | None, is_here: bool) -> None:
    assert is_loopback(address) is is_here
