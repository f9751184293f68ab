"""The command line of the unit runs as it stands, from an installed wheel."""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from gateway import __version__
from tests.helpers.units import ROOT, command_line, read_unit

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


_WITHOUT_MODEL = {**os.environ, "MNEME_LLM__PROVIDER": "rote"}
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


def _run(*words: object, where: Path = ROOT) -> str:
    """What the program says; one that fails shows what it said."""
    done = subprocess.run(
        [str(word) for word in words], check=False, capture_output=True, text=True, cwd=where
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
