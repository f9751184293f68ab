"""On a terminal `init` asks for tokens, and keeps them in files of their own."""

import os
import subprocess
import sys
from pathlib import Path

from gateway.config import load


def answer_on_a_terminal(answers: list[str], *arguments: str, home: Path) -> str:
    """Run the program on a terminal and type an answer at each question; all that was shown."""
    ours, theirs = os.openpty()
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(Path.cwd()), "TERM": "dumb"}
    command = [sys.executable, "-m", "gateway", *arguments]
    with subprocess.Popen(
        command, cwd=home, env=env, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ):
        os.close(theirs)
        shown, left = "", list(answers)
        while chunk := _read(ours):
            shown += chunk
            if left and shown.endswith(": "):
                os.write(ours, f"{left.pop(0)}\n".encode())
    os.close(ours)
    return shown


def _read(descriptor: int) -> str:
    try:
        return os.read(descriptor, 4096).decode(errors="replace")
    except OSError:  # Linux ends a terminal whose other side is closed with an error
        return ""


def test_a_token_is_kept_in_a_file_that_the_configuration_names(tmp_path: Path) -> None:
    shown = answer_on_a_terminal(["1:hidden", ""], "init", "--state", str(tmp_path / "s"), home=tmp_path)

    settings = load(tmp_path / "s" / "mneme.toml", environ={})
    secret = tmp_path / "s" / "secrets" / "telegram_token"
    assert settings.channels.telegram.token.reveal() == "1:hidden"
    assert not settings.channels.telegram.token.is_plain
    assert secret.stat().st_mode & 0o777 == 0o600
    assert settings.channels.slack == {}
    assert "hidden" not in shown


def test_slack_is_asked_for_both_of_its_tokens(tmp_path: Path) -> None:
    answer_on_a_terminal(["", "xoxb-1", "xapp-1"], "init", home=tmp_path)

    slack = load(tmp_path / ".mneme" / "mneme.toml", environ={}).channels.slack[""]
    assert (slack.bot_token.reveal(), slack.app_token.reveal()) == ("xoxb-1", "xapp-1")
