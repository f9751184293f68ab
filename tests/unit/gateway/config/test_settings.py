"""What settings answer beyond their values, and the file that `init` writes."""

import re
import tomllib
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from gateway.config import Settings, load
from gateway.config.channels import SlackWorkspace
from gateway.config.schema import keys_at
from gateway.config.template import template


def test_without_people_the_implicit_owner_sits_at_the_terminal() -> None:
    assert Settings().owner == "owner"


def test_the_first_owner_sits_at_the_terminal() -> None:
    people = {"bob": {"role": "member"}, "ann": {"role": "owner"}, "cid": {"role": "owner"}}

    assert Settings.model_validate({"people": people}).owner == "ann"


def test_a_persons_zone_comes_before_everybodys() -> None:
    document = {
        "gateway": {"timezone": "Asia/Shanghai"},
        "people": {"ann": {"timezone": "Europe/Berlin"}, "bob": {}},
    }

    settings = Settings.model_validate(document)

    assert settings.zone_of("ann") == ZoneInfo("Europe/Berlin")
    assert (
        settings.zone_of("bob")
        == settings.zone_of()
        == settings.zone_of("nobody")
        == ZoneInfo("Asia/Shanghai")
    )


@pytest.mark.parametrize("named", ["America/Lima", ":America/Lima", "'America/Lima'", '"America/Lima"'])
def test_auto_is_the_zone_of_the_machine(tmp_path: Path, named: str) -> None:
    settings = load(state=tmp_path, environ={"TZ": named})

    assert settings.zone_of() == ZoneInfo("America/Lima")
    assert settings.warnings == ()


@pytest.mark.parametrize(("zone", "warned"), [("auto", True), ("Europe/Berlin", False)])
def test_a_zone_of_the_machine_that_can_not_be_read_is_warned_about(
    tmp_path: Path, zone: str, warned: bool
) -> None:
    (tmp_path / "mneme.toml").write_text(f"gateway.timezone = '{zone}'")

    settings = load(tmp_path / "mneme.toml", environ={"TZ": "Europe/Berlim"})

    assert any('TZ: "Europe/Berlim" names no time zone' in line for line in settings.warnings) is warned


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ({"bot_token": "b", "app_token": "a"}, [""]),
        ({"work": {"bot_token": "b", "app_token": "a"}, "home": {}}, ["work", "home"]),
        ({}, []),
    ],
)
def test_slack_is_one_table_or_one_for_each_workspace(value: dict[str, object], names: list[str]) -> None:
    settings = Settings.model_validate({"channels": {"slack": value}})

    assert list(settings.channels.slack) == names
    assert all(isinstance(entry, SlackWorkspace) for entry in settings.channels.slack.values())


def test_tools_of_a_configured_server_may_be_named() -> None:
    tools = {
        "mcp": {"wiki": {"url": "http://x"}},
        "approve": ["wiki"],
        "member": ["mcp_wiki_read", "wiki.read"],
    }

    assert Settings.model_validate({"tools": tools}).tools.approve == ("wiki",)


def test_the_written_file_holds_the_defaults(tmp_path: Path) -> None:
    file = tmp_path / "mneme.toml"
    file.write_text(template({}))

    assert load(file, environ={}).model_dump() == Settings().model_dump()


def test_every_line_of_the_written_file_may_be_taken_in(tmp_path: Path) -> None:
    file = tmp_path / "mneme.toml"
    text = re.sub(r"^# (?=[a-z_]+ = |\[people)", "", template({}), flags=re.MULTILINE)
    file.write_text(text)

    settings = load(file, environ={})

    assert settings.owner == "ann"
    assert settings.memory == Settings().memory
    assert settings.llm == Settings().llm


def test_every_key_stands_in_the_written_file() -> None:
    text = re.sub(r"^# (?=[a-z_]+ = |\[people)", "", template({}), flags=re.MULTILINE)
    document = tomllib.loads(text)
    document["channels"]["slack"] = {"": document["channels"]["slack"]}

    for path in (["gateway"], ["llm"], ["sessions"], ["memory"], ["channels", "telegram"], ["channels", "slack", ""],
                 ["channels", "web"], ["access"], ["voice"], ["budgets"], ["subagents"]):  # fmt: skip
        table = document
        for part in path:
            table = table[part]
        assert sorted(table) == sorted(keys_at(path))


def test_chosen_values_stand_in_the_written_file(tmp_path: Path) -> None:
    file = tmp_path / "mneme.toml"
    file.write_text(template({"channels.telegram.token": 'file:/a"b', "gateway.state": "/s"}))

    settings = load(file, environ={})

    assert str(settings.channels.telegram.token) == 'file:/a"b'
    assert settings.gateway.state == Path("/s")
