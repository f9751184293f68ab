"""The sections `people` and `access`: who may talk."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from channels.access import Role
from gateway.config.secret import Secret
from gateway.config.section import Section
from gateway.config.values import Amount, Name, OneOrMany, Strings, Zone, refuse

_TELEGRAM_ID = re.compile(r"[1-9]\d*")
_SLACK_ID = re.compile(r"([A-Z0-9]+[/:])?[A-Z][A-Z0-9]*")
_PLATFORMS = ("telegram", "slack")


def _telegram_ids(value: tuple[str, ...]) -> tuple[str, ...]:
    if not all(_TELEGRAM_ID.fullmatch(identity) for identity in value):
        raise refuse("Telegram's number of the person, not a username, which can change hands")
    return value


def _slack_ids(value: tuple[str, ...]) -> tuple[str, ...]:
    if not all(_SLACK_ID.fullmatch(identity) for identity in value):
        raise refuse("Slack's member id such as U01ABC, not a username, which can change hands")
    return value


class Person(Section):
    """One person, one audience, on every channel."""

    telegram: Annotated[OneOrMany, AfterValidator(_telegram_ids)] = ()
    slack: Annotated[OneOrMany, AfterValidator(_slack_ids)] = ()
    web: OneOrMany = Field(default=(), description="names of web sessions that are this person's")
    web_token: Secret = Secret()
    role: Annotated[Role, Field(strict=False)] = Field(default=Role.MEMBER, description="owner | member")
    timezone: Zone = "auto"

    def identities(self) -> list[tuple[str, str]]:
        """(channel, id) of each place where this person is known."""
        return [
            *(("telegram", identity) for identity in self.telegram),
            *(("slack", identity) for identity in self.slack),
            *(("web", name) for name in self.web),
        ]


def _distinct(people: dict[str, Person]) -> dict[str, Person]:
    """One identity, one token and one spelling belong to one person: audiences must not mix."""
    owner: dict[object, str] = {}
    for name, person in people.items():
        marks: list[Any] = [*person.identities(), ("name", name.casefold())]
        marks += [person.web_token] if person.web_token else []
        for mark in marks:
            other = owner.setdefault(mark, name)
            if other != name:
                what = "web_token" if isinstance(mark, Secret) else " ".join(mark)
                raise refuse(f"{what} at one person alone; it is {other}'s already", key=name)
    return people


People = Annotated[dict[Name, Person], AfterValidator(_distinct)]


def _groups(value: tuple[str, ...]) -> tuple[str, ...]:
    for entry in value:
        channel, _, chat = entry.partition(":")
        if channel not in _PLATFORMS or not chat:
            raise refuse('"telegram:<chat id>" or "slack:<channel id>" for each')
    return value


class Access(Section):
    """Who else may talk."""

    groups: Annotated[Strings, AfterValidator(_groups)] = Field(
        default=(), description="everybody there may talk to the bot, as a member of that group"
    )
    workspaces: Strings = Field(default=(), description="likewise a whole Slack workspace")
    messages_per_minute: Amount = Field(
        default=20, description="per person on chat platforms; not the terminal"
    )
    pairing: bool = Field(
        default=True, description="a stranger's direct message is answered with a pairing code"
    )
