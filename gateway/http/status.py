"""How the daemon is, as one document for its operator."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from gateway import __version__
from gateway.http.health import ChannelState, Health
from gateway.journal.base import Journal
from gateway.llm.metered import Spending
from gateway.service.clock import Clock
from memory.sessions.codec import format_time
from memory.sessions.manager import SessionManager


def status_report(
    journal: Journal,
    sessions: SessionManager,
    *,
    health: Health,
    model: Callable[[], str],
    spending: Spending,
    repairs: Callable[[], Mapping[str, int]],
    clock: Clock,
) -> Callable[[], Awaitable[dict[str, Any]]]:
    """Gives, each time it is asked, the document of `mneme status --json`; `uptime` in seconds from now on."""
    started = clock.monotonic()

    async def report() -> dict[str, Any]:
        ready = await health.ready()
        counts = await journal.counts()
        return {
            "ready": ready.ok,
            "reasons": dict(ready.reasons),
            "version": __version__,
            "model": model(),
            "uptime": round(clock.monotonic() - started, 1),
            "channels": [_channel(state) for state in health.channels()],
            "inbox": {"pending": counts.unanswered},
            "outbox": {"due": counts.due, "dead": counts.dead},
            "jobs": {"todo": counts.todo, "doing": counts.doing},
            "sessions": {"known": len(await sessions.heads()), "cached": sessions.cached},
            "tokens": {"prompt": spending.prompt_tokens, "completion": spending.completion_tokens},
            "cost": spending.cost,
            "repairs": dict(repairs()),
        }

    return report


def _channel(state: ChannelState) -> dict[str, Any]:
    last = state.last_round_trip
    return {
        "name": state.name,
        "ok": state.ok,
        "last_round_trip": format_time(last) if last else None,
        "reason": state.reason,
    }
