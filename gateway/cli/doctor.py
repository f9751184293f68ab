"""`mneme doctor`: what is wrong, and what to do about it."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from gateway.cli.call import Call, command
from gateway.cli.command import command_group, run_async
from gateway.cli.exit_codes import FAILED, USAGE
from gateway.cli.findings import (
    Check,
    Finding,
    check_configuration,
    check_disk,
    check_other_store,
    check_permissions,
    check_tokenizer,
)
from gateway.cli.probes import PROBES
from gateway.config import Settings
from gateway.errors import ConfigError
from memory.crashpoints import CrashPoint

CHECKS: Sequence[Check] = (
    check_configuration,
    check_permissions,
    check_disk,
    check_other_store,
    check_tokenizer,
)

_MARKS = {"ok": "✓", "warning": "!", "error": "✗"}

app = command_group("Say what is wrong, and what to do.")


@command(app)
def doctor(
    call: Call,
    crash_points: Annotated[
        bool,
        typer.Option("--crash-points", help="List the names that MNEME_CRASH_AT takes, and check nothing."),
    ] = False,
) -> None:
    """Say what is wrong, and what to do. Exit code 1 when something is, 2 when it is the configuration."""
    if crash_points:
        names = [point.value for point in CrashPoint]
        call.report({"crash_points": names}, names)
        return
    try:
        settings = call.settings_and_secrets
    except ConfigError as error:
        faults = [Finding(check="configuration", ok=False, message=problem) for problem in error.problems]
        _report(call, faults)
        raise typer.Exit(USAGE) from error
    findings = [finding for check in CHECKS for finding in check(settings)]
    findings += run_async(_probe(settings))
    _report(call, findings)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(FAILED)


async def _probe(settings: Settings) -> list[Finding]:
    return [finding for probe in PROBES async for finding in probe(settings)]


def _report(call: Call, findings: Sequence[Finding]) -> None:
    rows = [asdict(one) | {"level": one.level} for one in findings]
    document = {"ok": all(finding.ok for finding in findings), "findings": rows}
    call.report(document, (line for finding in findings for line in _lines(finding)))


def _lines(finding: Finding) -> Iterator[str]:
    yield f"{_MARKS[finding.level]} {finding.check}: {finding.message}"
    if finding.fix:
        yield f"    → {finding.fix}"
