"""Where a process of ours writes its log: decided once, from what it is and who watches it."""

import sys
from pathlib import Path

from gateway.config import Settings
from gateway.service import logs


def log_path(settings: Settings) -> Path:
    """Where the daemon writes its log when nobody else keeps it."""
    return settings.gateway.state / "log" / "mneme.jsonl"


def open_log(settings: Settings, *, foreground: bool) -> None:
    """For the daemon (`foreground`): stderr where somebody collects it, else a file, and a terminal's stderr beside.

    A terminal chat keeps its screen to itself: its log is the file alone.
    """
    watched = foreground and sys.stderr.isatty()
    collected = foreground and not watched and logs.under_a_collector(settings.environ)
    logs.configure(
        level=settings.gateway.log_level,
        file=None if collected else log_path(settings),
        stream=sys.stderr if collected or watched else None,
        console=watched,
        secrets=settings.secret_values(),
    )
