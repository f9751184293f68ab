"""The program `mneme`: answers `--version` before anything heavy is imported, and hands the rest to the command line."""

import os
import sys

from gateway import __version__


def main() -> int:
    """Run the command that the process was started with; its exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        sys.stdout.write(f"mneme {__version__}\n")
        return 0
    os.umask(0o077)  # what is kept is its owner's alone: files 0600, directories 0700
    from gateway.cli.commands import dispatch  # noqa: PLC0415 - the version costs none of this

    return dispatch(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
