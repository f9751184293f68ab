from dataclasses import replace
from datetime import UTC, datetime

import pytest

from channels.access import Access, Allowed, GroupPolicy, Person, Refusal, Refused, Role
from channels.messages import ChatKind, InboundMessage

ANN = Person(name="ann", role=Role.OWNER, ids={"telegram": "1001", "slack": "T1/U01"})
DIRECT = InboundMessage(
    id="telegram:1001/1",
    channel="telegram",
    chat_id="1001",
    sender_id="1001",
    sender_name="ann",
    text="hi",
    received_at=datetime(2026, 1, 1, tzinfo=UTC),
)
IN_GROUP = replace(DIRECT, chat_id="-100", chat_kind=ChatKind.GROUP, addressed=False)


class OnePaired:
    """A roster with one person on it."""

    def person_of(self, channel: str, sender_id: str) -> Person | None:
        return Person(name="bo") if (channel, sender_id) == ("telegram", "1002") else None


def test_an_empty_list_lets_nobody_in() -> None:
    assert Access().decide(DIRECT) == Refused(reason=Refusal.STRANGER)


def test_a_person_is_known_by_id_and_comes_in_with_name_and_role() -> None:
    assert Access(people=(ANN,)).decide(DIRECT) == Allowed(person="ann", role=Role.OWNER)


def test_a_name_that_changed_hands_opens_nothing() -> None:
    impostor = replace(DIRECT, sender_id="666", sender_name="ann")
    by_name = Person(name="ann", ids={"telegram": "ann"})

    assert Access(people=(ANN, by_name)).decide(impostor) == Refused(reason=Refusal.STRANGER)


def test_an_id_counts_on_its_own_channel_alone() -> None:
    assert Access(people=(ANN,)).decide(replace(DIRECT, channel="slack")) == Refused(reason=Refusal.STRANGER)


@pytest.mark.parametrize(("workspace", "known"), [("T1", True), ("T2", False)])
def test_an_id_with_a_workspace_counts_in_that_workspace(workspace: str, *, known: bool) -> None:
    message = replace(DIRECT, channel="slack", sender_id="U01", workspace=workspace)

    assert isinstance(Access(people=(ANN,)).decide(message), Allowed) is known


@pytest.mark.parametrize(
    "message",
    [
        DIRECT,
        replace(DIRECT, edit_of="telegram:1001/0"),
        replace(DIRECT, id="telegram:1001/press/q"),
        replace(DIRECT, chat_kind=ChatKind.GROUP, chat_id="-100"),
    ],
)
def test_a_stranger_is_refused_whatever_event_brings_the_message(message: InboundMessage) -> None:
    refusals: list[tuple[str, Refusal]] = []
    access = Access(
        people=(ANN,), report=lambda refused, reason: refusals.append((refused.sender_id, reason))
    )

    assert access.admit(replace(message, sender_id="666")) is None
    assert refusals == [("666", Refusal.STRANGER)]


@pytest.mark.parametrize(
    ("policy", "addressed", "taken"),
    [
        (GroupPolicy.MENTION, True, True),
        (GroupPolicy.MENTION, False, False),
        (GroupPolicy.ALL, False, True),
        (GroupPolicy.OFF, True, False),
    ],
)
def test_the_group_policy_says_what_in_a_group_is_for_us(
    policy: GroupPolicy, *, addressed: bool, taken: bool
) -> None:
    access = Access(people=(ANN,), policies={"telegram": policy})

    assert (access.admit(replace(IN_GROUP, addressed=addressed)) is not None) is taken


def test_an_allowed_group_lets_its_members_in_without_a_name() -> None:
    access = Access(
        people=(ANN,), groups=frozenset({"telegram:-100"}), policies={"telegram": GroupPolicy.ALL}
    )

    assert access.decide(replace(IN_GROUP, sender_id="5")) == Allowed(person=None, role=Role.MEMBER)
    assert access.decide(replace(IN_GROUP, sender_id="5", chat_id="-200")) == Refused(reason=Refusal.STRANGER)
    assert access.decide(IN_GROUP) == Allowed(person="ann", role=Role.OWNER)


def test_an_allowed_group_opens_no_direct_chat() -> None:
    access = Access(groups=frozenset({"telegram:1001"}))

    assert access.decide(DIRECT) == Refused(reason=Refusal.STRANGER)


def test_an_allowed_workspace_lets_its_members_in() -> None:
    access = Access(workspaces=frozenset({"slack:T1"}))
    message = replace(DIRECT, channel="slack", sender_id="U9", workspace="T1")

    assert access.decide(message) == Allowed(person=None, role=Role.MEMBER)


def test_who_was_paired_at_run_time_is_known() -> None:
    access = Access(roster=OnePaired())
    admitted = access.admit(replace(DIRECT, sender_id="1002"))

    assert admitted is not None
    assert admitted.person == "bo"
