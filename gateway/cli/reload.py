"""`mneme reload`: the running daemon reads its configuration again."""

from gateway.cli.command import (
    ConfigOption,
    JsonOption,
    StateOption,
    command_group,
    print_json,
    print_lines,
    read_settings,
    run_async,
)
from gateway.cli.status import ask_daemon

app = command_group("Have the running daemon read its configuration again.")


@app.command()
def reload(config: ConfigOption = None, state: StateOption = None, as_json: JsonOption = False) -> None:
    """Have the running daemon read its configuration again; with faults in it nothing changes, and exit code 2."""
    document = run_async(ask_daemon(read_settings(config, state), "reload"))
    if as_json:
        print_json(document)
        return
    print_lines(f"applied: {', '.join(document['applied']) or 'nothing changed that can be'}")
    if document["needs_restart"]:
        print_lines(f"needs a restart: {', '.join(document['needs_restart'])}")
