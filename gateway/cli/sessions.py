"""`mneme sessions …`: every conversation, listed, shown, checked, carried in and out, mended, deleted."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

from channels.messages import escape_part
from gateway.cli.call import Call, command
from gateway.cli.command import (
    CommandFailed,
    command_group,
    print_error,
    read_file,
)
from gateway.cli.conversation import conversation_lines, moment
from gateway.cli.operate import operate
from gateway.operations.operation import Document, OperationFailed
from gateway.replies import counted
from memory.atomic import replace_file

app = command_group("Look at conversations, carry them in and out, mend them.")

KeyArgument = Annotated[str, typer.Argument(metavar="KEY", help="The session, such as telegram:42.")]
_STANDARD = "-"
_RECORD = '{"role","content","timestamp"?,"name"?}'


@command(app, "list")
def list_(call: Call) -> None:
    """Every session, newest first."""
    document = operate(call.settings, "sessions-list")
    zone = call.settings.zone_here
    rows = [row | {"updated": moment(row["updated_at"], zone)} for row in document["sessions"]]
    columns = ("key", "audience", "messages", "tokens", "updated")
    call.report_table(document, rows, columns=columns, empty="Nothing was said yet.")


@command(app)
def show(
    call: Call,
    key: KeyArgument,
) -> None:
    """A session, whole."""
    document = operate(call.settings, "sessions-show", key=key)
    call.report(document, conversation_lines(document, call.settings.zone_here))


@command(app)
def check(
    call: Call,
    key: Annotated[
        str | None, typer.Argument(metavar="KEY", help="The session; all of them when left out.")
    ] = None,
) -> None:
    """What a session needs put right before it is sent. Also what can't be read of it; the store stays as it is."""
    if key is None:
        document = operate(call.settings, "sessions-check-all", note="checking every session")
        reports = document["sessions"]
    else:
        document = operate(call.settings, "sessions-check", key=key)
        reports = [document]
    lines = [line for report in reports for line in _report(report)]
    whole = not any(report["problems"] for report in reports)
    call.report(document, [*lines, "Nothing needs a repair."] if whole else lines)


@command(app, "export")
def export_(
    call: Call,
    key: KeyArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write; - is standard output.")],
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Write a session as JSON lines, which `import` reads."""
    if str(file) == _STANDARD and call.as_json:
        raise typer.BadParameter("standard output has the lines already; name a FILE.", param_hint="--json")
    if str(file) != _STANDARD and file.exists() and not force:
        raise CommandFailed(f"{file} is there already; --force writes over it")
    document = operate(call.settings, "sessions-export", note=f"reading {key}", key=key)
    data = "".join(f"{line}\n" for line in document["lines"]).encode()
    if str(file) == _STANDARD:
        sys.stdout.buffer.write(data)
        return
    _write(file, data)
    written = {"key": key, "file": str(file), "messages": document["messages"]}
    call.report(written, [], note=f"wrote {counted(document['messages'], 'message')} to {file}")


@command(app, "import")
def import_(
    call: Call,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON lines; - is standard input.")],
    key: Annotated[
        str, typer.Option("--key", metavar="KEY", help="The session, instead of the one that the file names.")
    ] = "",
) -> None:
    """Read a session from JSON lines. Ours, nanobot's, or {"role","content","timestamp"?,"name"?}."""
    if key and ":" not in key:
        raise typer.BadParameter(f"a key is CHANNEL:NAME, such as terminal:{key}.", param_hint="--key")
    settings = call.settings
    # A byte that is no UTF-8 becomes an escape that JSON doesn't know, so that its line is named.
    data = sys.stdin.buffer.read() if str(file) == _STANDARD else read_file(file)
    lines = data.decode("utf-8", "backslashreplace").split("\n")
    name = "stdin" if str(file) == _STANDARD else file.stem
    note = f"reading {counted(len(lines), 'line')} of {file}"
    asked = {"lines": lines, "key": key, "otherwise": f"imported:{escape_part(name)}"}
    try:
        document = operate(settings, "sessions-import", note=note, **asked)
    except OperationFailed as error:
        raise CommandFailed(f"{file}: {error}") from error
    for damage in document["damages"]:
        print_error(f"{file} {damage['place']}: {_expectation(damage['problem'])}; {damage['repair']}")
    taken = f"{document['key']}: {counted(document['messages'], 'message')}, for {document['audience']}"
    call.report(document, [taken])


@command(app)
def repair(
    call: Call,
    key: KeyArgument,
) -> None:
    """Set aside what can't be read, and put the rest in order. What is set aside is kept byte for byte."""
    document = operate(call.settings, "sessions-repair", key=key)
    mended = [_damage_line(one) for one in document["repaired"]]
    call.report(document, mended or [f"{key} needs no repair."])


@command(app)
def delete(
    call: Call,
    key: KeyArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
) -> None:
    """Remove a session from the disk and from the search. On a terminal it asks first."""
    settings = call.settings
    if sys.stdin.isatty() and not yes:
        typer.confirm(f"Delete {key} for good?", abort=True, err=True)
    call.report(operate(settings, "sessions-delete", key=key), [f"deleted {key}"])


def _report(report: Document) -> list[str]:
    key = report["key"]
    found = [
        f"{key}#{one['seq']}: {one['kind']}: {one['repair']}" for one in report["problems"] if one["seq"]
    ]
    return found + [f"{key}: {_damage_line(damage)}" for damage in report["damages"]]


def _damage_line(damage: Document) -> str:
    return f"{damage['place']}: {damage['problem']}: {damage['repair']}"


def _expectation(problem: str) -> str:
    return problem if "expected" in problem else f"{problem}; expected {_RECORD}"


def _write(file: Path, data: bytes) -> None:
    if file.exists() and not file.is_file():
        file.write_bytes(data)  # a device or a pipe is written to, not replaced
    else:
        asyncio.run(replace_file(file, data))
