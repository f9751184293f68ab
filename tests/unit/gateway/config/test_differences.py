from pathlib import Path

from gateway.config import Settings, load
from gateway.config.differences import differing


def settings(tmp_path: Path, toml: str) -> Settings:
    (tmp_path / "mneme.toml").write_text(toml)
    return load(state=tmp_path, environ={})


SLACK = '[channels.slack.{0}]\nbot_token = "env:A"\napp_token = "env:B"\ngroups = "{1}"\n'


def test_the_same_file_read_twice_differs_in_nothing(tmp_path: Path) -> None:
    toml = SLACK.format("a", "all") + '[people.ann]\ntelegram = "1"\nweb_token = "env:C"\n'

    assert list(differing(settings(tmp_path, toml), settings(tmp_path, toml))) == []


def test_a_value_is_named_by_its_key_and_a_table_that_came_or_went_as_one(tmp_path: Path) -> None:
    before = settings(tmp_path, SLACK.format("a", "all") + '[people.ann]\ntelegram = "1"\n')
    after = settings(tmp_path, SLACK.format("a", "off") + SLACK.format("b", "off") + "[llm]\ntimeout = 3\n")

    assert list(differing(before, after)) == [
        "channels.slack.a.groups",
        "channels.slack.b",
        "llm.timeout",
        "people.ann",
    ]


def test_the_only_workspace_has_no_name(tmp_path: Path) -> None:
    one = SLACK.replace(".{0}", "")

    assert list(
        differing(settings(tmp_path, one.format("", "all")), settings(tmp_path, one.format("", "off")))
    ) == ["channels.slack.groups"]
