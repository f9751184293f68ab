"""The program `mneme`: answers `--version` before anything heavy is imported, and hands the rest to the command line."""

import sys

from gateway import __version__


def main() -> int:
    """Run the command that the process was started with; its exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        sys.stdout.write(f"mneme {__version__}\n")
        return 0
    from gateway.cli.commands import dispatch  # noqa: PLC0415 - the version costs none of this

    return dispatch(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
