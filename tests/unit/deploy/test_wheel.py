"""The command line of the unit runs as it stands, from an installed wheel."""

import os
import socket
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from gateway import __version__
from gateway.cli.exit_codes import OK
from tests.helpers.units import ROOT, command_line, needs_filters, read_unit

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(name="programs", scope="module")
def _programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the programs of an installation are that holds our wheel, and sees the dependencies that are here."""
    directory = tmp_path_factory.mktemp("installed")
    _run(sys.executable, "-m", "pip", "wheel", *_OFFLINE, "--no-deps", "--wheel-dir", directory, ROOT)
    [wheel] = directory.glob("mneme-*.whl")
    venv.create(directory / "venv", with_pip=False, symlinks=True)
    programs = directory / "venv" / "bin"
    _run(sys.executable, "-m", "pip", "--python", programs / "python", "install", "--no-deps", *_QUIET, wheel)
    [packages] = (directory / "venv" / "lib").glob("python*/site-packages")
    # Behind its own packages, and not read as a place of .pth files: our sources stay out of sight.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return programs


_WITHOUT_MODEL = {**os.environ, "MNEME_LLM__PROVIDER": "rote", "MNEME_GATEWAY__HTTP": "127.0.0.1:0"}
_QUIET = ("--disable-pip-version-check", "--no-index", "--quiet")
_OFFLINE = ("--no-build-isolation", *_QUIET)


def test_the_command_line_of_the_unit_is_accepted(programs: Path, tmp_path: Path) -> None:
    """`doctor` takes the very options that the unit gives to `run`."""
    config, state = tmp_path / "mneme.toml", tmp_path / "state"
    program, run, *options = command_line(read_unit(), programs=programs, state=state, config=config)

    made = _run(program, "init", *options, where=tmp_path)
    said = _run(program, "doctor", *options, where=tmp_path)

    assert run == "run"
    assert f"wrote {config}" in made
    assert f"configuration: read from {config}" in said
    assert f"{state} is closed to others" in said


def test_the_installed_program_is_the_wheel_and_not_the_checkout(programs: Path, tmp_path: Path) -> None:
    version = _run(programs / "mneme", "--version", where=tmp_path)
    places = _run(
        programs / "python",
        "-c",
        "import channels, gateway, memory\nfor one in (channels, gateway, memory): print(one.__file__)",
        where=tmp_path,
    )

    assert version == f"mneme {__version__}\n"
    assert all(place.startswith(str(programs.parent)) for place in places.splitlines())


@needs_filters
def test_the_daemon_runs_under_the_unit_and_says_so_to_systemd(programs: Path, tmp_path: Path) -> None:
    config, state = tmp_path / "mneme.toml", tmp_path / "state"
    command = command_line(read_unit(), programs=programs, state=state, config=config)
    _run(programs / "mneme", "init", *command[2:])
    with listening() as (address, told):
        daemon = subprocess.Popen(
            [sys.executable, "-m", "tests.helpers.confine", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
            env={**_WITHOUT_MODEL, "NOTIFY_SOCKET": address, "WATCHDOG_USEC": "2000000"},
        )
        before = _hear(told, "READY=1") + _hear(told, "WATCHDOG=1")
        daemon.terminate()
        after = _hear(told, "STOPPING=1")
        said, _ = daemon.communicate(timeout=60)

    assert daemon.returncode == OK, said
    assert [word for word in before if word.startswith("STATUS=")] == ["STATUS=rote answers"]
    assert "READY=1" not in after


def test_a_wrong_configuration_ends_with_the_code_that_systemd_does_not_try_again(
    programs: Path, tmp_path: Path
) -> None:
    config, state = tmp_path / "mneme.toml", tmp_path / "state"
    config.write_text("[gateway]\nmax_turns = 0\n", encoding="utf-8")
    command = command_line(read_unit(), programs=programs, state=state, config=config)

    ended = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)

    assert read_unit()["RestartPreventExitStatus"] == [str(ended.returncode)]
    assert "gateway.max_turns" in ended.stderr


@contextmanager
def listening() -> Iterator[tuple[str, socket.socket]]:
    """The address that NOTIFY_SOCKET takes, and the socket behind it; abstract, because paths of tests are long."""
    name = f"mneme-test-{uuid4().hex}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        told.bind(f"\0{name}")
        told.settimeout(60)
        yield f"@{name}", told


def _hear(told: socket.socket, word: str) -> list[str]:
    """Everything that systemd is told, up to this word and with it."""
    heard: list[str] = []
    while word not in heard:
        heard += told.recv(4096).decode().splitlines()
    return heard


def _run(*words: object, where: Path = ROOT) -> str:
    """What the program says; one that fails shows what it said."""
    done = subprocess.run(
        [str(word) for word in words], check=False, capture_output=True, text=True, cwd=where
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
