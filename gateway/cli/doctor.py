"""`mneme doctor`: what is wrong, and what to do about it."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from gateway.cli.command import (
    ConfigOption,
    JsonOption,
    StateOption,
    command_group,
    print_json,
    print_lines,
    read_settings,
    run_async,
)
from gateway.cli.exit_codes import FAILED, USAGE
from gateway.cli.findings import (
    Check,
    Finding,
    check_configuration,
    check_disk,
    check_permissions,
    check_tokenizer,
)
from gateway.cli.probes import PROBES
from gateway.config import Settings
from gateway.errors import ConfigError
from memory.crashpoints import CrashPoint

CHECKS: Sequence[Check] = (check_configuration, check_permissions, check_disk, check_tokenizer)

_MARKS = {"ok": "✓", "warning": "!", "error": "✗"}

app = command_group("Say what is wrong, and what to do.")


@app.command()
def doctor(
    config: ConfigOption = None,
    state: StateOption = None,
    as_json: JsonOption = False,
    crash_points: Annotated[
        bool,
        typer.Option("--crash-points", help="List the names that MNEME_CRASH_AT takes, and check nothing."),
    ] = False,
) -> None:
    """Say what is wrong, and what to do. Exit code 1 when something is, 2 when it is the configuration."""
    if crash_points:
        names = [point.value for point in CrashPoint]
        print_json({"crash_points": names}) if as_json else print_lines(*names)
        return
    try:
        settings = read_settings(config, state)
    except ConfigError as error:
        _print(
            [Finding(check="configuration", ok=False, message=problem) for problem in error.problems],
            as_json=as_json,
        )
        raise typer.Exit(USAGE) from error
    findings = [finding for check in CHECKS for finding in check(settings)]
    findings += run_async(_probe(settings))
    _print(findings, as_json=as_json)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(FAILED)


async def _probe(settings: Settings) -> list[Finding]:
    return [finding for probe in PROBES async for finding in probe(settings)]


def _print(findings: Sequence[Finding], *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "ok": all(finding.ok for finding in findings),
                "findings": [asdict(one) | {"level": one.level} for one in findings],
            }
        )
        return
    for finding in findings:
        print_lines(
            f"{_MARKS[finding.level]} {finding.check}: {finding.message}",
            *([f"    → {finding.fix}"] if finding.fix else []),
        )
