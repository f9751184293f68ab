"""A command as it was called: the options that all have, the settings behind them, and how it reports."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from itertools import pairwise
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, TypeVar

import typer

from gateway.cli.command import print_json, print_lines, print_note, print_table
from gateway.config import Settings, load

Command = TypeVar("Command", bound=Callable[..., None])

_CONFIG = typer.Option(
    "--config", metavar="FILE", help="The configuration, instead of the one that is found."
)
_STATE = typer.Option(
    "--state", metavar="DIRECTORY", help="Everything that Mneme keeps, instead of ~/.mneme."
)
_JSON = typer.Option("--json", help="Print one JSON document.")


@dataclass(frozen=True, kw_only=True)
class Call:
    """What the options of all commands said."""

    config: Path | None
    state: Path | None
    as_json: bool = False

    @cached_property
    def settings(self) -> Settings:
        """The settings of this call, read when first asked for; ConfigError where they have faults."""
        return load(self.config, state=self.state)

    @cached_property
    def settings_and_secrets(self) -> Settings:
        """The settings for who uses the secrets: where there are faults, those that can't be read are named too."""
        return load(self.config, state=self.state, names_secrets=True)

    def line(self, words: str) -> str:
        """The command line that does something else with the same configuration and state directory."""
        given = (("--config", self.config), ("--state", self.state))
        return " ".join(["mneme", words, *(f"{name} {quote(str(path))}" for name, path in given if path)])

    def report(self, document: object, lines: Iterable[str], *, note: str = "") -> None:
        """Print what came of it: the document with `--json`, else the lines, and on stderr the note."""
        if self.as_json:
            print_json(document)
            return
        print_lines(*lines)
        if note:
            print_note(note)

    def report_table(
        self, document: object, rows: Sequence[Mapping[str, object]], *, columns: Sequence[str], empty: str
    ) -> None:
        """Print the document with `--json`, else the rows (see `print_table`)."""
        if self.as_json:
            print_json(document)
        else:
            print_table(rows, columns=columns, empty=empty)


def command(
    app: typer.Typer, name: str | None = None, *, has_json: bool = True
) -> Callable[[Command], Command]:
    """Make a function that takes a `Call` a command of the group: with the common options in the place of it."""
    common = [_common("config", Path | None, _CONFIG), _common("state", Path | None, _STATE)]
    common += [_common("as_json", bool, _JSON, default=False)] if has_json else []

    def add(function: Command) -> Command:
        _call, *own = inspect.signature(function, eval_str=True).parameters.values()

        @wraps(function)
        def called(*, config: Path | None, state: Path | None, as_json: bool = False, **own: Any) -> None:
            function(Call(config=config, state=state, as_json=as_json), **own)

        named = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in (*common, *own)]
        called.__signature__ = inspect.Signature(named)  # type: ignore[attr-defined] # what typer reads
        app.command(name, cls=_Command)(called)
        return function

    return add


class _Command(typer.core.TyperCommand):
    """A command that takes no empty value: what a script left unset must not be read as left out."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What stands behind the name of the command: FILE for what must be given, [FILE] for what may be."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        names = {name: one.metavar for one in self.params for name in one.opts if _takes_value(one)}
        end = args.index("--") if "--" in args else len(args)
        # The last word has none behind it; an option there is told by typer that it lacks its value.
        for name, value in pairwise([*args[:end], "-"]):
            given, _, joined = name.partition("=")
            if given in names and not (joined if "=" in name else value).strip():
                raise typer.BadParameter(f"{names[given]} is empty.", param_hint=given, ctx=ctx)
        return super().parse_args(ctx, args)


def _takes_value(parameter: Any) -> bool:
    return parameter.param_type_name == "option" and not parameter.is_flag


def _common(name: str, kind: Any, option: Any, *, default: object = None) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option]
    )
