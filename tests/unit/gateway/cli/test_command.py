"""What all commands share."""

import io
import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import typer

from gateway.cli.command import CommandFailed, command_group, print_json, print_table, run
from gateway.errors import ConfigError, GatewayError
from gateway.service.lock import AlreadyRunning
from memory.errors import StoreUnavailable


def app_that(error: BaseException | None) -> typer.Typer:
    """A command that raises this."""
    app = command_group("For a test.")

    @app.command()
    def act() -> None:
        if error is not None:
            raise error

    return app


@pytest.fixture(autouse=True)
def _hook(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hook of this process is put back afterwards."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (None, 0, ""),
        (CommandFailed("no such session"), 1, "mneme: no such session\n"),
        (GatewayError("two\nlines"), 1, "mneme: two lines\n"),
        (StoreUnavailable(""), 1, "mneme: StoreUnavailable\n"),
        (ConfigError(["a: b", "c: d"]), 2, "mneme: a: b\nmneme: c: d\n"),
        (KeyboardInterrupt(), 130, ""),
        (typer.Abort(), 130, ""),
        (typer.Exit(1), 1, ""),
        (
            GatewayError("at https://x/bot123456789:AAbbCCddEEffGGhhIIjjKKllMMnnOOppQQr/"),
            1,
            "mneme: at https://x/bot[redacted]/\n",
        ),
    ],
)
def test_what_a_command_raises_becomes_a_line_and_a_code(
    error: BaseException | None, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(app_that(error), name="act", arguments=[]) == code
    assert capsys.readouterr().err == said


def test_a_lock_that_is_held_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    error = AlreadyRunning(Path("/s/lock"), pid="7")

    assert run(app_that(error), name="run", arguments=[]) == 1
    assert "process 7 holds /s/lock" in capsys.readouterr().err


def test_with_debug_an_error_keeps_its_trace() -> None:
    with pytest.raises(CommandFailed):
        run(app_that(CommandFailed("x")), name="act", arguments=[], debug=True)


def test_an_error_that_nobody_foresaw_is_a_line_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        run(app_that(ZeroDivisionError("division by zero")), name="act", arguments=[])

    sys.excepthook(caught.type, caught.value, caught.tb)

    assert capsys.readouterr().err == (
        "mneme: this should not happen: ZeroDivisionError: division by zero (--debug shows where)\n"
    )


def test_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"sessions": [{"key": "telegram:42", "text": "你好"}]})

    assert json.loads(capsys.readouterr().out) == {"sessions": [{"key": "telegram:42", "text": "你好"}]}


def test_through_a_pipe_a_table_is_tabs(capsys: pytest.CaptureFixture[str]) -> None:
    print_table([{"id": "a", "n": 1}, {"id": "b\nc", "n": None}], columns=("id", "n"), empty="none")

    assert capsys.readouterr().out == "a\t1\nb c\t\n"


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        """It is one."""
        return True


def table_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, *rows: Mapping[str, object], columns: tuple[str, ...], width: str = "80"
) -> str:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Terminal())
        patch.setenv("COLUMNS", width)
        print_table(rows, columns=columns, empty="There are none.")
        assert isinstance(sys.stdout, Terminal)
        return sys.stdout.getvalue()


def test_on_a_terminal_a_table_has_names_and_an_empty_one_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    empty = table_on_a_terminal(monkeypatch, columns=("id",))
    shown = table_on_a_terminal(monkeypatch, {"id": "[x]"}, columns=("id",))

    assert empty == "There are none.\n"
    assert "id" in shown
    assert "[x]" in shown


@pytest.mark.parametrize("width", ["40", "60", "200"])
def test_what_other_commands_take_is_whole_on_every_terminal(
    monkeypatch: pytest.MonkeyPatch, width: str
) -> None:
    row = {"id": "slack:T1/D1/1700000000.22/1", "kind": "consolidation", "label": "小花" * 30}

    shown = table_on_a_terminal(monkeypatch, row, columns=("id", "kind", "label"), width=width)

    assert row["id"] in shown


def test_no_cell_steers_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = table_on_a_terminal(monkeypatch, {"name": "Eve\x1b[2J\x9b2J\a"}, columns=("name",))

    assert "Eve" in shown
    assert "\x1b[2J" not in shown
    assert not {"\x9b", "\a"} & set(shown)
