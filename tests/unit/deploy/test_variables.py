"""The example of an environment file names every variable, with the value that holds without it."""

import re
import shlex
from collections.abc import Iterator, Mapping

from pydantic import BaseModel

from gateway.config import Settings, load
from gateway.config.channels import SlackWorkspace
from gateway.config.people import Person
from tests.helpers.units import ROOT

LINES = (ROOT / "deploy" / "env.example").read_text(encoding="utf-8").splitlines()
VARIABLES = {
    name: value
    for name, _, value in (
        line.removeprefix("#").partition("=") for line in LINES if re.match(r"#[A-Z]", line)
    )
}
OVERRIDES = {name for name in VARIABLES if name.startswith("MNEME_") and "__" in name}
_IN_TABLES: Mapping[str, type[BaseModel]] = {
    "MNEME_PEOPLE": Person,
    "MNEME_CHANNELS__SLACK": SlackWorkspace,
}
_IN_USE = {"people", "channels"}
"""Shown as they are used, not with their defaults: by default there are none."""


def names_of(model: type[BaseModel], path: str = "MNEME_") -> Iterator[str]:
    """The variable of every setting below a table."""
    for key, field in model.model_fields.items():
        name = path + key.upper()
        kind = _IN_TABLES.get(name, field.annotation)
        name += "__YOU" if kind is Person else ""
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from names_of(kind, f"{name}__")
        else:
            yield name


def test_every_setting_has_its_line_and_no_line_lacks_its_setting() -> None:
    assert set(names_of(Settings)) == OVERRIDES


def test_nothing_is_set_and_nothing_is_named_twice() -> None:
    named = [line.partition("=")[0] for line in LINES if re.match(r"#[A-Z]", line)]

    assert all(line.startswith("#") or not line for line in LINES)
    assert len(named) == len(set(named))


def test_the_values_shown_are_the_defaults() -> None:
    shown = {
        name: "".join(shlex.split(value)) if value[:1] == "'" else value for name, value in VARIABLES.items()
    }
    of_file = {name: value for name, value in shown.items() if name in OVERRIDES and not _is_in_use(name)}
    settings, defaults = load(environ=of_file), load(environ={})

    assert settings.model_dump() == defaults.model_dump()
    assert settings.warnings == ()


def test_lists_are_quoted_so_that_systemd_and_compose_read_them_alike() -> None:
    assert all(value[:1] not in "[{" or not value for value in VARIABLES.values())


def test_the_lines_that_most_need_make_a_working_configuration() -> None:
    filled = {
        name: {"MNEME_PEOPLE__YOU__TELEGRAM": "1001", "MNEME_PEOPLE__YOU__SLACK": "U01ABC"}.get(name, value)
        or "a-value"
        for name, value in list(VARIABLES.items())[: list(VARIABLES).index("MNEME_CONFIG")]
        if name != "OPENAI_BASE_URL"
    }
    settings = load(environ=filled)

    assert settings.warnings == ()
    assert settings.missing_secrets() == []
    assert (settings.owner, settings.people["you"].telegram) == ("you", ("1001",))


def _is_in_use(name: str) -> bool:
    return name.removeprefix("MNEME_").split("__")[0].lower() in _IN_USE
