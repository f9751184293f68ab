"""Every setting, typed and frozen: the one object through which the house knows its configuration."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, Field, PrivateAttr

from channels.access import Role
from gateway.config.channels import Channels
from gateway.config.origins import origin
from gateway.config.people import Access, People
from gateway.config.secret import Secret
from gateway.config.section import Section
from gateway.config.sections import Budgets, Gateway, Llm, Memory, Sessions, Subagents, Voice, may_be_missing
from gateway.config.tools import Tools

IMPLICIT_OWNER = "owner"
"""The person at the terminal and on loopback where no people are configured."""


class Settings(Section):
    """The whole configuration. `load` makes one; `Settings()` holds the defaults."""

    gateway: Gateway = Gateway()
    llm: Llm = Llm()
    sessions: Sessions = Sessions()
    memory: Memory = Memory()
    people: People = Field(default={})
    channels: Channels = Channels()
    access: Access = Access()
    tools: Tools = Tools()
    voice: Voice = Voice()
    budgets: Budgets = Budgets()
    subagents: Subagents = Subagents()

    _source: Path | None = PrivateAttr(None)
    _warnings: tuple[str, ...] = PrivateAttr(())
    _environ: Mapping[str, str] = PrivateAttr({})
    _origins: Mapping[tuple[str, ...], str] = PrivateAttr({})
    """Which variable of the environment set what."""

    @property
    def source(self) -> Path | None:
        """The file it was read from, or None where there is none."""
        return self._source

    @property
    def warnings(self) -> tuple[str, ...]:
        """What works and should be changed all the same; `doctor` prints them."""
        return self._warnings

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment it was read with, for what is no setting: where logs go, which keys are at hand."""
        return self._environ

    @property
    def owner(self) -> str | None:
        """The person at the terminal and on loopback: the first owner, or the implicit one."""
        if not self.people:
            return IMPLICIT_OWNER
        return next((name for name, person in self.people.items() if person.role is Role.OWNER), None)

    @property
    def person_here(self) -> str:
        """Whom the terminal and loopback stand for, also where people are configured and none of them is an owner."""
        return self.owner or IMPLICIT_OWNER

    @property
    def zone_here(self) -> ZoneInfo:
        """The time zone of whoever sits at this machine."""
        return self.zone_of(self.person_here)

    def zone_of(self, person: str | None = None) -> ZoneInfo:
        """The time zone of a person, or of everybody who has none of their own."""
        chosen = self.people[person].timezone if person in self.people else "auto"
        if chosen == "auto":
            chosen = self.gateway.timezone
        return _local_zone(self._environ) if chosen == "auto" else ZoneInfo(chosen)

    def secrets(self) -> Iterator[tuple[str, Secret]]:
        """(key path, secret) of every secret that is written somewhere."""
        return _secrets_in(self, "")

    def secret_values(self) -> frozenset[str]:
        """What must never be printed, as far as it can be read now."""
        return frozenset(value for _, secret in self.secrets() if (value := secret.reveal_if_there()))

    def missing_secrets(self) -> list[str]:
        """One line for each secret that is in use and can't be read."""
        return [
            f"{origin(path.split('.'), file=self._source, origins=self._origins)}: {path}: {problem}"
            for path, secret in self.secrets()
            if (problem := secret.problem()) and not may_be_missing(path, secret)
        ]


def _secrets_in(value: object, path: str) -> Iterator[tuple[str, Secret]]:
    if isinstance(value, Secret) and value:
        yield path, value
    for key, entry in _entries(value):
        yield from _secrets_in(entry, f"{path}.{key}" if path and key else path or key)


def _entries(value: object) -> list[tuple[str, object]]:
    if isinstance(value, BaseModel):
        return [(key, getattr(value, key)) for key in type(value).model_fields]
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, tuple):
        return [(str(place), entry) for place, entry in enumerate(value)]
    return []


def unread_zone(environ: Mapping[str, str]) -> str:
    """What TZ holds where that names no time zone; "" where it does, or is a file of the system's."""
    named = _zone_in(environ)
    return named if named and not named.startswith("/") and _zone(named) is None else ""


def _local_zone(environ: Mapping[str, str]) -> ZoneInfo:
    """The machine's zone: TZ, else the target of /etc/localtime, else UTC."""
    try:
        target = str(Path("/etc/localtime").resolve(strict=True))
    except OSError:
        target = ""
    names = (_zone_in(environ), target.partition("zoneinfo/")[2])
    return next(filter(None, map(_zone, names)), ZoneInfo("UTC"))


def _zone_in(environ: Mapping[str, str]) -> str:
    """TZ without the quotes that a container's environment file leaves around a value."""
    return environ.get("TZ", "").strip(" \"'").removeprefix(":")


def _zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
