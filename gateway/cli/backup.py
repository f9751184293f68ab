"""`mneme backup FILE`: one archive of everything that is kept, also while the daemon runs."""

from pathlib import Path
from typing import Annotated

import typer

from gateway.backup.writing import write_backup
from gateway.cli.call import Call, command
from gateway.cli.command import command_group, print_note
from gateway.replies import counted

app = command_group("Write an archive of the state directory.")


@command(app)
def backup(
    call: Call,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file, such as mneme.tar.gz.")],
) -> None:
    """Write an archive (tar, gzip) of the state directory, which `restore` reads; never over a file that is there.

    The daemon may run. What can be made again is left out: the search index and the log.
    """
    manifest = write_backup(call.settings.gateway.state, file)
    for name in manifest.left_out:
        print_note(f"left out: {name} is no plain file")
    counts = {"files": len(manifest.files), "bytes": manifest.size, "counts": manifest.counts}
    document = {"file": str(file), **counts, "left_out": list(manifest.left_out)}
    done = f"wrote {file}: {counted(len(manifest.files), 'file')}, {counted(manifest.size, 'byte')} before packing"
    call.report(document, [done])
