"""`mneme outbox …`: what is answered and not delivered."""

from typing import Annotated

import typer

from gateway.cli.call import Call, command
from gateway.cli.command import command_group
from gateway.cli.conversation import moment
from gateway.cli.operate import operate

app = command_group("Look at what is not delivered, send it again, give it up.")

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="As `list` shows it.")]


@command(app, "list")
def list_(call: Call) -> None:
    """What is not delivered, dead letters first."""
    document = operate(call.settings, "outbox-list")
    zone = call.settings.zone_here
    rows = [row | {"next_at": moment(row["next_at"], zone)} for row in document["entries"]]
    columns = ("id", "channel", "chat_id", "status", "attempts", "next_at", "error")
    call.report_table(document, rows, columns=columns, empty="Everything is delivered.")


@command(app)
def retry(call: Call, entry: IdArgument) -> None:
    """Send a dead letter again."""
    call.report(operate(call.settings, "outbox-retry", id=entry), [f"{entry} is due again"])


@command(app)
def drop(call: Call, entry: IdArgument) -> None:
    """Give a part of an answer up; it is not sent any more."""
    call.report(operate(call.settings, "outbox-drop", id=entry), [f"dropped {entry}"])
