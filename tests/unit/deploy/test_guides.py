"""The guides say what holds: their configurations load, their links lead somewhere, their names exist."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from gateway.config import load
from gateway.config.schema import keys_at
from tests.helpers.units import ROOT

GUIDES = sorted([ROOT / "README.md", *ROOT.glob("deploy/*.md"), *ROOT.glob("docs/*.md")])
CHANNELS = (ROOT / "channels" / "README.md").read_text(encoding="utf-8")

each_guide = pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.name)


def blocks(guide: Path, language: str) -> list[str]:
    """The fenced blocks of one language."""
    return re.findall(
        rf"^ *```{language}\n(.*?)^ *```", guide.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )


@each_guide
def test_every_configuration_shown_is_one(guide: Path, tmp_path: Path) -> None:
    for number, block in enumerate(blocks(guide, "toml")):
        file = tmp_path / f"{number}.toml"
        file.write_text(block, encoding="utf-8")

        assert load(file, environ={}).source == file


@each_guide
def test_every_setting_named_in_a_sentence_exists(guide: Path) -> None:
    tables = "|".join(keys_at([]))
    named = re.findall(rf"`((?:{tables})(?:\.[a-z_]+)+)", guide.read_text(encoding="utf-8"))
    unknown = [name for name in named if not _exists(name.split("."))]

    assert unknown == []


def _exists(path: list[str]) -> bool:
    keys = keys_at(path[:-1])
    return path[-1] in keys if keys else bool(keys_at([]))


@each_guide
def test_every_link_leads_to_a_file_and_a_heading_of_it(guide: Path) -> None:
    lost = [target for target in _links(guide) if not _leads_somewhere(guide, target)]

    assert lost == []


def _links(guide: Path) -> list[str]:
    targets = re.findall(r"\]\(([^)\s]+)\)", guide.read_text(encoding="utf-8"))
    return [target for target in targets if "://" not in target]


def _leads_somewhere(guide: Path, target: str) -> bool:
    name, _, heading = target.partition("#")
    file = guide.parent / name if name else guide
    if not file.exists():
        return False
    headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return not heading or heading in {
        re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in headings
    }


def test_the_manifest_of_slack_asks_for_what_the_channel_uses() -> None:
    [block] = blocks(ROOT / "deploy" / "slack.md", "yaml")
    manifest = yaml.safe_load(block)
    needs = CHANNELS[CHANNELS.index("The app needs the scopes") :]
    words = set(re.findall(r"`([^`]+)`", needs)) - {"connections:write"}
    scopes, events = manifest["oauth_config"]["scopes"]["bot"], manifest["settings"]["event_subscriptions"]

    assert {*scopes, *events["bot_events"]} == words
    assert manifest["settings"]["socket_mode_enabled"] is True
    assert manifest["settings"]["interactivity"]["is_enabled"] is True


def test_the_guide_shows_the_configuration_that_systemd_starts_with() -> None:
    unit = (ROOT / "deploy" / "mneme.service").read_text(encoding="utf-8")
    guide = (ROOT / "deploy" / "README.md").read_text(encoding="utf-8")

    assert "--config /etc/mneme/mneme.toml" in unit
    assert "--config /etc/mneme/mneme.toml --state /var/lib/mneme" in guide


def test_every_block_of_toml_is_toml() -> None:
    found = [tomllib.loads(block) for guide in GUIDES for block in blocks(guide, "toml")]

    assert len(found) > 1
