"""Where nanobot keeps what: sessions, memory, history and scheduled jobs, in a workspace or its home directory."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PAGES = ("MEMORY.md", "USER.md", "SOUL.md", "AGENTS.md")
_OTHERS = frozenset({"IDENTITY.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md", "skills", "media"})
"""What nanobot keeps too, and nothing here can use as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """The files that are there; `others` are left where they are."""

    sessions: Sequence[Path]
    pages: Sequence[Path]
    histories: Sequence[Path]
    jobs: Sequence[Path]
    others: Sequence[Path]

    @property
    def is_empty(self) -> bool:
        """Whether nothing in it can be taken."""
        return not (self.sessions or self.pages or self.histories or self.jobs)


def find_workspace(directory: Path) -> Workspace:
    """Look through a workspace, or nanobot's home directory with the workspace in it; blocks."""
    roots = [directory, directory / "workspace"]
    pages = {name: _first(roots, f"memory/{name}", name) for name in PAGES}
    return Workspace(
        sessions=[path for root in roots for path in sorted(root.glob("sessions/*.jsonl"))],
        pages=[path for path in pages.values() if path],
        histories=_all(roots, "memory/HISTORY.md", "memory/history.jsonl"),
        jobs=_all(roots, "cron/jobs.json"),
        others=[root / name for root in roots for name in sorted(_OTHERS) if (root / name).exists()],
    )


def session_key(path: Path) -> str:
    """The key of a session file that doesn't name it itself: `telegram_42.jsonl` is `telegram:42`."""
    return path.stem.replace("_", ":", 1)


def _all(roots: Sequence[Path], *names: str) -> list[Path]:
    return [root / name for root in roots for name in names if (root / name).is_file()]


def _first(roots: Sequence[Path], *names: str) -> Path | None:
    return next(iter(_all(roots, *names)), None)
