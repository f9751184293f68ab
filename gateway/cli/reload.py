"""`mneme reload`: the running daemon reads its configuration again."""

from gateway.cli.call import Call, command
from gateway.cli.command import command_group, run_async
from gateway.cli.status import ask_daemon

app = command_group("Have the running daemon read its configuration again.")


@command(app)
def reload(call: Call) -> None:
    """Have the running daemon read its configuration again; with faults in it nothing changes, and exit code 2."""
    document = run_async(ask_daemon(call, "reload"))
    applied, later = document["applied"], document["needs_restart"]
    lines = [f"in effect now: {', '.join(applied)}"] if applied else []
    lines += [f"needs a restart: {', '.join(later)}"] if later else []
    call.report(document, lines or ["Nothing changed."])
