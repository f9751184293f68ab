"""`mneme jobs` as a shell sees it."""

import json
from collections.abc import Callable

import pytest

from gateway.journal.names import short_id
from tests.helpers.command_line import Mneme


@pytest.fixture
def reminder(mneme: Mneme) -> str:
    """The whole id of a reminder that was made in a chat."""
    mneme("chat", "-m", "/remind 2040-05-01 09:00 tea")
    [job] = json.loads(mneme("jobs", "list", "--json").stdout)["jobs"]
    return str(job["id"])


def test_a_job_is_listed_by_the_id_that_the_chat_shows_and_at_the_reader_s_time(
    mneme: Mneme, reminder: str
) -> None:
    listed = mneme("jobs", "list", TZ="Asia/Tokyo")

    assert listed.stdout == (f"{short_id(reminder)}\treminder\tterminal:main\ttodo\t2040-05-01 18:00\ttea\n")


@pytest.mark.parametrize("shown", [str, short_id])
def test_a_job_is_shown_and_cancelled_by_either_id(
    mneme: Mneme, reminder: str, shown: Callable[[str], str]
) -> None:
    told = mneme("jobs", "show", shown(reminder), TZ="Asia/Tokyo")
    ended = mneme("jobs", "cancel", shown(reminder))
    left = mneme("jobs", "list")

    assert f"id: {reminder}\n" in told.stdout
    assert "next_at: 2040-05-01 18:00\n" in told.stdout
    assert (ended.stdout, left.stdout) == (f"cancelled {shown(reminder)}\n", "")
