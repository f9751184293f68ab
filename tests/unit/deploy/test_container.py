"""The image and how Compose runs it."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml

from gateway.config import Settings, load
from gateway.service.logs import under_a_collector
from tests.helpers.units import ROOT, seconds

DOCKERFILE = ROOT / "deploy" / "Dockerfile"
PORT = 8760


def instructions() -> list[tuple[str, str]]:
    """(instruction, argument) of the Dockerfile in order, continued lines joined."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    pairs = [line.split(maxsplit=1) for line in lines if line.strip()]
    return [(name, argument.strip()) for name, argument in pairs]


def last(name: str) -> str:
    """The argument that counts in the end."""
    return [argument for instruction, argument in instructions() if instruction == name][-1]


def image_environment() -> dict[str, str]:
    """What the image sets."""
    return dict(re.findall(r"(\S+?)=(\S+)", last("ENV")))


def health_check() -> list[str]:
    """The words of the health check's command."""
    words: list[str] = json.loads(last("HEALTHCHECK").partition("CMD ")[2])
    return words


@pytest.fixture(name="service")
def _service() -> dict[str, Any]:
    document = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    [service] = document["services"].values()
    assert isinstance(service, dict)
    return service


def test_hadolint_accepts_the_dockerfile() -> None:
    hadolint = shutil.which("hadolint", path=str(Path(sys.executable).parent)) or shutil.which("hadolint")
    if hadolint is None:
        pytest.skip("hadolint is not installed")

    checked = subprocess.run([hadolint, str(DOCKERFILE)], check=False, capture_output=True, text=True)

    assert (checked.returncode, checked.stdout) == (0, "")


def test_no_command_of_the_image_passes_through_a_shell() -> None:
    commands = [text for name, text in instructions() if name in {"RUN", "CMD", "ENTRYPOINT"}]

    assert all(isinstance(json.loads(command), list) for command in commands)


def test_the_image_runs_as_a_fixed_number_that_owns_the_state() -> None:
    [made] = [json.loads(text) for name, text in instructions() if name == "RUN" and "useradd" in text]
    [owned] = [
        json.loads(text) for name, text in instructions() if name == "RUN" and '"install", "--dir' in text
    ]
    number = made[made.index("--uid") + 1]

    assert last("USER") == f"{number}:{number}"
    assert {f"--owner={number}", "--mode=0700", image_environment()["MNEME_STATE"]} <= set(owned)


def test_the_image_alone_configures_mneme() -> None:
    settings = load(environ=image_environment())

    assert settings.gateway.address == ("0.0.0.0", PORT)  # noqa: S104 - inside of the container
    assert settings.gateway.state == Path(json.loads(last("VOLUME"))[0])
    assert under_a_collector(settings.environ)


def test_everything_that_the_build_copies_enters_its_context() -> None:
    ignored = (ROOT / "deploy" / "Dockerfile.dockerignore").read_text(encoding="utf-8")
    copies = [text.split()[:-1] for name, text in instructions() if name == "COPY" and "--from" not in text]
    copied = {source for sources in copies for source in sources}
    allowed = {line[1:] for line in ignored.splitlines() if line.startswith("!")}

    assert copied == allowed
    assert all((ROOT / source).exists() for source in copied)


@contextmanager
def answering(status: int) -> Iterator[int]:
    """The port of a server on loopback that answers /health with this status, and everything else with 404."""

    class Health(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/health" else 404)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that it overrides
            pass

    with HTTPServer(("127.0.0.1", 0), Health) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def check_health(port: int) -> int:
    """The exit code of the image's health check, asked of another port."""
    _python, *arguments = health_check()
    arguments = [argument.replace(str(PORT), str(port)) for argument in arguments]
    return subprocess.run([sys.executable, *arguments], check=False, capture_output=True).returncode


@pytest.mark.parametrize(("status", "code"), [(200, 0), (503, 1)])
def test_the_health_check_says_what_the_daemon_says(status: int, code: int) -> None:
    with answering(status) as port:
        said = check_health(port)

    assert said == code


def test_the_health_check_fails_where_nobody_listens() -> None:
    with answering(200) as port:
        pass

    assert check_health(port) == 1


def test_compose_builds_this_image_and_keeps_its_state_in_a_volume(service: dict[str, Any]) -> None:
    build = service["build"]

    assert (ROOT / build["context"] / build["dockerfile"]).samefile(DOCKERFILE)
    assert service["volumes"] == [f"state:{image_environment()['MNEME_STATE']}"]


def test_compose_publishes_to_this_machine_alone(service: dict[str, Any]) -> None:
    assert service["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]


def test_compose_takes_away_what_the_program_does_not_use(service: dict[str, Any]) -> None:
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["tmpfs"][0].startswith("/tmp:")  # noqa: S108 - a place in the container


def test_compose_starts_it_again_and_lets_turns_end(service: dict[str, Any]) -> None:
    assert service["restart"] == "unless-stopped"
    assert seconds(service["stop_grace_period"]) >= 2 * Settings().gateway.drain_seconds
    assert last("STOPSIGNAL") == "SIGTERM"


def test_compose_starts_without_a_file_of_variables(service: dict[str, Any]) -> None:
    assert service["env_file"] == [{"path": "deploy/env", "required": False}]
