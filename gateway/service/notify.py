"""Tells the service manager how we are, and measures whether the event loop still turns."""

from collections.abc import Mapping

from sdnotify import SystemdNotifier

from gateway.service.clock import Clock
from gateway.service.metrics import Metrics

_PROBE_SECONDS = 1.0
"""Often enough that a stall shows in the metrics, seldom enough to cost nothing when idle."""


class Notifier:
    """sd_notify; silent where no service manager listens."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._systemd = SystemdNotifier() if environ.get("NOTIFY_SOCKET") else None
        if self._systemd is not None and self._systemd.socket is not None:
            # A manager that reads nothing more is its own trouble: without this, the whole loop would wait for it.
            self._systemd.socket.setblocking(False)
        self.watchdog_seconds = _watchdog_seconds(environ)

    def ready(self, status: str = "") -> None:
        """Start-up is over: every channel is listening or being tried."""
        self._tell("READY=1", status)

    def stopping(self, status: str = "") -> None:
        """We are draining."""
        self._tell("STOPPING=1", status)

    def alive(self) -> None:
        """The event loop turns; said where a watchdog waits to hear it."""
        if self.watchdog_seconds is not None:
            self._tell("WATCHDOG=1")

    def close(self) -> None:
        """Let go of the socket."""
        if self._systemd is not None and self._systemd.socket is not None:
            self._systemd.socket.close()

    def _tell(self, state: str, status: str = "") -> None:
        if self._systemd is not None:
            self._systemd.notify(f"{state}\nSTATUS={status}" if status else state)


def _watchdog_seconds(environ: Mapping[str, str]) -> float | None:
    microseconds = environ.get("WATCHDOG_USEC", "")
    return int(microseconds) / 1_000_000 if microseconds.isdigit() and int(microseconds) > 0 else None


async def probe_loop(*, clock: Clock, metrics: Metrics, notifier: Notifier) -> None:
    """Until cancelled: how late the loop comes goes to the metrics, that it comes at all to the watchdog.

    It comes at least twice in the time that the watchdog allows.
    """
    step = min(_PROBE_SECONDS, (notifier.watchdog_seconds or 4.0) / 2)
    while True:
        asleep = clock.monotonic()
        await clock.sleep(step)
        metrics.loop_lag(seconds=max(clock.monotonic() - asleep - step, 0.0))
        notifier.alive()
