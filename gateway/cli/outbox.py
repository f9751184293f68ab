"""`mneme outbox …`: what is answered and not delivered."""

from typing import Annotated

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
from gateway.cli.operate import operate

app = command_group("Look at what is not delivered, send it again, give it up.")

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="As `list` shows it.")]


@app.command("list")
def list_(config: ConfigOption = None, state: StateOption = None, as_json: JsonOption = False) -> None:
    """What is not delivered, dead letters first."""
    document = operate(read_settings(config, state), "outbox-list")
    if as_json:
        print_json(document)
        return
    columns = ("id", "channel", "chat_id", "status", "attempts", "next_at", "error")
    print_table(document["entries"], columns=columns, empty="Everything is delivered.")


@app.command()
def retry(
    entry: IdArgument, config: ConfigOption = None, state: StateOption = None, as_json: JsonOption = False
) -> None:
    """Send a dead letter again."""
    document = operate(read_settings(config, state), "outbox-retry", id=entry)
    print_json(document) if as_json else print_lines(f"{entry} is due again")


@app.command()
def drop(
    entry: IdArgument, config: ConfigOption = None, state: StateOption = None, as_json: JsonOption = False
) -> None:
    """Give a part of an answer up; it is not sent any more."""
    document = operate(read_settings(config, state), "outbox-drop", id=entry)
    print_json(document) if as_json else print_lines(f"dropped {entry}")
