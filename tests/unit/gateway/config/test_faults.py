"""Every fault of a configuration is found at once, and says where it is and what was expected."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pydantic import ValidationError

from gateway.config import Settings, load
from gateway.config.problems import describe
from gateway.config.schema import keys_at
from gateway.errors import ConfigError


def problems(tmp_path: Path, text: str, **environ: str) -> list[str]:
    """The faults of this file and environment, without the file's name."""
    file = tmp_path / "mneme.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(file, environ=environ)
    return [problem.removeprefix(f"{file}: ") for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("gatewy.state = '/x'", 'gatewy: unknown key; did you mean "gateway"?'),
        ("llm.warmth = 1", "llm.warmth: unknown key"),
        ("llm.modl = 'x'", 'llm.modl: unknown key; did you mean "model"?'),
        ("people.ann.telegra = '1'", 'people.ann.telegra: unknown key; did you mean "telegram"?'),
        ("channels.slack.a.groupz = 'all'", 'channels.slack.a.groupz: unknown key; did you mean "groups"?'),
        ("channels.discord.token = 'x'", "channels.discord: unknown key"),
        ("gateway.max_turns = '256'", 'gateway.max_turns = "256": expected a whole number'),
        ("gateway.max_turns = 0", "gateway.max_turns = 0: expected at least 1"),
        ("gateway.max_turns = true", "gateway.max_turns = true: expected a whole number"),
        ("gateway.max_turns = 1.5", "gateway.max_turns = 1.5: expected a whole number"),
        ("gateway.drain_seconds = -1", "gateway.drain_seconds = -1: expected at least 0"),
        ("gateway.state = ''", 'gateway.state = "": expected the path of a directory'),
        (
            "gateway.http = '8760'",
            'gateway.http = "8760": expected host:port such as 127.0.0.1:8760, or "" for none',
        ),
        ("gateway.http = 'a:99999'", 'gateway.http = "a:99999": expected host:port'),
        ("gateway.http = '::1:80'", 'gateway.http = "::1:80": expected host:port'),
        (
            "gateway.log_level = 'loud'",
            'gateway.log_level = "loud": expected "debug", "info", "warning" or "error"',
        ),
        ("gateway.language = '?'", 'gateway.language = "?": expected "auto" or a language tag'),
        ("gateway.timezone = 'Europe/Berln'", 'did you mean "Europe/Berlin"?'),
        ("gateway.timezone = 'Europe'", 'gateway.timezone = "Europe": expected "auto" or a time zone'),
        ("gateway = 3", "gateway: expected a table"),
        ("llm = 'sk-secret'", "llm: expected a table"),
        ("llm.provider = 'opneai'", 'did you mean "openai"?'),
        ("llm.base_url = 'localhost:1'", 'llm.base_url = "localhost:1": expected http://… or https://…'),
        ("llm.base_url = 'http://u:pw@h:x'", 'llm.base_url = "http://***@h:x": expected http://…'),
        ("llm.context_window = 'big'", 'llm.context_window = "big": expected "auto" or a whole number'),
        ("llm.context_window = 0", "llm.context_window = 0: expected at least 1"),
        ("llm.vision = 'maybe'", 'llm.vision = "maybe": expected "auto" or true or false'),
        ("llm.timeout = 0", "llm.timeout = 0: expected more than 0"),
        ("llm.timeout = inf", "llm.timeout = inf: expected a finite number"),
        ("llm.price_in = -0.1", "llm.price_in = -0.1: expected at least 0"),
        ("llm.fallback = 'x'", 'llm.fallback = "x": expected a list'),
        ("llm.fallback = [{base_url = 'http://x'}]", "llm.fallback.0.model: expected a value"),
        ("llm.api_key = 5", 'llm.api_key: expected "env:NAME", "file:PATH" or a text'),
        ("llm.api_key = 'env:'", 'llm.api_key: expected a name after "env:"'),
        ("sessions.scope = 'room'", 'sessions.scope = "room": expected "thread", "chat" or "user"'),
        ("memory.trigger = 0.05", "memory.trigger = 0.05: expected at least 0.1"),
        ("memory.trigger = 0.96", "memory.trigger = 0.96: expected at most 0.95"),
        ("memory.target = 0.75", "memory.target: expected less than memory.trigger (0.75)"),
        ("memory.trigger = 0.4", "memory.target: expected less than memory.trigger (0.4)"),
        ("memory.dream = 'sometimes'", 'memory.dream = "sometimes": expected a cron expression'),
        ("memory.dream = '61 * * * *'", 'memory.dream = "61 * * * *": expected a cron expression'),
        ("memory.dream = 'every 0h'", 'memory.dream = "every 0h": expected a cron expression'),
        ("memory.keep_recent = -1", "memory.keep_recent = -1: expected at least 0"),
        ("people.ann.role = 'boss'", 'people.ann.role = "boss": expected "owner" or "member"'),
        (
            "people.ann.telegram = 1001",
            "people.ann.telegram = 1001: expected a text in quotes, or a list of such",
        ),
        ("people.ann.telegram = '@ann'", "expected Telegram's number of the person, not a username"),
        ("people.ann.slack = 'ann'", "expected Slack's member id such as U01ABC, not a username"),
        ("people.'../x'.telegram = '1'", "people.../x"),
        (
            "people.a = {web = ['w']}\npeople.b = {web = ['w']}",
            "people.b: expected web w at one person alone",
        ),
        ("people.ann = {}\npeople.Ann = {}", "people.Ann: expected name ann at one person alone"),
        (
            "people.a.web_token = 'env:T'\npeople.b.web_token = 'env:T'",
            "people.b: expected web_token at one person",
        ),
        ("channels.telegram.token = 5", "channels.telegram.token: expected"),
        (
            "channels.telegram = {token = 'env:T', mode = 'webhook'}",
            "channels.telegram.webhook_url: expected https://…",
        ),
        ("channels.telegram.webhook_url = 'http://x'", 'webhook_url = "http://x": expected https://…'),
        ("channels.telegram.proxy = 'ftp://x'", "channels.telegram.proxy"),
        ("channels.slack.bot_token = 'env:B'", "channels.slack.app_token: expected a token for Socket Mode"),
        ("channels.slack.app_token = 'env:A'", "channels.slack.bot_token: expected the bot's token"),
        (
            "channels.slack = {groups = 'all', a = {}}",
            "expected either one table, or a table for each workspace",
        ),
        ("channels.slack.'a/b' = {}", "expected a name of letters, digits, - and _ for each workspace"),
        ("access.groups = ['-100']", 'expected "telegram:<chat id>" or "slack:<channel id>" for each'),
        ("access.groups = 'telegram:1'", 'access.groups = "telegram:1": expected a list'),
        ("access.messages_per_minute = -2", "access.messages_per_minute = -2: expected at least 0"),
        (
            "tools.enabled = ['recalll']",
            'tools.enabled: expected names of tools ("recalll" is none); did you mean "recall"?',
        ),
        ("tools.search = 'google'", 'tools.search: expected "duckduckgo" or http://…'),
        ("tools.shell = 'yes'", 'tools.shell = "yes": expected true or false'),
        ("tools.mcp.x = {}", 'tools.mcp.x: expected either command = ["…"] or url'),
        ("tools.mcp.x.url = 'x'", "tools.mcp.x.url: expected http://…"),
        ("budgets.job_tokens = -1", "budgets.job_tokens = -1: expected at least 0"),
        ("subagents.max_running = 0", "subagents.max_running = 0: expected at least 1"),
    ],
)
def test_a_fault_is_one_line(text: str, problem: str, tmp_path: Path) -> None:
    found = problems(tmp_path, text)

    assert len(found) == 1
    assert problem in found[0]
    assert "\n" not in found[0]


