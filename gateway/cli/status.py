"""`mneme status`: how the running daemon is."""

from datetime import timedelta, tzinfo

import typer

from gateway.cli.call import Call, command
from gateway.cli.command import CommandFailed, command_group, run_async
from gateway.cli.conversation import moment, printable
from gateway.cli.daemon import daemon_at
from gateway.cli.exit_codes import FAILED
from gateway.operations.operation import Document

app = command_group("How the running daemon is.")


@command(app)
def status(call: Call) -> None:
    """How the running daemon is. Exit code 1 when none runs, or when it isn't ready."""
    document = run_async(ask_daemon(call, "status"))
    call.report(document, _lines(document, call.settings.zone_here))
    if not document["ready"]:
        raise typer.Exit(FAILED)


async def ask_daemon(call: Call, name: str) -> Document:
    """An operation that nobody but a running daemon can do; CommandFailed where none runs."""
    state = call.settings.gateway.state
    async with daemon_at(state) as daemon:
        if daemon is None:
            raise CommandFailed(f"no daemon runs on {state}; {call.line('run')} starts one")
        return await daemon.perform(name, {})


def _lines(document: Document, zone: tzinfo) -> list[str]:
    lines = [
        "ready" if document["ready"] else "not ready",
        *(f"  {part}: {printable(reason)}" for part, reason in document["reasons"].items()),
        f"version {document['version']}, running for {timedelta(seconds=round(document['uptime']))}",
        f"model: {printable(document['model'])}",
    ]
    for channel in document["channels"]:
        mark, last = "✓" if channel["ok"] else "✗", moment(channel["last_round_trip"], zone)
        lines.append(f"channel {channel['name']}: {mark} last round trip {last or 'never'}")
    inbox, outbox, jobs, sessions = (document[name] for name in ("inbox", "outbox", "jobs", "sessions"))
    lines += [
        f"messages that wait for an answer: {inbox['pending']}",
        f"answers that wait for delivery: {outbox['due']}, undeliverable: {outbox['dead']}",
        f"jobs that run: {jobs['doing']}, that wait: {jobs['todo']}",
        f"sessions: {sessions['known']}, in memory: {sessions['cached']}",
        _spent(document),
    ]
    return lines + [f"repaired: {kind} {count}×" for kind, count in document["repairs"].items()]


def _spent(document: Document) -> str:
    """The tokens since the start, and what they cost where prices are configured."""
    tokens, cost = document["tokens"], document["cost"]
    counted = f"tokens sent to the model: {tokens['prompt']:,}, received: {tokens['completion']:,}"
    return f"{counted}, for {cost:,.4f}" if cost else counted
