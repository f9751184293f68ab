"""What tests of the command line share."""

import os
import sys
from pathlib import Path

import pytest

from tests.helpers.command_line import Mneme


@pytest.fixture
def mneme(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Mneme:
    """The command line in an empty home directory."""
    for name in list(os.environ):
        if name.startswith("MNEME_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("MNEME_LLM__PROVIDER", "rote")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    return Mneme(capsys, monkeypatch)
