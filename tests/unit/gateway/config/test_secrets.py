"""Secrets are read late and never print themselves."""

import os
from pathlib import Path

import pytest

from gateway.config import Secret, load
from gateway.config.secret import LARGEST_FILE
from gateway.errors import ConfigError


def test_a_secret_never_prints_itself() -> None:
    secret = Secret("xoxb-very-secret")

    assert "very" not in f"{secret} {secret!r} {secret:>40} {[secret]} {secret}"
    assert "very" not in "%s %r" % (secret, secret)  # noqa: UP031 - this way of printing too


def test_a_reference_prints_where_the_value_is() -> None:
    assert str(Secret("env:TOKEN", environ={"TOKEN": "hidden"})) == "env:TOKEN"


def test_settings_print_no_secret(tmp_path: Path) -> None:
    file = tmp_path / "mneme.toml"
    file.write_text("channels.telegram.token = '1:plain'\nllm.api_key = 'env:KEY'")

    settings = load(file, environ={"KEY": "hidden"})

    for shown in (repr(settings), str(settings), settings.model_dump_json(), str(settings.model_dump())):
        assert "plain" not in shown
        assert "hidden" not in shown


def test_a_file_is_read_again_each_time(tmp_path: Path) -> None:
    file = tmp_path / "token"
    secret = Secret("file:token", directory=tmp_path)
    file.write_text("first\n")
    first = secret.reveal()
    file.write_text("second\n")

    assert (first, secret.reveal()) == ("first", "second")


@pytest.mark.parametrize(
    ("reference", "problem"),
    [
        ("env:ABSENT", "the environment variable ABSENT is not set"),
        ("env:EMPTY", "the environment variable EMPTY is not set"),
        ("file:absent", "can't be read"),
        ("file:empty", "is empty"),
        ("file:/dev/zero", "/dev/zero is not a regular file"),
        ("file:pipe", "is not a regular file"),
        ("file:.", "is not a regular file"),
        ("file:large", "is larger than 64 KiB"),
        ("file:bytes", "can't be read"),
        ("file:nul\0", "can't be read"),
        ("", "no secret is set"),
    ],
)
def test_what_is_missing_is_said_in_words(reference: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "large").write_text("x" * (LARGEST_FILE + 1))
    (tmp_path / "bytes").write_bytes(b"\xff")
    os.mkfifo(tmp_path / "pipe")
    secret = Secret(reference, environ={"EMPTY": " "}, directory=tmp_path)

    assert problem in (secret.problem() or "")
    assert secret.reveal_if_there() is None
    with pytest.raises(ConfigError, match=problem):
        secret.reveal()


def test_only_secrets_that_are_in_use_can_be_missing(tmp_path: Path) -> None:
    file = tmp_path / "mneme.toml"
    file.write_text(
        "channels.telegram.token = 'env:BOT'\npeople.ann = {web_token = 'env:ANN', role = 'owner'}"
    )

    missing = load(file, environ={"ANN": "x"}).missing_secrets()

    assert missing == [f"{file}: channels.telegram.token: the environment variable BOT is not set"]


def test_the_standard_key_of_the_model_may_be_missing_and_another_may_not(tmp_path: Path) -> None:
    file = tmp_path / "mneme.toml"
    file.write_text("llm.base_url = 'http://127.0.0.1:1'\nllm.api_key = 'env:OPENAI_API_KEY'")
    standard = load(file, environ={}).missing_secrets()
    file.write_text("llm.api_key = 'env:OTHER'")
    other = load(file, environ={}).missing_secrets()

    assert standard == []
    assert len(other) == 1


def test_the_standard_key_is_found_in_the_environment(tmp_path: Path) -> None:
    settings = load(state=tmp_path, environ={"OPENAI_API_KEY": "sk-1"})

    assert settings.llm.api_key.reveal() == "sk-1"


def test_every_secret_value_is_known_for_redaction(tmp_path: Path) -> None:
    file = tmp_path / "mneme.toml"
    file.write_text(
        "channels.slack.a = {bot_token = 'env:B', app_token = 'plain'}\n"
        "llm.fallback = [{model = 'm', api_key = 'env:F'}]\npeople.ann.web_token = 'env:W'\nchannels.web.token = 'web'"
    )

    settings = load(file, environ={"B": "one", "F": "two", "W": "three"})

    assert settings.secret_values() == {"one", "plain", "two", "three", "web"}
    assert {path for path, _ in settings.secrets()} >= {
        "channels.slack.a.bot_token",
        "llm.fallback.0.api_key",
    }


def test_a_secret_that_the_environment_names_is_missed_there(tmp_path: Path) -> None:
    environ = {"MNEME_CHANNELS__TELEGRAM__TOKEN": "env:BOT"}

    assert load(state=tmp_path, environ=environ).missing_secrets() == [
        (
            "environment variable MNEME_CHANNELS__TELEGRAM__TOKEN: channels.telegram.token: "
            "the environment variable BOT is not set"
        )
    ]
