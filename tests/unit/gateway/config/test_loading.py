"""From files and the environment to settings."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from channels.messages import Scope
from gateway.config import Settings, load
from gateway.errors import ConfigError


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    directory = tmp_path / "here"
    directory.mkdir()
    monkeypatch.chdir(directory)
    return directory


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """An empty state directory."""
    directory = tmp_path / "state"
    directory.mkdir()
    return directory


def write(path: Path, text: str) -> Path:
    """A file with this text."""
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.usefixtures("here")
def test_without_a_file_the_promised_defaults_hold(state: Path) -> None:
    settings = load(state=state, environ={})

    assert settings.source is None
    assert settings.gateway.state == state
    assert settings.gateway.address == ("127.0.0.1", 8760)
    assert (settings.gateway.language, settings.gateway.timezone) == ("auto", "auto")
    assert (settings.gateway.max_turns, settings.gateway.drain_seconds) == (256, 20)
    assert settings.gateway.log_level == "info"
    assert (settings.llm.provider, settings.llm.base_url, settings.llm.model) == ("auto", "", "")
    assert (settings.llm.context_window, settings.llm.vision) == (None, None)
    assert (settings.llm.max_output, settings.llm.timeout, settings.llm.fallback) == (1024, 120, ())
    assert (settings.llm.price_in, settings.llm.price_out) == (0.0, 0.0)
    assert (settings.sessions.store, settings.sessions.scope) == ("sqlite", Scope.THREAD)
    assert (settings.sessions.max_messages, settings.sessions.busy) == (500, "collect")
    assert (settings.memory.trigger, settings.memory.target, settings.memory.rounds) == (0.75, 0.5, 5)
    assert (settings.memory.keep_recent, settings.memory.idle_compact_minutes) == (8, 15)
    assert (settings.memory.dream, settings.memory.recall_tokens) == ("every 2h", 800)
    assert (settings.memory.summarizer, settings.memory.embeddings) == ("", "")
    assert settings.people == {}
    assert not settings.channels.telegram.token
    assert settings.channels.telegram.mode == "polling"
    assert settings.channels.telegram.base_url == "https://api.telegram.org"
    assert settings.channels.telegram.groups == "mention"
    assert settings.channels.slack == {}
    assert not settings.channels.web.token
    assert (settings.access.groups, settings.access.workspaces) == ((), ())
    assert (settings.access.messages_per_minute, settings.access.pairing) == (20, True)
    assert " ".join(settings.tools.enabled) == "recall remember spawn schedule files fetch search send_file"
    assert " ".join(settings.tools.member) == "recall remember spawn schedule fetch search"
    assert (settings.tools.approve, settings.tools.search) == (("shell",), "duckduckgo")
    assert (settings.tools.shell, settings.tools.mcp) == (False, {})
    assert settings.voice.model == ""
    assert settings.budgets.person_tokens_per_day == settings.budgets.chat_tokens_per_day == 0
    assert settings.budgets.job_tokens == 200000
    assert (settings.subagents.max_running, settings.subagents.max_per_session) == (4, 2)
    assert settings.subagents.timeout_minutes == 30
    assert settings.warnings == ()


def test_the_file_is_looked_for_in_the_promised_order(here: Path, state: Path, tmp_path: Path) -> None:
    in_state = write(state / "mneme.toml", "llm.model = 'state'")
    in_environment = write(tmp_path / "environment.toml", "llm.model = 'environment'")
    named = write(tmp_path / "named.toml", "llm.model = 'named'")

    assert load(state=state, environ={}).source == in_state
    assert load(environ={"MNEME_GATEWAY__STATE": str(state)}).source == in_state
    assert load(environ={"MNEME_STATE": str(state)}).llm.model == "state"

    write(here / "mneme.toml", "llm.model = 'here'")

    assert load(state=state, environ={}).llm.model == "here"
    assert load(state=state, environ={"MNEME_CONFIG": str(in_environment)}).llm.model == "environment"
    assert load(named, state=state, environ={"MNEME_CONFIG": str(in_environment)}).llm.model == "named"


def test_a_named_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.toml: there is no such file"):
        load(tmp_path / "absent.toml", environ={})


def test_broken_toml_is_said_with_its_line(tmp_path: Path) -> None:
    file = write(tmp_path / "mneme.toml", "[gateway]\nmax_turns = = 3\n")

    with pytest.raises(ConfigError) as caught:
        load(file, environ={})

    assert caught.value.problems[0].startswith(f"{file}: ")
    assert "line 2" in caught.value.problems[0]


def test_a_file_that_is_not_utf8_is_said(tmp_path: Path) -> None:
    file = tmp_path / "mneme.toml"
    file.write_bytes(b"[llm]\nmodel = '\xff'\n")

    with pytest.raises(ConfigError, match="byte 15: expected UTF-8"):
        load(file, environ={})


def test_a_file_that_never_ends_is_said() -> None:
    with pytest.raises(ConfigError, match=r"^/dev/zero: is larger than 1024 KiB: it is no configuration$"):
        load("/dev/zero", environ={})


def test_a_directory_in_place_of_the_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="can't be read: Is a directory"):
        load(tmp_path, environ={})


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    file = tmp_path / "mneme.toml"
    file.write_bytes(b"\xef\xbb\xbf[llm]\nmodel = 'x'\n")

    assert load(file, environ={}).llm.model == "x"


def test_the_command_line_wins_over_the_environment_and_this_over_the_file(tmp_path: Path) -> None:
    file = write(tmp_path / "mneme.toml", "gateway.state = '/file'\ngateway.max_turns = 3")
    environ = {"MNEME_GATEWAY__STATE": "/environment", "MNEME_GATEWAY__MAX_TURNS": "4"}

    assert load(file, environ={}).gateway.state == Path("/file")
    assert load(file, environ=environ).gateway.state == Path("/environment")
    assert load(file, environ=environ).gateway.max_turns == 4
    assert load(file, state="/line", environ=environ).gateway.state == Path("/line")


def test_a_relative_state_directory_lies_beside_the_file(tmp_path: Path) -> None:
    file = write(tmp_path / "mneme.toml", "gateway.state = 'data'")

    assert load(file, environ={}).gateway.state == tmp_path / "data"


def test_the_home_directory_is_expanded(tmp_path: Path) -> None:
    file = write(tmp_path / "mneme.toml", "gateway.state = '~/m'")

    assert load(file, environ={}).gateway.state == Path(os.path.expanduser("~/m"))  # noqa: PTH111 - another way to it


@pytest.mark.parametrize(
    ("name", "text", "read"),
    [
        ("MNEME_LLM__MODEL", "qwen3", lambda s: s.llm.model == "qwen3"),
        ("MNEME_LLM__MODEL", "4", lambda s: s.llm.model == "4"),
        ("MNEME_LLM__PROVIDER", "local", lambda s: s.llm.provider == "local"),
        ("MNEME_LLM__CONTEXT_WINDOW", "2000", lambda s: s.llm.context_window == 2000),
        ("MNEME_LLM__CONTEXT_WINDOW", "auto", lambda s: s.llm.context_window is None),
        ("MNEME_LLM__VISION", "true", lambda s: s.llm.vision is True),
        ("MNEME_LLM__TIMEOUT", "2.5", lambda s: s.llm.timeout == 2.5),
        (
            "MNEME_LLM__FALLBACK",
            '["a", {"model":"b","base_url":"http://x"}]',
            lambda s: len(s.llm.fallback) == 2,
        ),
        ("MNEME_SESSIONS__SCOPE", "chat", lambda s: s.sessions.scope is Scope.CHAT),
        ("MNEME_MEMORY__TRIGGER", "0.6", lambda s: s.memory.trigger == 0.6),
        ("MNEME_ACCESS__PAIRING", "false", lambda s: s.access.pairing is False),
        ("MNEME_ACCESS__PAIRING", "False", lambda s: s.access.pairing is False),
        ("MNEME_ACCESS__GROUPS", '["telegram:-1"]', lambda s: s.access.groups == ("telegram:-1",)),
        ("MNEME_CHANNELS__TELEGRAM__TOKEN", "1:abc", lambda s: s.channels.telegram.token.reveal() == "1:abc"),
        ("MNEME_CHANNELS__WEB__TOKEN", "123", lambda s: s.channels.web.token.reveal() == "123"),
        ("MNEME_CHANNELS__SLACK__CONNECTIONS", "2", lambda s: s.channels.slack[""].connections == 2),
        (
            "MNEME_CHANNELS__SLACK__WORK__CONNECTIONS",
            "2",
            lambda s: s.channels.slack["work"].connections == 2,
        ),
        ("MNEME_CHANNELS__SLACK", '{"a":{},"b":{}}', lambda s: [*s.channels.slack] == ["a", "b"]),
        ("MNEME_PEOPLE__ANN__TELEGRAM", "1001", lambda s: s.people["ann"].telegram == ("1001",)),
        ("MNEME_PEOPLE__ANN__TELEGRAM", '["1","2"]', lambda s: s.people["ann"].telegram == ("1", "2")),
        ("MNEME_TOOLS__MCP__FILES__COMMAND", '["x"]', lambda s: s.tools.mcp["files"].command == ("x",)),
        (
            "MNEME_TOOLS__MCP",
            '{"files":{"url":"http://x"}}',
            lambda s: s.tools.mcp["files"].url == "http://x",
        ),
    ],
)
def test_any_value_can_come_from_the_environment(
    name: str, text: str, read: Callable[[Settings], bool], tmp_path: Path
) -> None:
    settings = load(write(tmp_path / "mneme.toml", ""), environ={name: text})

    assert read(settings)


def test_the_environment_reaches_a_key_that_the_file_spells_with_capitals(tmp_path: Path) -> None:
    file = write(tmp_path / "mneme.toml", "[people.Ann]\ntelegram = '1'")

    settings = load(file, environ={"MNEME_PEOPLE__ANN__ROLE": "owner"})

    assert settings.people["Ann"].role == "owner"
    assert settings.people["Ann"].telegram == ("1",)


def test_variables_that_are_no_settings_change_nothing(tmp_path: Path) -> None:
    file = write(tmp_path / "mneme.toml", "")

    settings = load(file, environ={"MNEME_CONFIG": "/x", "MNEME_STATE": str(tmp_path), "MNEME_CRASH_AT": "a"})

    assert settings.warnings == ()


def test_a_variable_with_one_underscore_is_warned_about(tmp_path: Path) -> None:
    settings = load(write(tmp_path / "mneme.toml", ""), environ={"MNEME_LLM_MODEL": "x"})

    assert [warning.partition(":")[0] for warning in settings.warnings] == ["MNEME_LLM_MODEL"]


def test_a_plain_secret_works_and_is_warned_about(tmp_path: Path) -> None:
    file = write(tmp_path / "mneme.toml", "channels.telegram.token = '1:abc'\naccess.pairing = true")

    settings = load(file, environ={})

    assert settings.channels.telegram.token.reveal() == "1:abc"
    assert len(settings.warnings) == 1
    assert settings.warnings[0].startswith("channels.telegram.token: the secret itself is written here")
    assert "1:abc" not in settings.warnings[0]


def test_a_channel_that_nobody_may_use_is_warned_about(tmp_path: Path) -> None:
    text = "channels.telegram.token = 'env:X'\naccess.pairing = false\n"

    closed = load(write(tmp_path / "closed.toml", text), environ={})
    opened = load(
        write(tmp_path / "open.toml", text + "people.ann = {telegram = '1', role = 'owner'}"), environ={}
    )

    assert any("lets anybody talk" in warning for warning in closed.warnings)
    assert opened.warnings == ()


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("gateway.http = '0.0.0.0:1'", True),
        ("gateway.http = '0.0.0.0:1'\nchannels.web.token = 'env:T'", False),
        ("gateway.http = '[::1]:1'", False),
        ("gateway.http = ''", False),
    ],
)
def test_an_address_open_to_the_network_without_a_token_is_warned_about(
    text: str, warned: bool, tmp_path: Path
) -> None:
    warnings = load(write(tmp_path / "mneme.toml", text), environ={}).warnings

    assert any("open to the network" in warning for warning in warnings) is warned


def test_people_without_an_owner_are_warned_about(tmp_path: Path) -> None:
    settings = load(write(tmp_path / "mneme.toml", "people.ann.telegram = '1'"), environ={})

    assert settings.owner is None
    assert any('role = "owner"' in warning for warning in settings.warnings)


def test_a_key_that_nothing_goes_by_is_warned_about(tmp_path: Path) -> None:
    set_ = load(write(tmp_path / "set.toml", "llm.vision = true\nvoice.model = 'whisper'"), environ={})
    unset = load(write(tmp_path / "unset.toml", "llm.vision = 'auto'"), environ={})

    assert [warning.partition(":")[0] for warning in set_.warnings] == [
        "llm.vision",
        "voice.model",
    ]
    assert unset.warnings == ()


def test_settings_never_change(tmp_path: Path) -> None:
    settings = load(write(tmp_path / "mneme.toml", ""), environ={})

    with pytest.raises(ValueError, match="frozen"):
        settings.gateway.max_turns = 1
