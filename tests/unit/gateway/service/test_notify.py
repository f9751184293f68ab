"""What the service manager is told."""

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.service.clock import ManualClock
from gateway.service.metrics import Metrics
from gateway.service.notify import Notifier, probe_loop


class Lags(Metrics):
    """Keeps how late the loop came."""

    def __init__(self) -> None:
        self.seen: list[float] = []

    def loop_lag(self, *, seconds: float) -> None:
        self.seen.append(seconds)


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A service manager's end of the socket."""
    path = tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(str(path))
        server.settimeout(5)
        monkeypatch.setenv("NOTIFY_SOCKET", str(path))
        yield server


def notifier(**environ: str) -> Notifier:
    """A notifier that a manager listens to."""
    return Notifier({"NOTIFY_SOCKET": "set", **environ})


def test_ready_and_stopping_reach_the_manager(manager: socket.socket) -> None:
    notify = notifier()
    notify.ready("2 channels")
    notify.stopping()

    assert manager.recv(100) == b"READY=1\nSTATUS=2 channels"
    assert manager.recv(100) == b"STOPPING=1"
    notify.close()


def test_without_a_manager_nothing_happens() -> None:
    notify = Notifier({})
    notify.ready()
    notify.alive()

    assert notify.watchdog_seconds is None


def test_a_manager_that_reads_nothing_holds_nobody_up(manager: socket.socket) -> None:
    notify = notifier(WATCHDOG_USEC="1000000")
    for _ in range(10_000):
        notify.alive()

    assert manager.recv(100) == b"WATCHDOG=1"
    notify.close()


async def test_a_loop_that_turns_feeds_the_watchdog_twice_in_its_time(manager: socket.socket) -> None:
    clock, lags, notify = ManualClock(), Lags(), notifier(WATCHDOG_USEC="1000000")
    probe = asyncio.create_task(probe_loop(clock=clock, metrics=lags, notifier=notify))
    await clock.slept_on()

    await clock.advance(1.0)
    probe.cancel()

    assert [manager.recv(100), manager.recv(100)] == [b"WATCHDOG=1"] * 2
    assert lags.seen == [0.0, 0.0]
    notify.close()


@pytest.mark.parametrize(("text", "seconds"), [("3000000", 3.0), ("", None), ("soon", None), ("0", None)])
def test_the_time_that_the_watchdog_allows_is_read(text: str, seconds: float | None) -> None:
    assert Notifier({"WATCHDOG_USEC": text}).watchdog_seconds == seconds
