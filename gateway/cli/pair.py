"""`mneme pair …`: strangers who ask to come in, and people who were let in."""

from typing import Annotated

import typer

from gateway.cli.call import Call, command
from gateway.cli.command import command_group
from gateway.cli.conversation import moment
from gateway.cli.operate import operate

app = command_group("See who asks to come in, let them in, put them out again.")


@command(app, "list")
def list_(call: Call) -> None:
    """Who asks to come in, and who was let in. Only codes that are still good are shown."""
    document = operate(call.settings, "pair-list")
    zone = call.settings.zone_here
    waiting = [
        row | {"state": "waits", "name": row["sender_name"], "until": moment(row["expires_at"], zone)}
        for row in document["codes"]
    ]
    people = [row | {"state": row["role"]} for row in document["people"]]
    columns = ("state", "name", "channel", "sender_id", "code", "until")
    rows = [*waiting, *people]
    call.report_table(document, rows, columns=columns, empty="Nobody asks to come in, and nobody was let in.")


@command(app)
def approve(
    call: Call,
    code: Annotated[str, typer.Argument(metavar="CODE", help="What the stranger was shown.")],
    *,
    name: Annotated[
        str,
        typer.Option("--name", metavar="NAME", help="The person; one who is known gets one more identity."),
    ] = "",
    role: Annotated[str, typer.Option("--role", help="owner | member; member when left out.")] = "",
) -> None:
    """Let somebody in; they are told."""
    document = operate(call.settings, "pair-approve", code=code, person=name, role=role)
    who = f"({document['channel']} {document['sender_id']})"
    call.report(document, [f"{document['name']} may talk now, as {document['role']} {who}"])


@command(app)
def revoke(
    call: Call,
    channel: Annotated[str, typer.Argument(metavar="CHANNEL", help="Such as telegram.")],
    sender_id: Annotated[str, typer.Argument(metavar="ID", help="As `list` shows it.")],
) -> None:
    """Put somebody out who was let in; what was said stays."""
    document = operate(call.settings, "pair-revoke", channel=channel, sender_id=sender_id)
    call.report(document, [f"{channel} {sender_id} is a stranger again ({document['name']})"])
