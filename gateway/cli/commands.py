"""Which commands there are; only the one that is called is imported."""

import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from types import FrameType

from gateway import __version__
from gateway.cli.exit_codes import OK, USAGE

_SUMMARIES = {
    "init": "write the state directory and its configuration",
    "run": "the daemon, in the foreground",
    "chat": "chat in the terminal",
    "status": "how the running daemon is",
    "sessions": "look at conversations, carry them in and out, mend them",
    "memory": "search and look at what is remembered",
    "jobs": "look at work in the background, and end it",
    "outbox": "look at what is not delivered, send it again",
    "pair": "see who asks to come in, let them in",
    "doctor": "say what is wrong, and what to do",
    "backup": "write an archive of everything that is kept",
    "restore": "make the state directory from an archive",
    "import-nanobot": "take over what a nanobot workspace holds",
    "logs": "show the log",
    "reload": "have the daemon read its configuration again",
}
"""In the order of a first day. A command `do-it` lives in the module `do_it` beside this one, as its `app`."""

_WITH_VALUE = ("--config", "--state")
_GROUPS = frozenset({"sessions", "memory", "jobs", "outbox", "pair"})
"""Whose second word is a command of its own: options of all commands may stand between the two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A command line, taken apart: the command's name and what it is given."""

    name: str
    arguments: list[str]
    debug: bool


def dispatch(arguments: Sequence[str]) -> int:
    """Run one command line; its exit code."""
    call = parse(arguments)
    if call.name in {"--version", "-V"}:
        sys.stdout.write(f"mneme {__version__}\n")
        return OK
    if call.name in {"", "--help", "-h", "help"}:
        (sys.stdout if call.name else sys.stderr).write(_overview())
        return OK if call.name else USAGE
    if call.name not in _SUMMARIES:
        sys.stderr.write(f"mneme: {_unknown(call.name)}\n")
        return USAGE
    if call.name == "run":
        leave_cleanly_until_it_runs()
    from gateway.cli.command import run  # noqa: PLC0415 - typer and the configuration, which a mistyped name spares

    module = import_module(f"gateway.cli.{call.name.replace('-', '_')}")
    return run(module.app, name=call.name, arguments=call.arguments, debug=call.debug)


def parse(arguments: Sequence[str]) -> Call:
    """Options of all may stand before the command; they are handed on behind it. `--debug` is everybody's."""
    rest = list(arguments)
    end = rest.index("--") if "--" in rest else len(rest)
    debug = "--debug" in rest[:end]
    rest = [word for word in rest[:end] if word != "--debug"] + rest[end:]
    leading = _take_common(rest)
    name, *rest = rest or [""]
    if name in _GROUPS:
        leading += _take_common(rest)
    end = rest.index("--") if "--" in rest else len(rest)
    return Call(name=name, arguments=[*rest[:end], *leading, *rest[end:]], debug=debug)


def _take_common(words: list[str]) -> list[str]:
    """Take the options of all commands off the front."""
    taken: list[str] = []
    while words and words[0].partition("=")[0] in {*_WITH_VALUE, "--json"}:
        taken.append(words.pop(0))
        if taken[-1] in _WITH_VALUE and words:
            taken.append(words.pop(0))
    return taken


def leave_cleanly_until_it_runs() -> None:
    """A stop during the imports of the daemon is one that was asked for; from then on it listens to signals itself.

    Nothing is open yet that had to be closed. An exception would be lost where Python runs a callback or a finalizer,
    and has crashed libraries that were just being loaded.
    """

    def leave(_number: int, _frame: FrameType | None) -> None:
        os._exit(OK)

    for number in stop_signals():
        signal.signal(number, leave)


def stop_signals() -> list[signal.Signals]:
    """What asks the daemon to stop; a terminal that is closed, too, unless `nohup` has it ignored."""
    asked = [signal.SIGTERM, signal.SIGINT]
    return asked if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else [*asked, signal.SIGHUP]


def _unknown(name: str) -> str:
    near = get_close_matches(name, _SUMMARIES, n=1)
    kind = "option" if name.startswith("-") else "command"
    return f'there is no {kind} "{name}"' + (f"; did you mean {near[0]}?" if near else "; see mneme --help")


def _overview() -> str:
    width = max(map(len, _SUMMARIES))
    lines = [f"  {name:<{width}}  {summary}" for name, summary in _SUMMARIES.items()]
    return "\n".join(
        [
            "A chat gateway whose memory can be checked.",
            "",
            "usage: mneme COMMAND [--config FILE] [--state DIRECTORY] [--json] [--debug] …",
            "",
            *lines,
            "",
            "mneme COMMAND --help says more about each; mneme --version says which Mneme this is.",
            "",
        ]
    )
