"""`mneme reload`: the running daemon reads its configuration again."""

from gateway.cli.call import Call, command
from gateway.cli.command import command_group, run_async
from gateway.cli.status import ask_daemon

app = command_group("Have the running daemon read its configuration again.")


@command(app)
def reload(call: Call) -> None:
    """Have the running daemon read its configuration again; with faults in it nothing changes, and exit code 2."""
    document = run_async(ask_daemon(call.settings, "reload"))
    applied = f"applied: {', '.join(document['applied']) or 'nothing changed that can be'}"
    later = document["needs_restart"]
    call.report(document, [applied, *([f"needs a restart: {', '.join(later)}"] if later else [])])
