"""`mneme backup FILE`: one archive of everything that is kept, also while the daemon runs."""

from pathlib import Path
from typing import Annotated

import typer

from gateway.backup.writing import write_backup
from gateway.cli.command import (
    ConfigOption,
    JsonOption,
    StateOption,
    command_group,
    print_json,
    print_lines,
    print_note,
    read_settings,
)

app = command_group("Write an archive of the state directory.")


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file, such as mneme.tar.gz.")],
    config: ConfigOption = None,
    state: StateOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write an archive (tar, gzip) of the state directory, which `restore` reads; never over a file that is there.

    The daemon may run. What can be made again is left out: the search index and the log.
    """
    manifest = write_backup(read_settings(config, state).gateway.state, file)
    for name in manifest.left_out:
        print_note(f"left out: {name} is no plain file")
    if as_json:
        counts = {"files": len(manifest.files), "bytes": manifest.size, "counts": manifest.counts}
        print_json({"file": str(file), **counts, "left_out": list(manifest.left_out)})
        return
    print_lines(f"wrote {file}: {len(manifest.files):,} files, {manifest.size:,} bytes before packing")