def test_all_faults_are_reported_at_once(tmp_path: Path) -> None:
    text = (
        "[llm]\ntimeou = 1\nmax_output = 'x'\n[memory]\ntarget = 2.0\n[people.ann]\nrole = 'x'\n[nowhere]\n"
    )

    found = problems(tmp_path, text, MNEME_GATEWAY__MAX_TURNS="-4")

    assert sorted(line.split(" ")[0].rstrip(":") for line in found) == [
        "environment", "llm.max_output", "llm.timeou", "memory.target", "nowhere", "people.ann.role",
    ]  # fmt: skip


def test_a_fault_of_the_environment_names_the_variable(tmp_path: Path) -> None:
    found = problems(tmp_path, "", MNEME_LLM__TIMEOUT="soon", MNEME_LLM__TIMEOU="1", MNEME_NOWHERE__X="1")

    assert found == [
        'environment variable MNEME_LLM__TIMEOUT: llm.timeout = "soon": expected a number',
        'environment variable MNEME_LLM__TIMEOU: llm.timeou: unknown key; did you mean "timeout"?',
        "environment variable MNEME_NOWHERE__X: nowhere: unknown key",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "channels.telegram.tokn = 'HIDDEN'",
        "channels.telegram.token = ['HIDDEN']",
        "channels.telegram = 'HIDDEN'",
        "channels.slack = 'HIDDEN'",
        "channels.slack = {bot_token = 'HIDDEN'}",
        "people.ann = 'HIDDEN'",
        "llm.fallback = [{model = 'm', api_key = ['HIDDEN']}]",
        "llm.base_url = 'https://me:HIDDEN@host:port'",
    ],
)
def test_no_fault_shows_a_secret(text: str, tmp_path: Path) -> None:
    found = problems(tmp_path, text)

    assert found
    assert "HIDDEN" not in "".join(found)


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_tables = {section: keys_at([section]) for section in keys_at([])}
_documents = st.dictionaries(
    st.sampled_from(sorted(_tables)),
    _values
    | st.dictionaries(st.sampled_from(sorted({key for keys in _tables.values() for key in keys})), _values),
    max_size=4,
)


