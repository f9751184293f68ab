"""What the log holds, and what it never holds."""

import io
import json
import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from gateway.service import logs
from gateway.service.logfile import RotatedFile
from gateway.service.redaction import MARK, Redactor
from tests.helpers.disk import disk_full_after

TELEGRAM = "123456789:AAbbCCddEEffGGhhIIjjKKllMMnnOOppQQr"


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    """A configured log with one known secret."""
    path = tmp_path / "log" / "mneme.jsonl"
    logs.configure(file=path, secrets=["s3cr3t", 'with "quotes" ü'])
    yield path
    logs.close()
    structlog.contextvars.clear_contextvars()


def lines(path: Path) -> list[dict[str, Any]]:
    """What was written."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def log() -> Any:
    """A logger that has seen no other configuration."""
    return structlog.get_logger()


def fail(message: str, *, cause: str) -> None:
    """Raise as a library would, one error out of another."""
    raise RuntimeError(message) from ValueError(cause)


def test_a_line_is_json_with_its_event_level_time_and_context(file: Path) -> None:
    structlog.contextvars.bind_contextvars(session_key="telegram:42", turn_id="telegram:42/7")
    log().info("turn_finished", seconds=1.5, parts={"model": 1.2})

    (line,) = lines(file)
    assert line["event"] == "turn_finished"
    assert line["level"] == "info"
    assert line["at"].endswith("Z")
    assert (line["session_key"], line["turn_id"]) == ("telegram:42", "telegram:42/7")
    assert (line["seconds"], line["parts"]) == (1.5, {"model": 1.2})


@pytest.mark.parametrize(
    "secret",
    [
        "s3cr3t",
        'with "quotes" ü',
        TELEGRAM,
        TELEGRAM.replace(":", "%3A"),
        "xoxb-12-34-abc",
        "xapp-1-A0-def",
        "sk-proj-abcdefgh",
        "Bearer abc.def",
    ],
)
def test_a_secret_stands_nowhere_in_a_line(secret: str, file: Path) -> None:
    class Strange:
        def __repr__(self) -> str:
            return f"Strange({secret})"

    try:
        fail(f"GET https://example.org/{secret}/getUpdates: 502", cause=secret)
    except RuntimeError as error:
        log().error(
            f"failed {secret}",
            exc_info=error,
            url=f"https://x/{secret}/y",
            nested={"a": [{"b": (secret, {secret})}], secret: 1},
            thing=Strange(),
            error=error,
            raw=secret.encode(),
        )

    text = file.read_text(encoding="utf-8")
    assert secret.removeprefix("Bearer ") not in text
    assert json.dumps(secret.removeprefix("Bearer "))[1:-1] not in text
    assert text.count(MARK) >= 8
    assert "502" in lines(file)[0]["exception"]


def test_words_of_people_and_models_are_dropped_wherever_they_stand(file: Path) -> None:
    log().info(
        "turn_finished",
        text="hello",
        content=["hello"],
        message={"content": "hello", "id": 1},
        prompt="hello",
    )

    (line,) = lines(file)
    assert "hello" not in file.read_text()
    assert line["message"] == {"id": 1}


def test_counts_may_have_such_names(file: Path) -> None:
    log().info("session_loaded", messages=12)

    assert lines(file)[0]["messages"] == 12


def test_any_text_can_be_written(file: Path) -> None:
    log().info("odd", name="\ud800 ü 你好", deep=[[[[[[[["x"]]]]]]]], huge="x" * 100_000, many=2**70)

    (line,) = lines(file)
    assert line["name"].endswith("ü 你好")
    assert len(line["huge"]) < 10_000


def test_libraries_speak_through_the_same_lines(file: Path) -> None:
    logging.getLogger("aiohttp").warning("no answer from %s", f"https://x/bot{TELEGRAM}/")
    logging.getLogger("aiohttp").info("chatter")

    said = [(line["library"], line["said"]) for line in lines(file)]
    assert said == [("aiohttp", f"no answer from https://x/bot{MARK}/")]


def test_a_library_that_misspells_its_message_is_heard_all_the_same(file: Path) -> None:
    (ours,) = (
        handler for handler in logging.getLogger().handlers if type(handler).__module__ == logs.__name__
    )

    ours.handle(logging.LogRecord("odd", logging.WARNING, "", 0, "%d", ("no number",), None))

    assert lines(file)[0]["said"] == "%d"


def test_an_exception_of_a_library_has_its_trace(file: Path) -> None:
    try:
        fail(TELEGRAM, cause="")
    except RuntimeError:
        logging.getLogger("x").exception("failed")

    (line,) = lines(file)
    assert line["level"] == "error"
    assert f"RuntimeError: {MARK}" in line["exception"]


def test_a_terminal_gets_readable_lines_without_secrets() -> None:
    stream = io.StringIO()
    logs.configure(stream=stream, console=True, secrets=["s3cr3t"])

    log().warning("poll_failed", url="https://x/s3cr3t")
    logs.close()

    assert re.match(r"\d{4}-\d\d-\d\dT\S+ \[warning *\] poll_failed \S", stream.getvalue())
    assert MARK in stream.getvalue()
    assert "{" not in stream.getvalue()


def test_a_stream_that_nobody_reads_any_more_keeps_nothing_from_the_file(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", buffering=1) as stream:  # noqa: PTH123 - a descriptor is no path
        logs.configure(file=tmp_path / "a", stream=stream, console=True)
        log().info("first")
        log().info("second")
        logs.close()
        os.dup2(os.open(os.devnull, os.O_WRONLY), writing)  # what is left in the buffer goes somewhere

    assert [line["event"] for line in lines(tmp_path / "a")] == ["first", "second"]


def test_a_collector_gets_json_on_the_stream() -> None:
    stream = io.StringIO()
    logs.configure(stream=stream)

    log().info("started")
    logs.close()

    assert json.loads(stream.getvalue())["event"] == "started"


@pytest.mark.parametrize("name", ["JOURNAL_STREAM", "KUBERNETES_SERVICE_HOST", "container"])
def test_who_keeps_our_stderr_is_recognised(name: str) -> None:
    assert logs.under_a_collector({name: "1"})


def test_what_is_shown_elsewhere_can_be_redacted_too(file: Path) -> None:
    assert logs.redact(f"{file.name} s3cr3t") == f"{file.name} {MARK}"


@pytest.mark.parametrize(
    "text",
    [
        "task-12345678",
        "12:30:45.123456",
        "telegram:42/77",
        "a bearer of news",
        "https://example.org:8080/a@b",
        "risk-free-of-all",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert Redactor(["s3cr3t", "abc"])(text) == text


def test_a_password_in_a_url_is_a_secret() -> None:
    assert Redactor()("proxy http://me:pass@host:1/ refused") == f"proxy http://{MARK}@host:1/ refused"


def test_a_full_file_is_set_aside_and_the_oldest_dropped(tmp_path: Path) -> None:
    file = RotatedFile(tmp_path / "a", limit_bytes=20, kept=2)
    for number in range(8):
        file.write(f"line {number:03d}\n".encode())
    file.close()

    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["a", "a.1", "a.2"]
    assert (tmp_path / "a").read_text() == "line 006\nline 007\n"
    assert (tmp_path / "a.2").read_text() == "line 002\nline 003\n"


def test_a_line_goes_on_where_the_last_process_ended(tmp_path: Path) -> None:
    for number in range(3):
        file = RotatedFile(tmp_path / "a", limit_bytes=10)
        file.write(f"{number}234567\n".encode())
        file.close()

    assert (tmp_path / "a.2").read_text() == "0234567\n"


def test_a_line_that_can_not_be_written_costs_nothing_but_itself(tmp_path: Path) -> None:
    file = RotatedFile(tmp_path / "a")
    file.close()

    file.write(b"x\n")

    assert file.lost == 1


def test_nothing_stays_of_a_line_for_which_the_disk_had_no_room(tmp_path: Path) -> None:
    file = RotatedFile(tmp_path / "a")
    file.write(b'{"event":"first"}\n')
    with disk_full_after(25):
        file.write(b'{"event":"second"}\n')
    file.write(b'{"event":"third"}\n')
    file.close()

    assert [line["event"] for line in lines(tmp_path / "a")] == ["first", "third"]
    assert file.lost == 1


def test_the_file_is_closed_to_others(file: Path) -> None:
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_a_pipe_that_nobody_reads_is_said_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "log")

    with pytest.raises(OSError, match=r"No such device or address: .*log"):
        RotatedFile(tmp_path / "log")
