"""Who may talk, what they may command, and who may see what is said: read off the configuration."""

from functools import cache
from zoneinfo import ZoneInfo

import structlog

from channels.access import Access, Allowed, Person, Refusal, Role, Roster
from channels.messages import ChatKind, InboundMessage
from gateway.config import Settings
from gateway.pairing.approvals import Approvals
from memory.audience import group_audience, person_audience

log = structlog.get_logger(__name__)


class HouseRules:
    """What the configuration says of people; whoever asks is answered by the one that was read last."""

    def __init__(self, settings: Settings, roster: Roster) -> None:
        self._roster = roster
        self.reload(settings)

    def reload(self, settings: Settings) -> None:
        """Go by this configuration from now on."""
        self._access = access_for(settings, self._roster)
        self._zone_of = cache(settings.zone_of)
        self._names = {person_audience(name): name for name in settings.people}

    def admit(self, message: InboundMessage) -> InboundMessage | None:
        """The message with its person set, or None, reported, for what is not taken in."""
        return self._access.admit(message)

    def admits(self, message: InboundMessage) -> bool:
        """Whether the message would be taken in; nothing is reported."""
        return isinstance(self._access.decide(message), Allowed)

    def zone_of(self, person: str | None) -> ZoneInfo:
        """The time zone of a person, or of everybody who has none of their own."""
        return self._zone_of(person)

    def zone_of_audience(self, audience: str) -> ZoneInfo:
        """The time zone in which the words of an audience are read: a person's own, else the configured one."""
        return self._zone_of(self._names.get(audience))


def access_for(settings: Settings, roster: Roster | None = None) -> Access:
    """Who may talk: the configured, and those on the roster; the terminal and loopback are the owner's."""
    owner = settings.person_here
    people = [Person(name=owner, role=Role.OWNER, ids=_at_this_machine(owner))]
    workspaces = {slack_channel(name): workspace for name, workspace in settings.channels.slack.items()}
    for name, person in settings.people.items():
        ids = [("web", name), *(("telegram", number) for number in person.telegram)]
        ids += [(channel, member) for channel in workspaces or ["slack"] for member in person.slack]
        people += [Person(name=name, role=person.role, ids={channel: number}) for channel, number in ids]
    policies = {"telegram": settings.channels.telegram.groups}
    policies |= {channel: workspace.groups for channel, workspace in workspaces.items()}
    return Access(
        people=tuple(people),
        groups=frozenset(settings.access.groups),
        workspaces=frozenset(settings.access.workspaces),
        policies=policies,
        roster=roster,
        report=_report_refusal,
    )


def _at_this_machine(owner: str) -> dict[str, str]:
    """The owner's ids where no platform gives one; on the web, a visitor's token has named the person already."""
    return {"terminal": "terminal", "loopback": owner, "web": owner}


def slack_channel(workspace: str) -> str:
    """The channel name of a Slack workspace: `slack`, or `slack-NAME` for one of several."""
    return f"slack-{workspace}" if workspace else "slack"


def _report_refusal(message: InboundMessage, reason: Refusal) -> None:
    """The operator reads here which id to allow; the stranger meets silence (P15)."""
    if reason is Refusal.STRANGER:
        log.warning(
            "stranger_refused", channel=message.channel, sender=message.sender_id, chat=message.chat_id
        )


def roles_of(settings: Settings) -> dict[str, str]:
    """The people of the configuration, by name, with their roles; somebody is always at the terminal."""
    people = {name: str(person.role) for name, person in settings.people.items()}
    return {settings.person_here: "owner", **people}


def role_of(approvals: Approvals, message: InboundMessage) -> str:
    """What the person behind a message may command."""
    return (message.person and approvals.role_of(message.person)) or "member"


def audience_of(message: InboundMessage) -> str:
    """Who may see what is said here: the person behind a direct chat, or the group."""
    if message.chat_kind is ChatKind.GROUP or message.person is None:
        return group_audience(message.channel, message.chat_id)
    return person_audience(message.person)
