"""What all commands share: how files are read, the one line of an error, and how data is printed."""

import asyncio
import json
import os
import sys
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import orjson
import typer

from channels.errors import ChannelError
from gateway.cli.conversation import printable
from gateway.cli.exit_codes import FAILED, INTERRUPTED, OK, USAGE
from gateway.errors import ConfigError, GatewayError
from gateway.service.lock import AlreadyRunning
from gateway.service.redaction import Redactor
from memory.errors import StoreError

T = TypeVar("T")


class CommandFailed(GatewayError):
    """A command could not do it; the text is the one line that is shown."""


def command_group(summary: str) -> typer.Typer:
    """An empty group of commands, such as `mneme sessions …`; a single command is a group of one."""
    return typer.Typer(
        help=summary,
        no_args_is_help=False,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )


def run(app: typer.Typer, *, name: str, arguments: Sequence[str], debug: bool = False) -> int:
    """Run one command and turn what it raises into one line and an exit code.

    An error that nobody foresaw ends the process through `sys.excepthook`, which then prints a line as well.
    """
    if not debug:
        sys.excepthook = _print_unforeseen
    try:
        code = typer.main.get_command(app).main(
            args=list(arguments), prog_name=f"mneme {name}", standalone_mode=False
        )
        sys.stdout.flush()
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        asked = context.command_path if context else f"mneme {name}"
        said = error.format_message().rstrip(".")
        print_error(f"{said}{'' if said.endswith('?') else '.'} See {asked} --help.")
        return USAGE
    except ConfigError as error:
        for problem in error.problems:
            print_error(problem)
        return USAGE
    except (GatewayError, StoreError, ChannelError, AlreadyRunning) as error:
        if debug:
            raise
        print_error(str(error) or type(error).__name__)
        return FAILED
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        _forget_stdout()
        return FAILED
    return code if isinstance(code, int) else OK


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the fastest loop there is."""
    try:
        import uvloop  # noqa: PLC0415 - not on every platform
    except ImportError:
        return asyncio.run(work)
    return uvloop.run(work)


def read_file(path: Path) -> bytes:
    """The content; CommandFailed where there is none for us."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise CommandFailed(f"{path} can't be read: {error.strerror}") from error


def print_error(message: str) -> None:
    """One line on stderr, without anything that looks like a secret."""
    line = " ".join(Redactor()(message).split())
    sys.stderr.write(f"mneme: {line}\n")


def print_note(message: str) -> None:
    """One line on stderr for whoever watches: how far it is, what was done."""
    sys.stderr.write(f"{message}\n")
    sys.stderr.flush()


def print_json(document: object) -> None:
    """One JSON document on stdout."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS
    try:
        text = orjson.dumps(document, option=options).decode()
    except orjson.JSONEncodeError:  # a number of more than 64 bits, which a stored record may hold
        text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    sys.stdout.write(text)


def print_lines(*lines: str) -> None:
    """Plain lines on stdout."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def print_table(rows: Sequence[Mapping[str, object]], *, columns: Sequence[str], empty: str) -> None:
    """Rows under the names of their columns; `empty` says that there are none. Through a pipe: tabs, no names.

    The first column is what other commands take, so it is shown whole however narrow the terminal is.
    """
    if not sys.stdout.isatty():
        print_lines(*("\t".join(_cell(row, column) for column in columns) for row in rows))
        return
    if not rows:
        print_lines(empty)
        return
    from rich.cells import cell_len  # noqa: PLC0415 - only a terminal needs it
    from rich.console import Console  # noqa: PLC0415 - the same
    from rich.table import Table  # noqa: PLC0415 - the same

    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        whole = max(cell_len(_cell(row, column)) for row in rows) if column == columns[0] else None
        table.add_column(column, min_width=whole)
    for row in rows:
        table.add_row(*(_cell(row, column).replace("[", r"\[") for column in columns))
    Console().print(table)


def _cell(row: Mapping[str, object], column: str) -> str:
    value = row.get(column)
    return "" if value is None else printable(" ".join(str(value).split()))


def _print_unforeseen(kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
    if isinstance(error, OSError):
        print_error(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    else:
        print_error(f"this should not happen: {kind.__name__}: {error} (--debug shows where)")


def _forget_stdout() -> None:
    """Who read our output is gone; what is left must not raise once more when Python closes the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
