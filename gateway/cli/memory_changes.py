"""`mneme memory log`, `diff`, `restore`, `dream`: the changes of long-term memory, seen, undone, and made now."""

from collections.abc import Iterator
from typing import Annotated

import typer

from gateway.cli.call import Call
from gateway.cli.command import print_error, print_note
from gateway.cli.conversation import moment, printable
from gateway.cli.operate import operate
from gateway.operations.operation import Document
from gateway.replies import counted

WhoseOption = Annotated[
    str, typer.Option("--audience", metavar="A", help="Whose memory, instead of the owner's: person-ann.")
]
RevisionArgument = Annotated[
    str, typer.Argument(metavar="REV", help="A change, as mneme memory log names it.")
]
_SHORT = 8


def log(
    call: Call,
    audience: WhoseOption = "",
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many changes.")] = 50,
) -> None:
    """The changes of the files, newest first."""
    document = operate(call.settings, "memory-log", audience=audience, limit=limit)
    zone = call.settings.zone_here
    rows = [
        {
            "change": made["id"][:_SHORT],
            "at": moment(made["at"], zone),
            "by": "hand" if made["by_hand"] else "Mneme",
            "what": printable(made["title"]),
        }
        for made in document["revisions"]
    ]
    columns = ("change", "at", "by", "what")
    call.report_table(document, rows, columns=columns, empty="Nothing has changed yet.")


def diff(
    call: Call,
    rev: RevisionArgument,
    audience: WhoseOption = "",
) -> None:
    """What one change did, line by line."""
    document = operate(call.settings, "memory-diff", rev=rev, audience=audience)
    call.report(document, [printable(document["title"]), *printable(document["diff"]).splitlines()])


def restore(
    call: Call,
    rev: RevisionArgument,
    audience: WhoseOption = "",
) -> None:
    """Undo one change by a new one; later ones stay. What it takes out is not noted again."""
    document = operate(call.settings, "memory-restore", rev=rev, audience=audience)
    call.report(document, [f"{document['id'][:_SHORT]}  {printable(document['title'])}"])


def dream(
    call: Call,
    audience: WhoseOption = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Ask and check, and change nothing.")] = False,
    retry: Annotated[
        bool, typer.Option("--retry", help="Read once more what was given up earlier, too.")
    ] = False,
) -> None:
    """Write what is new and worth keeping into the files, now."""
    asked = {"audience": audience, "dry_run": dry_run, "retry": retry}
    document = operate(call.settings, "memory-dream", note="asking the model", **asked)
    call.report(document, _dreamt(document), note="" if document["batches"] else "nothing is new")
    if document["given_up"] and not retry and not call.as_json:
        print_note(
            f"given up: {counted(document['given_up'], 'batch', 'batches')}; mneme memory dream --retry reads again"
        )
    for problem in [*document["warnings"], *(batch["failure"] for batch in document["batches"])]:
        if problem:
            print_error(printable(problem))
    if any(batch["failure"] for batch in document["batches"]):
        raise typer.Exit(1)


def _dreamt(document: Document) -> Iterator[str]:
    for batch in document["batches"]:
        for made in batch["accepted"]:
            if made["replaced"]:
                yield printable(f"{made['file']}  - {made['replaced']}")
            if made["line"]:
                yield printable(f"{made['file']}  + {made['line']}")
        for edit in batch["refused"]:
            yield printable(f"{edit['file']}  refused: {edit['text'] or edit['old']} ({edit['reason']})")
        if batch["revision"]:
            yield f"change {batch['revision'][:_SHORT]}; mneme memory restore {batch['revision'][:_SHORT]} undoes it"
    for aside in document["aside"]:
        yield f"given up: entries {aside['from_cursor']} to {aside['to_cursor']} ({aside['reason']})"
