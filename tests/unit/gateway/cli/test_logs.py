"""The log in a form for eyes, and where it is written."""

import io
import json
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import structlog

from gateway.cli.commands import dispatch
from gateway.cli.log_places import open_log
from gateway.cli.logs import following, pretty
from gateway.config import load
from gateway.service import logs
from gateway.service.logfile import RotatedFile

LINE = (
    '{"event":"turn_finished","level":"info","at":"2026-01-02T03:04:05.678Z","seconds":1.5,"model":"qwen3"}'
)


class Enough(Exception):
    """Ends the wait of a test."""


def test_a_line_begins_with_the_reader_s_time_level_and_event() -> None:
    assert pretty(LINE, ZoneInfo("Asia/Tokyo")) == "2026-01-02 12:04:05 info    turn_finished seconds=1.5 model=qwen3"  # fmt: skip


def test_a_trace_stands_below_its_line() -> None:
    line = json.dumps({"event": "failed", "exception": "Traceback …\nValueError"})

    assert pretty(line, ZoneInfo("UTC")).splitlines()[1:] == ["Traceback …", "ValueError"]


@pytest.mark.parametrize("line", ["not json", "[1]", "{}", ""])
def test_what_is_no_line_of_ours_stays_as_it_is(line: str) -> None:
    assert pretty(line, ZoneInfo("UTC")) == line


def test_following_goes_on_when_the_file_begins_anew(tmp_path: Path) -> None:
    file = RotatedFile(tmp_path / "log", limit_bytes=12)
    file.write(b"before\n")
    steps = iter([b"one\n", b"two\n", b"thr", b"ee\n"])

    def write_more() -> None:
        step = next(steps, None)
        if step is None:
            raise Enough
        file.write(step)

    lines = following(tmp_path / "log", wait=write_more)
    seen = [next(lines) for _ in range(3)]
    with pytest.raises(Enough):
        next(lines)
    file.close()

    assert seen == ["one", "two", "three"]


def test_the_last_lines_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "mneme.jsonl").write_text(
        "".join(f'{{"event":"e{number}"}}\n' for number in range(9))
    )

    code = dispatch(["logs", "--state", str(tmp_path), "-n", "2", "--json"])

    assert code == 0
    assert json.loads(capsys.readouterr().out) == {"lines": [{"event": "e7"}, {"event": "e8"}]}


def test_where_there_is_no_log_it_is_said_where_it_may_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dispatch(["logs", "--state", str(tmp_path)]) == 1
    assert "journald" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("foreground", "environ", "places"),
    [
        (True, {}, ["file"]),
        (True, {"JOURNAL_STREAM": "1"}, ["stderr"]),
        (True, {"container": "docker"}, ["stderr"]),
        (False, {"JOURNAL_STREAM": "1"}, ["file"]),
    ],
)
def test_a_line_goes_where_somebody_keeps_it(
    foreground: bool,
    environ: dict[str, str],
    places: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stderr, file = io.StringIO(), tmp_path / "log" / "mneme.jsonl"
    monkeypatch.setattr(sys, "stderr", stderr)
    open_log(load(state=tmp_path, environ=environ), foreground=foreground)

    structlog.get_logger().info("started")
    logs.close()

    written = {"file": file.read_text() if file.exists() else "", "stderr": stderr.getvalue()}
    assert [place for place, text in written.items() if "started" in text] == places
