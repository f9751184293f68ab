"""Reads a unit of systemd: each setting with all its values in order, and the words of a command."""

import ctypes.util
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "deploy" / "mneme.service"
PREFIX = "/opt/mneme/bin/"
CONFIG = "/etc/mneme/mneme.toml"

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed"
)
needs_filters = pytest.mark.skipif(
    not (shutil.which("systemd-analyze") and ctypes.util.find_library("seccomp")),
    reason="systemd-analyze or libseccomp is not installed",
)

Unit = Mapping[str, list[str]]

_SPAN_UNITS = {"s": 1, "min": 60}


def read_unit(path: Path = UNIT) -> Unit:
    """Every setting of the unit, whichever section it stands in; no name of ours stands in two."""
    settings: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(("#", ";", "[")):
            name, _, value = line.partition("=")
            settings.setdefault(name, []).append(value)
    return settings


def command_line(unit: Unit, *, programs: Path, state: Path, config: Path) -> list[str]:
    """The words of ExecStart, with the places of an installation replaced by those of a test."""
    [line] = unit["ExecStart"]
    line = line.replace(PREFIX, f"{programs}/").replace("%S/mneme", str(state)).replace(CONFIG, str(config))
    return shlex.split(line)


def seconds(span: str) -> int:
    """What a time span of systemd or Compose says."""
    parts = re.findall(r"(\d+)(min|s)", span)
    return sum(int(number) * _SPAN_UNITS[unit] for number, unit in parts)


def allowed_calls(unit: Unit) -> set[str]:
    """The system calls that the unit's filter leaves, its groups spelt out by systemd itself."""
    allowed: set[str] = set()
    for line in unit["SystemCallFilter"]:
        for group in line.removeprefix("~").split():
            if line.startswith("~"):
                allowed -= _members(group)
            else:
                allowed |= _members(group) | _members("@default")
    return allowed


def _members(group: str) -> set[str]:
    printed = subprocess.run(
        ["systemd-analyze", "--no-pager", "syscall-filter", group],  # noqa: S607 - wherever the machine keeps it
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    names = [line.strip() for line in printed.splitlines() if line.startswith(" ") and "#" not in line]
    found: set[str] = set()
    for name in names:
        found |= _members(name) if name.startswith("@") else {name}
    return found
