"""One process per state directory."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.service.lock import AlreadyRunning, ProcessLock

_HOLD = """
import sys, pathlib
from gateway.service.lock import ProcessLock
ProcessLock(pathlib.Path(sys.argv[1])).acquire()
print("held", flush=True)
sys.stdin.read()
"""


def hold(path: Path) -> "subprocess.Popen[str]":
    """Another process that holds the lock."""
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_process_is_told_who_holds_it_and_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with hold(path) as process:
        with pytest.raises(AlreadyRunning) as caught:
            ProcessLock(path).acquire()
        assert caught.value.pid == str(process.pid)
        process.kill()

    assert f"process {process.pid} holds {path}" in str(caught.value)
    assert "Stop it first" in str(caught.value)


def test_the_lock_dies_with_the_process_whatever_ends_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with hold(path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()

    with ProcessLock(path):
        assert path.read_text() == f"{os.getpid()}\n"


def test_our_own_number_in_the_file_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.write_text(f"{os.getpid()}\n")

    with ProcessLock(path):
        assert path.exists()


def test_two_locks_of_one_process_exclude_each_other(tmp_path: Path) -> None:
    with ProcessLock(tmp_path / "lock"), pytest.raises(AlreadyRunning):
        ProcessLock(tmp_path / "lock").acquire()


def test_what_was_released_can_be_taken_again(tmp_path: Path) -> None:
    lock = ProcessLock(tmp_path / "lock")
    for _ in range(2):
        lock.acquire()
        lock.release()


def test_a_child_does_not_keep_the_lock(tmp_path: Path) -> None:
    lock = ProcessLock(tmp_path / "lock")
    lock.acquire()
    child_code = "print('up', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", child_code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"up\n"
        lock.release()

        with ProcessLock(tmp_path / "lock"):
            assert child.poll() is None
        child.communicate(b"\n")


def test_the_file_is_closed_to_others(tmp_path: Path) -> None:
    with ProcessLock(tmp_path / "lock"):
        assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o600


def test_a_directory_that_is_not_there_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ProcessLock(tmp_path / "absent" / "lock").acquire()


def test_what_is_no_plain_file_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lock")

    with pytest.raises(OSError, match=r"expected a plain file: .*lock"):
        ProcessLock(tmp_path / "lock").acquire()
