"""`mneme pair …`: strangers who ask to come in, and people who were let in."""

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
from gateway.cli.conversation import moment
from gateway.cli.operate import operate

app = command_group("See who asks to come in, let them in, put them out again.")


@app.command("list")
def list_(config: ConfigOption = None, state: StateOption = None, as_json: JsonOption = False) -> None:
    """Who asks to come in, and who was let in. Only codes that are still good are shown."""
    settings = read_settings(config, state)
    document = operate(settings, "pair-list")
    if as_json:
        print_json(document)
        return
    zone = settings.zone_of(settings.owner)
    waiting = [
        row | {"state": "waits", "name": row["sender_name"], "until": moment(row["expires_at"], zone)}
        for row in document["codes"]
    ]
    people = [row | {"state": row["role"]} for row in document["people"]]
    columns = ("state", "name", "channel", "sender_id", "code", "until")
    print_table([*waiting, *people], columns=columns, empty="Nobody asks to come in, and nobody was let in.")


@app.command()
def approve(
    code: Annotated[str, typer.Argument(metavar="CODE", help="What the stranger was shown.")],
    *,
    config: ConfigOption = None,
    state: StateOption = None,
    as_json: JsonOption = False,
    name: Annotated[
        str,
        typer.Option("--name", metavar="NAME", help="The person; one who is known gets one more identity."),
    ] = "",
    role: Annotated[str, typer.Option("--role", help="owner | member; member when left out.")] = "",
) -> None:
    """Let somebody in; they are told."""
    document = operate(read_settings(config, state), "pair-approve", code=code, person=name, role=role)
    if as_json:
        print_json(document)
        return
    print_lines(
        f"{document['name']} may talk now, as {document['role']} ({document['channel']} {document['sender_id']})"
    )


@app.command()
def revoke(
    channel: Annotated[str, typer.Argument(metavar="CHANNEL", help="Such as telegram.")],
    sender_id: Annotated[str, typer.Argument(metavar="ID", help="As `list` shows it.")],
    config: ConfigOption = None,
    state: StateOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put somebody out who was let in; what was said stays."""
    settings = read_settings(config, state)
    document = operate(settings, "pair-revoke", channel=channel, sender_id=sender_id)
    print_json(document) if as_json else print_lines(f"{document['name']} is a stranger again")
