"""How the daemon is, as one document for its operator."""

from collections.abc import Callable, Mapping
from typing import Any

from gateway import __version__
from gateway.http.health import ChannelState, Health
from gateway.journal.base import Journal
from gateway.service.clock import Clock
from memory.sessions.codec import format_time
from memory.sessions.manager import SessionManager


class Status:
    """Looks when it is asked."""

    def __init__(
        self,
        journal: Journal,
        sessions: SessionManager,
        *,
        health: Health,
        model: Callable[[], str],
        repairs: Callable[[], Mapping[str, int]],
        clock: Clock,
    ) -> None:
        self._journal = journal
        self._sessions = sessions
        self._health = health
        self._model = model
        self._repairs = repairs
        self._clock = clock
        self._started = clock.monotonic()

    async def document(self) -> dict[str, Any]:
        """The document of `mneme status --json`; `uptime` in seconds."""
        ready = await self._health.ready()
        counts = await self._journal.counts()
        return {
            "ready": ready.ok,
            "reasons": dict(ready.reasons),
            "version": __version__,
            "model": self._model(),
            "uptime": round(self._clock.monotonic() - self._started, 1),
            "channels": [_channel(state) for state in self._health.channels()],
            "inbox": {"pending": counts.unanswered},
            "outbox": {"due": counts.due, "dead": counts.dead},
            "jobs": {"todo": counts.todo, "doing": counts.doing},
            "sessions": {"known": len(await self._sessions.heads()), "cached": self._sessions.cached},
            "repairs": dict(self._repairs()),
        }


def _channel(state: ChannelState) -> dict[str, Any]:
    last = state.last_round_trip
    return {
        "name": state.name,
        "ok": state.ok,
        "last_round_trip": format_time(last) if last else None,
        "reason": state.reason,
    }
