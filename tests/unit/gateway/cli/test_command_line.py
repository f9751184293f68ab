"""The program as a shell sees it: what it prints where, and its exit code."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gateway import __version__
from gateway.cli.commands import parse
from tests.helpers.command_line import Mneme, in_a_process


def test_the_version_is_told_without_loading_anything_heavy(tmp_path: Path) -> None:
    code = (
        "import sys; sys.argv = ['mneme', '--version']\n"
        "from gateway.__main__ import main\n"
        "main(); sys.exit(sum(name in sys.modules for name in ('pydantic', 'typer', 'asyncio', 'structlog', 'rich')))"
    )

    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, f"mneme {__version__}\n", "")


def test_a_stop_that_comes_while_a_finalizer_runs_is_not_lost() -> None:
    code = (
        "import os, signal\n"
        "from gateway.cli.commands import leave_cleanly_until_it_runs\n"
        "class Late:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "        [None for _ in range(1000)]\n"
        "leave_cleanly_until_it_runs()\n"
        "Late()\n"
        "print('went on')"
    )

    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(("hangs_up", "asks"), [("SIG_DFL", True), ("SIG_IGN", False)])
def test_a_closed_terminal_asks_to_stop_unless_that_is_ignored(hangs_up: str, asks: bool) -> None:
    code = (
        "import signal\n"
        "from gateway.cli.commands import stop_signals\n"
        f"signal.signal(signal.SIGHUP, signal.{hangs_up})\n"
        "print(signal.SIGHUP in stop_signals())"
    )

    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=True)

    assert done.stdout == f"{asks}\n"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["docter"], 2, 'mneme: there is no command "docter"; did you mean doctor?'),
        (["--verbose"], 2, 'mneme: there is no option "--verbose"; see mneme --help'),
        (["doctor", "--jsn"], 2, "mneme: No such option: --jsn"),
        (["sessions", "lst"], 2, "Did you mean 'list'? See mneme sessions --help."),
        (["doctor", "extra"], 2, "mneme: Got unexpected extra argument"),
        (["doctor", "--config"], 2, "mneme: Option '--config' requires an argument."),
        (["doctor", "--config", "absent.toml"], 2, "absent.toml: there is no such file"),
        (["init", "--state", "/proc/mneme"], 1, "mneme: /proc/mneme can't be made"),
    ],
)
def test_an_error_is_one_line_and_a_code(arguments: list[str], code: int, said: str, mneme: Mneme) -> None:
    done = mneme(*arguments)

    assert done.returncode == code
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 1


def test_the_shell_gets_the_code_and_the_line(tmp_path: Path) -> None:
    unknown, faulty = (
        in_a_process("docter", home=tmp_path),
        in_a_process("doctor", "--config", "x", home=tmp_path),
    )

    assert (unknown.returncode, faulty.returncode) == (2, 2)
    assert unknown.stderr == 'mneme: there is no command "docter"; did you mean doctor?\n'


def test_every_fault_of_the_configuration_is_a_line_of_its_own(tmp_path: Path, mneme: Mneme) -> None:
    (tmp_path / "mneme.toml").write_text("[llm]\ntimeou = 1\nmax_output = 'x'\n")

    done = mneme("init")

    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        'mneme: mneme.toml: llm.max_output = "x": expected a whole number',
        'mneme: mneme.toml: llm.timeou: unknown key; did you mean "timeout"?',
    ]  # fmt: skip


def test_help_lists_the_commands(mneme: Mneme) -> None:
    asked, bare = mneme("--help"), mneme()

    assert asked.returncode == 0
    assert "  doctor" in asked.stdout
    assert bare.returncode == 2
    assert bare.stderr == asked.stdout


def test_each_command_has_help_with_the_options_of_all(mneme: Mneme) -> None:
    done = mneme("init", "--help")

    assert done.returncode == 0
    assert "--config" in done.stdout
    assert "--state" in done.stdout


def test_a_usage_line_names_what_must_be_given_as_it_is_typed(mneme: Mneme) -> None:
    usages = [mneme(*words, "--help").stdout.splitlines()[0] for words in (["backup"], ["sessions", "check"])]

    assert usages == [
        "Usage: mneme backup [OPTIONS] FILE",
        "Usage: mneme sessions check [OPTIONS] [KEY]",
    ]


def test_init_writes_everything_once_and_closed_to_others(tmp_path: Path, mneme: Mneme) -> None:
    first = mneme("init")
    state = tmp_path / ".mneme"
    (state / "mneme.toml").write_text("[llm]\nmodel = 'mine'\n")
    (state / "memory" / "shared" / "SOUL.md").write_text("mine")
    second = mneme("init")

    assert (first.returncode, second.returncode) == (0, 0)
    assert first.stdout.count("wrote ") == 4
    assert second.stdout.count("wrote ") == 0
    assert (state / "mneme.toml").read_text() == "[llm]\nmodel = 'mine'\n"
    assert (state / "memory" / "shared" / "SOUL.md").read_text() == "mine"
    assert all(path.stat().st_mode & 0o077 == 0 for path in [state, *state.rglob("*")])


def test_init_has_a_document(tmp_path: Path, mneme: Mneme) -> None:
    first, second = (json.loads(mneme("init", "--json").stdout) for _ in range(2))

    assert first["config"] == str(tmp_path / ".mneme" / "mneme.toml")
    assert first["config"] in first["written"]
    assert second == first | {"written": []}


def test_init_here_writes_beside_us(tmp_path: Path, mneme: Mneme) -> None:
    done = mneme("init", "--here")

    assert done.returncode == 0
    assert (tmp_path / "mneme.toml").exists()
    assert not (tmp_path / ".mneme" / "mneme.toml").exists()
    assert (tmp_path / ".mneme" / "memory" / "shared" / "AGENTS.md").exists()


def test_init_with_a_state_directory_writes_a_file_that_names_it(tmp_path: Path, mneme: Mneme) -> None:
    mneme("init", "--here", "--state", "elsewhere")

    done = mneme("doctor", "--json")

    assert str(tmp_path / "elsewhere") in done.stdout


def test_what_is_to_be_done_next_is_named_with_the_options_of_this_call(tmp_path: Path, mneme: Mneme) -> None:
    options = ["--config", "my own.toml", "--state", "elsewhere"]
    said = mneme("init", *options).stdout + mneme("status", *options).stderr
    mneme("sessions", "list", *options)
    mneme("backup", "a.tar.gz", *options)
    said += mneme("restore", "a.tar.gz", "--state", "third").stdout
    plain = mneme("status").stderr
    named = re.findall(r"mneme (?:chat|run|doctor)\b.*?(?=  | starts|$)", said, re.MULTILINE)

    assert named == [
        "mneme chat --config 'my own.toml' --state elsewhere",
        "mneme run --config 'my own.toml' --state elsewhere",
        "mneme doctor --config 'my own.toml' --state elsewhere",
        "mneme run --config 'my own.toml' --state elsewhere",
        "mneme doctor --state third",
    ]
    assert plain == f"mneme: no daemon runs on {tmp_path / '.mneme'}; mneme run starts one\n"


def test_init_says_where_the_file_that_it_wrote_is_not_the_one_that_is_read(
    tmp_path: Path, mneme: Mneme
) -> None:
    (tmp_path / "mneme.toml").write_text("")

    lines = mneme("init", "--state", "elsewhere").stdout.splitlines()
    inside = mneme("init", "--here").stdout
    written = tmp_path / "elsewhere" / "mneme.toml"

    assert f"{tmp_path / 'mneme.toml'} is read instead of {written} unless --config names that." in lines
    assert lines[-1].split("   ")[0] == f"  mneme doctor --config {written} --state elsewhere"
    assert "is read instead" not in inside


def test_init_that_is_asked_to_be_quiet_writes_and_says_nothing(tmp_path: Path, mneme: Mneme) -> None:
    done = mneme("init", "--here", "--quiet")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "mneme.toml").exists()


def test_init_writes_the_file_that_the_environment_names(tmp_path: Path, mneme: Mneme) -> None:
    done = mneme("init", MNEME_CONFIG="my.toml")

    assert done.returncode == 0
    assert (tmp_path / "my.toml").exists()


def test_doctor_finds_a_fresh_directory_in_order(mneme: Mneme) -> None:
    mneme("init")

    done = mneme("doctor", "--json")
    report = json.loads(done.stdout)

    assert done.returncode == 0
    assert report["ok"] is True
    assert all(set(finding) == {"check", "ok", "level", "message", "fix"} for finding in report["findings"])
    assert {"configuration", "permissions", "disk", "tokenizer"} <= {
        entry["check"] for entry in report["findings"]
    }


def test_doctor_reports_a_missing_token_and_what_to_do(tmp_path: Path, mneme: Mneme) -> None:
    (tmp_path / "mneme.toml").write_text("channels.telegram.token = 'env:BOT'")

    done = mneme("doctor")

    assert done.returncode == 1
    assert "the environment variable BOT is not set" in done.stdout
    assert "→" in done.stdout


def test_doctor_reports_faults_as_findings_with_the_code_of_configuration(mneme: Mneme) -> None:
    done = mneme("doctor", "--json", MNEME_LLM__TIMEOUT="soon")

    assert done.returncode == 2
    assert json.loads(done.stdout)["findings"][0]["check"] == "configuration"


def test_doctor_lists_the_crash_points(mneme: Mneme) -> None:
    assert "respond.before" in mneme("doctor", "--crash-points").stdout.splitlines()


def test_a_reader_who_leaves_early_causes_no_noise(tmp_path: Path) -> None:
    command = f"{sys.executable} -m gateway doctor --crash-points | head -n 0; exit 0"

    done = subprocess.run(
        ["/bin/bash", "-c", command],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        capture_output=True,
        check=False,
    )

    assert done.stderr == b""


@pytest.mark.parametrize(
    ("line", "name", "arguments"),
    [
        ("doctor --json", "doctor", ["--json"]),
        ("--config c.toml doctor --json", "doctor", ["--json", "--config", "c.toml"]),
        ("--state=s --config=c sessions list", "sessions", ["list", "--state=s", "--config=c"]),
        ("--state s memory search -- -x", "memory", ["search", "--state", "s", "--", "-x"]),
        ("sessions --state s --json list", "sessions", ["list", "--state", "s", "--json"]),
        ("--json status", "status", ["--json"]),
        ("", "", []),
    ],
)
def test_options_before_the_command_are_handed_on(line: str, name: str, arguments: list[str]) -> None:
    call = parse(line.split())

    assert (call.name, call.arguments, call.debug) == (name, arguments, False)


def test_debug_may_stand_anywhere_before_the_words_that_are_data() -> None:
    assert parse(["--debug", "doctor"]).debug
    assert parse(["doctor", "--debug"]) == parse(["--debug", "doctor"])
    assert not parse(["memory", "search", "--", "--debug"]).debug
