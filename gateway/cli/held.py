"""What `doctor` finds where another process has the stores open: it is asked how it is, and left alone."""

from collections.abc import AsyncIterator

from gateway.cli.daemon import daemon_at
from gateway.cli.findings import Finding
from gateway.config import Settings
from gateway.operations.operation import Document, OperationFailed


async def probe_holder(settings: Settings, *, pid: str) -> AsyncIterator[Finding]:
    """How the daemon is, by its own measure; what else holds the stores can only be waited for."""
    process = f"process {pid or '(unknown)'}"
    async with daemon_at(settings.gateway.state) as daemon:
        if daemon is None:
            message = f"{process} has the stores open, so they are not examined"
            yield Finding(
                check="store", ok=True, message=message, fix="run mneme doctor again when it has ended"
            )
            return
        try:
            status = await daemon.perform("status", {})
        except OperationFailed as error:
            message = f"{process} runs, but {error}"
            yield Finding(check="daemon", ok=False, message=message, fix="look at mneme logs")
            return
    for finding in _of_status(status, process=process):
        yield finding


def _of_status(status: Document, *, process: str) -> list[Finding]:
    reasons = "; ".join(f"{part}: {reason}" for part, reason in status["reasons"].items())
    if not status["ready"]:
        message = f"{process} runs and is not ready: {reasons}"
        return [Finding(check="daemon", ok=False, message=message, fix="look at mneme status and mneme logs")]
    return [
        Finding(check="daemon", ok=True, message=f"{process} runs and is ready"),
        Finding(
            check="store",
            ok=True,
            message="open in the daemon, which reads and writes; mneme sessions check reads every session through it",
        ),
    ]
