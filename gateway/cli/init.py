"""`mneme init`: the state directory and what a person edits in it; nothing that exists is touched."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.call import Call, command
from gateway.cli.command import CommandFailed, command_group
from gateway.cli.texts import AGENTS, SOUL
from gateway.config import load
from gateway.config.loading import FILE_NAME, find_file, named_file
from gateway.config.template import template

_TOKENS = {
    "channels.telegram.token": "Telegram bot token (from @BotFather; empty for none)",
    "channels.slack.bot_token": "Slack bot token (xoxb-…; empty for none)",
    "channels.slack.app_token": "Slack app token (xapp-…)",
}

app = command_group("Write the state directory and its configuration.")


@command(app)
def init(
    call: Call,
    here: Annotated[
        bool, typer.Option("--here", help="Write ./mneme.toml instead of the one in the state directory.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing of what was done, only ask.")] = False,
) -> None:
    """Write the state directory, mneme.toml and the shared files; never overwrites."""
    named, state = named_file(call.config), call.state
    settings = load(named if named is None or named.exists() else os.devnull, state=state)
    directory = settings.gateway.state
    target = named or (Path(FILE_NAME) if here else directory / FILE_NAME)
    shared = directory / "memory" / "shared"
    written = _make_directory(directory)
    if not target.exists():
        asks = sys.stdin.isatty() and sys.stdout.isatty() and not call.as_json
        values = _ask_tokens(directory) if asks else {}
        if state is not None:
            values["gateway.state"] = str(directory)
        written += _write(target, template(values))
    for path in (shared.parent, shared):
        _make_directory(path)
    written += _write(shared / "AGENTS.md", AGENTS)
    written += _write(shared / "SOUL.md", SOUL)
    document = {"state": str(directory), "config": str(target), "written": [str(path) for path in written]}
    told = [*(f"wrote {path}" for path in written), *_next_steps(call, target, wrote=bool(written))]
    call.report(document, [] if quiet else told)


def _make_directory(path: Path) -> list[Path]:
    if path.is_dir():
        return []
    try:
        path.mkdir(mode=0o700, parents=True)
    except OSError as error:
        raise CommandFailed(f"{path} can't be made: {error.strerror}") from error
    return [path]


def _write(path: Path, text: str) -> list[Path]:
    """Write a file that isn't there yet; what was written."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return []
    except OSError as error:
        raise CommandFailed(f"{path} can't be written: {error.strerror}") from error
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    return [path]


def _ask_tokens(directory: Path) -> dict[str, str]:
    """Ask for what platforms gave; each token becomes a file of its own, so that the configuration holds none."""
    values: dict[str, str] = {}
    for key, question in _TOKENS.items():
        if key == "channels.slack.app_token" and "channels.slack.bot_token" not in values:
            continue
        token = typer.prompt(question, default="", show_default=False, hide_input=True).strip()
        if token:
            _make_directory(directory / "secrets")
            path = directory / "secrets" / key.replace("channels.", "").replace(".", "_")
            _write(path, token + "\n")
            values[key] = f"file:{path}"
    return values


def _next_steps(call: Call, target: Path, *, wrote: bool) -> list[str]:
    begin = [] if wrote else ["Everything is there already; nothing was changed."]
    read = find_file(call.config, state=call.state)
    if read is not None and not read.samefile(target):
        begin.append(f"{read.resolve()} is read instead of {target} unless --config names that.")
        call = replace(call, config=target)
    steps = {
        call.line("chat"): "talk in this terminal",
        call.line("run"): "start the daemon",
        call.line("doctor"): "see whether everything is right",
    }
    width = max(map(len, steps))
    listed = (f"  {line:<{width}}   {what}" for line, what in steps.items())
    return [*begin, f"Next: look through {target}, then", *listed]
