from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.audience import audience_directory, group_audience, person_audience

NAMES = st.text(st.characters(), max_size=40) | st.text("aA:-_.%~/", max_size=8)
STATE = Path("/state")


def test_audiences_read_as_they_are_written_down() -> None:
    assert person_audience("ann") == "person-ann"
    assert group_audience("telegram", "-100200") == "group-telegram--100200"
    assert audience_directory(STATE, "person-ann") == STATE / "memory" / "person-ann"


@given(NAMES, NAMES)
@settings(deadline=None)
def test_two_people_never_share_an_audience(one: str, other: str) -> None:
    assert (person_audience(one) == person_audience(other)) == (one == other)


@given(NAMES, NAMES, NAMES, NAMES)
@settings(deadline=None)
def test_two_groups_never_share_an_audience(channel: str, chat: str, channel2: str, chat2: str) -> None:
    same = group_audience(channel, chat) == group_audience(channel2, chat2)

    assert same == ((channel, chat) == (channel2, chat2))


def test_a_dash_in_a_channel_is_not_the_dash_before_the_chat() -> None:
    assert group_audience("a-b", "c") != group_audience("a", "b-c")


@given(NAMES, NAMES)
@settings(deadline=None)
def test_a_person_is_never_a_group(name: str, chat: str) -> None:
    assert person_audience(name) != group_audience("telegram", chat)


@given(st.text(st.characters(), max_size=400), st.text(st.characters(), max_size=400))
@settings(deadline=None)
def test_every_audience_has_a_directory_of_its_own_inside_the_memory(channel: str, chat: str) -> None:
    for audience in (person_audience(chat), group_audience(channel, chat)):
        directory = audience_directory(STATE, audience)

        assert directory.parent == STATE / "memory"
        assert len(directory.name.encode()) <= 200
        assert directory.name == directory.name.lower()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "shared",
        "person-",
        "person",
        "..",
        "person-/../../etc",
        "person-..\\x",
        "/etc",
        "person-Ann",
        "Person-ann",
        "person-ann\n",
        "person-a\0",
        "person-é",
        "person-\ud800",
        "group-" + "a" * 200,
    ],
)
def test_what_is_no_audience_has_no_directory(text: str) -> None:
    with pytest.raises(ValueError, match="is no audience"):
        audience_directory(STATE, text)
