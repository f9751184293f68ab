"""`mneme restore FILE`: a state directory from an archive."""

from pathlib import Path
from typing import Annotated

import typer

from gateway.backup.restoring import restore_backup
from gateway.cli.call import Call, command
from gateway.cli.command import command_group
from gateway.replies import counted

app = command_group("Make the state directory from an archive.")


@command(app)
def restore(
    call: Call,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `mneme backup` wrote.")],
) -> None:
    """Fill a state directory that is empty or not there yet. Every file is checked before anything is put in place."""
    directory = call.settings.gateway.state
    manifest = restore_backup(file, directory)
    taken = f"{manifest.created_at.astimezone():%Y-%m-%d %H:%M}"
    counts = {"files": len(manifest.files), "bytes": manifest.size, "counts": manifest.counts}
    document = {"state": str(directory), "created_at": manifest.created_at.isoformat(), **counts}
    done = f"restored {directory} as it was on {taken}: {counted(len(manifest.files), 'file')}"
    call.report(document, [done, f"Next: {call.line('doctor')}"])
