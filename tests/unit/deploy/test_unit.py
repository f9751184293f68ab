"""The unit of systemd: complete, confined, and no tighter than the program can bear."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.cli.exit_codes import USAGE
from gateway.config import Settings
from tests.helpers.units import PREFIX, ROOT, UNIT, needs_filters, needs_systemd, read_unit, seconds

ACCEPTED_EXPOSURE = 1.5
"""Of ten; what is left is the network, which a gateway is for."""


def test_readiness_and_the_watchdog_are_what_the_daemon_tells() -> None:
    unit = read_unit()

    assert (unit["Type"], unit["NotifyAccess"]) == (["notify"], ["main"])
    assert seconds(unit["WatchdogSec"][0]) > 0


def test_a_wrong_configuration_is_not_tried_again_and_a_failure_is() -> None:
    unit = read_unit()

    assert unit["RestartPreventExitStatus"] == [str(USAGE)]
    assert unit["Restart"] == ["on-failure"]
    assert unit["StartLimitIntervalSec"] == ["0"]


def test_systemd_waits_longer_than_turns_may_take_to_end() -> None:
    unit = read_unit()

    assert seconds(unit["TimeoutStopSec"][0]) >= 2 * Settings().gateway.drain_seconds


def test_what_is_kept_is_closed_to_others() -> None:
    unit = read_unit()

    assert (unit["StateDirectoryMode"], unit["UMask"]) == (["0700"], ["0077"])
    assert unit["LimitCORE"] == ["0"]


@needs_systemd
def test_systemd_understands_every_line_of_the_unit(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "mneme"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text(encoding="utf-8").replace(PREFIX, f"{program.parent}/"), encoding="utf-8")

    verified = _analyze("verify", "--recursive-errors=no", str(copy))

    assert (verified.returncode, verified.stdout + verified.stderr) == (0, "")


@needs_systemd
def test_the_unit_is_confined_to_the_network_and_its_state() -> None:
    report = _analyze(
        "security", "--offline=true", f"--threshold={ACCEPTED_EXPOSURE * 10:.0f}", "--json=short", str(UNIT)
    )
    findings = json.loads(report.stdout)
    exposed = {finding["name"] for finding in findings if finding["exposure"]}

    assert report.returncode == 0
    assert exposed == {
        "RootDirectory=/RootImage=",
        "RestrictAddressFamilies=~AF_NETLINK",
        "RestrictAddressFamilies=~AF_UNIX",
        "RestrictAddressFamilies=~AF_(INET|INET6)",
        "PrivateNetwork=",
        "DeviceAllow=",
        "IPAddressDeny=",
    }


@pytest.mark.slow
@needs_filters
def test_a_conversation_needs_no_system_call_that_the_unit_forbids(tmp_path: Path) -> None:
    said = _confined(
        "-m", "gateway", "chat", "--state", str(tmp_path / "state"), words="My dentist is Dr. Okafor.\n"
    )

    assert (said.returncode, said.stderr) == (0, "")
    assert "Noted." in said.stdout


@needs_filters
def test_what_the_unit_forbids_fails() -> None:
    attempts = ("socket.socket(socket.AF_PACKET, socket.SOCK_RAW)", "mmap.mmap(-1, 4096, prot=7)")

    for attempt in attempts:
        tried = _confined("-c", f"import mmap, socket; {attempt}")

        assert "PermissionError" in tried.stderr


def _analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["systemd-analyze", "--no-pager", *arguments],  # noqa: S607 - wherever the machine keeps it
        check=False,
        capture_output=True,
        text=True,
    )


def _confined(*arguments: str, words: str = "") -> subprocess.CompletedProcess[str]:
    """Python with these arguments, under the unit's filter."""
    return subprocess.run(
        [sys.executable, "-m", "tests.helpers.confine", sys.executable, *arguments],
        check=False,
        capture_output=True,
        text=True,
        input=words,
        cwd=ROOT,
        env={**os.environ, "MNEME_LLM__PROVIDER": "rote"},
    )
