"""`mneme restore FILE`: a state directory from an archive."""

from pathlib import Path
from typing import Annotated

import typer

from gateway.backup.restoring import restore_backup
from gateway.cli.command import (
    ConfigOption,
    JsonOption,
    StateOption,
    command_group,
    print_json,
    print_lines,
    read_settings,
)

app = command_group("Make the state directory from an archive.")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `mneme backup` wrote.")],
    config: ConfigOption = None,
    state: StateOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fill a state directory that is empty or not there yet. Every file is checked before anything is put in place."""
    directory = read_settings(config, state).gateway.state
    manifest = restore_backup(file, directory)
    taken = f"{manifest.created_at.astimezone():%Y-%m-%d %H:%M}"
    if as_json:
        counts = {"files": len(manifest.files), "bytes": manifest.size, "counts": manifest.counts}
        print_json({"state": str(directory), "created_at": manifest.created_at.isoformat(), **counts})
        return
    print_lines(
        f"restored {directory} as it was on {taken}: {len(manifest.files):,} files", "Next: mneme doctor"
    )
