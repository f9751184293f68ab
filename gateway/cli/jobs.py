"""`mneme jobs …`: subagents, consolidations, dreams, reminders."""

from typing import Annotated

import orjson
import typer

from gateway.cli.command import (
    ConfigOption,
    JsonOption,
    StateOption,
    command_group,
    print_json,
    print_lines,
    print_table,
    read_settings,
)
from gateway.cli.conversation import printable
from gateway.cli.operate import operate

app = command_group("Look at work in the background, and end it.")

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="As `list` shows it.")]


@app.command("list")
def list_(config: ConfigOption = None, state: StateOption = None, as_json: JsonOption = False) -> None:
    """Subagents, consolidations, dreams and reminders. Unfinished ones first."""
    document = operate(read_settings(config, state), "jobs-list")
    if as_json:
        print_json(document)
        return
    columns = ("id", "kind", "session", "status", "attempts", "created_at", "label")
    print_table(document["jobs"], columns=columns, empty="There are no jobs.")


@app.command()
def show(
    job: IdArgument, config: ConfigOption = None, state: StateOption = None, as_json: JsonOption = False
) -> None:
    """A job, with what it was given and what came of it."""
    document = operate(read_settings(config, state), "jobs-show", id=job)
    if as_json:
        print_json(document)
        return
    print_lines(
        *(f"{name}: {_shown(value)}" for name, value in document.items() if value not in (None, "", {}))
    )


@app.command()
def cancel(
    job: IdArgument, config: ConfigOption = None, state: StateOption = None, as_json: JsonOption = False
) -> None:
    """End a job, also one that runs, or a reminder."""
    document = operate(read_settings(config, state), "jobs-cancel", id=job)
    print_json(document) if as_json else print_lines(f"cancelled {job}")


def _shown(value: object) -> str:
    return printable(value if isinstance(value, str) else orjson.dumps(value).decode())
