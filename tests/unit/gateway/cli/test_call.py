"""What every command takes, and how it reports."""

from pathlib import Path
from typing import Annotated

import pytest
import typer

from gateway.cli.call import Call, command
from gateway.cli.command import command_group, run

app = command_group("For a test.")


@command(app)
def act(call: Call, word: Annotated[str, typer.Argument(metavar="WORD")]) -> None:
    call.report({"word": word, "state": str(call.settings.gateway.state)}, [word], note="done")


plain = command_group("For a test.")


@command(plain, has_json=False)
def show(call: Call) -> None:
    call.report({}, [str(call.settings.gateway.state)])


def test_a_command_reports_lines_and_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(app, name="act", arguments=["hello", "--state", str(tmp_path)])
    told = capsys.readouterr()

    assert (code, told.out, told.err) == (0, "hello\n", "done\n")


def test_a_command_reports_one_document_where_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(app, name="act", arguments=["--json", "hello", "--state", str(tmp_path)])
    told = capsys.readouterr()

    assert (code, told.err) == (0, "")
    assert told.out == f'{{\n  "word": "hello",\n  "state": "{tmp_path}"\n}}\n'


def test_a_command_without_a_document_does_not_offer_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = run(plain, name="show", arguments=["--json"])
    shown = run(plain, name="show", arguments=["--state", str(tmp_path)])
    told = capsys.readouterr()

    assert (refused, shown, told.out) == (2, 0, f"{tmp_path}\n")
    assert "--json" in told.err
