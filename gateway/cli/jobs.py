"""`mneme jobs …`: subagents, consolidations, dreams, reminders."""

from datetime import tzinfo
from typing import Annotated

import orjson
import typer

from gateway.cli.call import Call, command
from gateway.cli.command import command_group
from gateway.cli.conversation import moment, printable
from gateway.cli.operate import operate
from gateway.journal.names import short_id

app = command_group("Look at work in the background, and end it.")

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="As `list` shows it, or a chat.")]


@command(app, "list")
def list_(call: Call) -> None:
    """Subagents, consolidations, dreams and reminders. Unfinished ones first.

    `when` is when a reminder falls due, and when anything else was asked for; --json has the whole ids.
    """
    document = operate(call.settings, "jobs-list")
    zone = call.settings.zone_here
    rows = [
        row | {"id": short_id(row["id"]), "when": moment(row.get("next_at") or row["created_at"], zone)}
        for row in document["jobs"]
    ]
    columns = ("id", "kind", "session", "status", "when", "label")
    call.report_table(document, rows, columns=columns, empty="There are no jobs.")


@command(app)
def show(call: Call, job: IdArgument) -> None:
    """A job, with what it was given and what came of it."""
    document = operate(call.settings, "jobs-show", id=job)
    told = ((name, value) for name, value in document.items() if value not in (None, "", {}))
    zone = call.settings.zone_here
    call.report(document, (f"{name}: {_shown(name, value, zone)}" for name, value in told))


@command(app)
def cancel(call: Call, job: IdArgument) -> None:
    """End a job, also one that runs, or a reminder."""
    call.report(operate(call.settings, "jobs-cancel", id=job), [f"cancelled {job}"])


def _shown(name: str, value: object, zone: tzinfo) -> str:
    if name.endswith("_at"):
        return moment(value, zone)
    return printable(value if isinstance(value, str) else orjson.dumps(value).decode())
