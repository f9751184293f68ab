"""The command line, called in the test's process or as a shell does."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from gateway.cli.commands import dispatch


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


class Mneme:
    """The command line, called in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: str, **environ: str) -> Done:
        with self._monkeypatch.context() as patch:
            for name, value in environ.items():
                patch.setenv(name, value)
            code = dispatch(arguments)
        return Done(code, *self._capsys.readouterr())


def in_a_process(*arguments: str, home: Path, said: str = "") -> "subprocess.CompletedProcess[str]":
    """Run the program as a shell does, with `said` on its standard input."""
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(Path.cwd())}
    env |= {"MNEME_LLM__PROVIDER": "rote", "TZ": "UTC"}
    command = [sys.executable, "-m", "gateway", *arguments]
    return subprocess.run(command, cwd=home, env=env, text=True, capture_output=True, check=False, input=said)
