"""Who may talk: people by ids that never change hands, members of allowed groups, and nobody else."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

from channels.messages import ChatKind, InboundMessage, platform_of


class Role(StrEnum):
    """What somebody may command."""

    OWNER = "owner"
    MEMBER = "member"


class GroupPolicy(StrEnum):
    """When a group's messages are meant for us."""

    MENTION = "mention"
    ALL = "all"
    OFF = "off"


class Refusal(StrEnum):
    """Why a message is not taken in."""

    STRANGER = "stranger"
    NOT_ADDRESSED = "not addressed"
    GROUPS_OFF = "groups are off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody we know by name, and their id by platform; a Slack id with or without `T…/` before it."""

    name: str
    role: Role = Role.MEMBER
    ids: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """Taken in: in the name of a person, or (None) of a member of an allowed group."""

    person: str | None
    role: Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Not taken in, and answered with silence."""

    reason: Refusal


Decision = Allowed | Refused

Report = Callable[[InboundMessage, Refusal], None]
"""Hears of each refusal; the message carries the numeric id that an operator would have to allow."""


class Roster(Protocol):
    """Who was let in at run time."""

    def person_of(self, channel: str, sender_id: str) -> Person | None:
        """The person that an operator approved for this id."""


class Access:
    """Decides about every message alike, whatever kind of event brought it; an empty list lets nobody in.

    `groups` and `workspaces` are `<channel>:<id>`: everybody there may talk, as a member of that group.
    `policies` says by channel when a group's message is meant for us; a channel without one goes by mention.
    """

    def __init__(
        self,
        *,
        people: tuple[Person, ...] = (),
        groups: frozenset[str] = frozenset(),
        workspaces: frozenset[str] = frozenset(),
        policies: Mapping[str, GroupPolicy] | None = None,
        roster: Roster | None = None,
        report: Report = lambda _message, _reason: None,
    ) -> None:
        self._people = {
            (channel, number): person for person in people for channel, number in person.ids.items()
        }
        self._groups = groups
        self._workspaces = workspaces
        self._policies = policies or {}
        self._roster = roster
        self._report = report

    def decide(self, message: InboundMessage) -> Decision:
        """Whether this message is taken in, and in whose name."""
        group = message.chat_kind is ChatKind.GROUP
        policy = self._policies.get(message.channel, GroupPolicy.MENTION)
        if group and policy is GroupPolicy.OFF:
            return Refused(reason=Refusal.GROUPS_OFF)
        allowed = self._known(message)
        if allowed is None:
            return Refused(reason=Refusal.STRANGER)
        if group and policy is GroupPolicy.MENTION and not message.addressed:
            return Refused(reason=Refusal.NOT_ADDRESSED)
        return allowed

    def admit(self, message: InboundMessage) -> InboundMessage | None:
        """The message with its person set, or None, reported, for what is not taken in."""
        decision = self.decide(message)
        if isinstance(decision, Refused):
            self._report(message, decision.reason)
            return None
        return replace(message, person=decision.person)

    def _known(self, message: InboundMessage) -> Allowed | None:
        person = self._person(message)
        if person is not None:
            return Allowed(person=person.name, role=person.role)
        platform = platform_of(message.channel)
        in_group = message.chat_kind is ChatKind.GROUP and f"{platform}:{message.chat_id}" in self._groups
        in_workspace = message.workspace is not None and f"{platform}:{message.workspace}" in self._workspaces
        return Allowed(person=None, role=Role.MEMBER) if in_group or in_workspace else None

    def _person(self, message: InboundMessage) -> Person | None:
        platform, sender = platform_of(message.channel), message.sender_id
        in_workspace = self._people.get((platform, f"{message.workspace}/{sender}"))
        anywhere = self._people.get((platform, sender))
        at_run_time = self._roster.person_of(message.channel, sender) if self._roster else None
        return in_workspace or anywhere or at_run_time
