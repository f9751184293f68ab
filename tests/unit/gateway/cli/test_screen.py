"""What a person at a keyboard is shown."""

from pathlib import Path

import pytest

from gateway.cli.screen import TerminalScreen
from gateway.replies import Say, say


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (say(Say.GREETING), say(Say.GREETING).splitlines()),
        ("one\ntwo\n\nthree", ["one", "two", "", "three"]),
        ("- one\n- two\n  more", [" • one", " • two", "   more"]),
        ("a **word**\n`code`", ["a word", "code"]),
    ],
)
def test_a_line_ends_where_it_was_ended(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    lines: list[str],
) -> None:
    monkeypatch.setenv("COLUMNS", "200")

    TerminalScreen(history=tmp_path / "typed").show(text)
    shown = capsys.readouterr().out

    assert [line.rstrip() for line in shown.strip("\n").splitlines()] == lines