@given(document=_documents)
@hypothesis_settings(deadline=None, max_examples=80)
def test_whatever_the_values_are_each_fault_becomes_a_line(document: dict[str, object]) -> None:
    try:
        Settings.model_validate(document)
    except ValidationError as error:
        lines = [describe(fault, file=None, origins={}) for fault in error.errors(include_url=False)]
    else:
        lines = []

    assert all(line.isprintable() for line in lines)


def test_who_uses_secrets_is_told_of_unset_ones_together_with_the_faults(tmp_path: Path) -> None:
    file = tmp_path / "mneme.toml"
    file.write_text(
        "[llm]\ntimeou = 1\napi_key = 'env:OPENAI_API_KEY'\n"
        "[people.ann]\nweb_token = 'env:ANN'\n[nobody]\ntoken = 'env:NOBODY'\n"
        "[channels.slack]\nbot_token = 'env:HERE'\napp_token = 'file:absent'"
    )
    environ = {"HERE": "x", "MNEME_CHANNELS__TELEGRAM__TOKEN": "env:BOT"}

    with pytest.raises(ConfigError) as without:
        load(file, environ=environ)
    with pytest.raises(ConfigError) as named:
        load(file, environ=environ, names_secrets=True)

    assert named.value.problems[: len(without.value.problems)] == without.value.problems
    assert sorted(named.value.problems[len(without.value.problems) :]) == [
        f"{file}: channels.slack.app_token: the file {tmp_path / 'absent'} can't be read (FileNotFoundError)",
        f"{file}: people.ann.web_token: the environment variable ANN is not set",
        (
            "environment variable MNEME_CHANNELS__TELEGRAM__TOKEN: channels.telegram.token: "
            "the environment variable BOT is not set"
        ),
    ]
