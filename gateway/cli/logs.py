"""`mneme logs`: the JSON log in a form for eyes."""

import json
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from datetime import tzinfo
from pathlib import Path
from typing import Annotated, Any

import typer

from gateway.cli.call import Call, command
from gateway.cli.command import CommandFailed, command_group, print_json, print_lines
from gateway.cli.log_places import log_path
from memory.sessions.codec import parse_time

_POLL_SECONDS = 0.3
_FIRST = ("at", "level", "event")
_HEADLESS = frozenset({*_FIRST, "exception"})

app = command_group("Show the log.")


@command(app)
def logs(
    call: Call,
    follow: Annotated[bool, typer.Option("-f", "--follow", help="Go on as lines are written.")] = False,
    lines: Annotated[int, typer.Option("-n", "--lines", min=0, help="How many of the last lines.")] = 50,
) -> None:
    """Show the last lines of the log. Under journald or in a container the log is there, not here."""
    path = log_path(call.settings)
    if not path.exists():
        raise CommandFailed(f"there is no log at {path}; under journald or in a container it is kept there")
    if call.as_json:
        print_json({"lines": [_parsed(line) for line in _last(path, lines)]})
        return
    zone = call.settings.zone_here
    print_lines(*(pretty(line, zone) for line in _last(path, lines)))
    if follow:
        for line in following(path, wait=lambda: time.sleep(_POLL_SECONDS)):
            typer.echo(pretty(line, zone))


def pretty(line: str, zone: tzinfo) -> str:
    """One line of the log: time in the reader's zone, level, event, then its fields; a trace below.

    What is no JSON stays as it is.
    """
    event = _parsed(line)
    if "event" not in event:
        return line
    at = parse_time(event.get("at"))
    moment = f"{at.astimezone(zone):%Y-%m-%d %H:%M:%S}" if at else ""
    fields = (f"{key}={_shown(value)}" for key, value in event.items() if key not in _HEADLESS)
    head = " ".join([moment, f"{event.get('level', ''):<7}", str(event["event"]), *fields]).strip()
    trace = event.get("exception")
    return f"{head}\n{trace}" if trace else head


def following(path: Path, *, wait: Callable[[], None]) -> Iterator[str]:
    """Lines as they are appended, also after the file was set aside and begun anew; `wait` passes the time."""
    file = path.open(encoding="utf-8", errors="replace")
    try:
        file.seek(0, 2)
        rest = ""
        while True:
            rest += file.read()
            *whole, rest = rest.split("\n")
            yield from whole
            if whole:
                continue
            if _begun_anew(path, file.fileno()):
                yield from (rest + file.read()).splitlines()
                rest = ""
                file.close()
                file = path.open(encoding="utf-8", errors="replace")
            else:
                wait()
    finally:
        file.close()


def _begun_anew(path: Path, descriptor: int) -> bool:
    try:
        return not os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _last(path: Path, lines: int) -> list[str]:
    with path.open(encoding="utf-8", errors="replace") as file:
        return [line.rstrip("\n") for line in deque(file, maxlen=lines)]


def _parsed(line: str) -> dict[str, Any]:
    try:
        event = json.loads(line)
    except ValueError:
        return {"raw": line}
    return event if isinstance(event, dict) else {"raw": line}


def _shown(value: object) -> str:
    return (
        value
        if isinstance(value, str) and value and " " not in value
        else json.dumps(value, ensure_ascii=False)
    )
