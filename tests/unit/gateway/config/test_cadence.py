"""How often something falls due."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.config import parse_cadence

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("every 2h", timedelta(hours=2)),
        ("Every  30 minutes", timedelta(minutes=30)),
        ("every hour", timedelta(hours=1)),
        ("every 1 day", timedelta(days=1)),
        ("every 90s", timedelta(seconds=90)),
    ],
)
def test_a_step_is_read(text: str, step: timedelta) -> None:
    cadence = parse_cadence(text)

    assert cadence is not None
    assert cadence.step == step


@pytest.mark.parametrize(
    "text",
    [
        "",
        "every",
        "every 0h",
        "every -2h",
        "every 2 fortnights",
        "every 400 days",
        "* * * *",
        "99 * * * *",
        "0 0 30 2 *",
        "hourly",
    ],
)
def test_nonsense_is_refused(text: str) -> None:
    assert parse_cadence(text) is None


def test_off_is_never_due() -> None:
    cadence = parse_cadence("off")

    assert cadence is not None
    assert cadence.next_after(datetime(2026, 1, 1, tzinfo=UTC), zone=BERLIN) is None


def test_a_cron_expression_is_read_in_the_persons_zone() -> None:
    cadence = parse_cadence("0 4 * * *")

    assert cadence is not None
    assert cadence.next_after(datetime(2026, 7, 1, tzinfo=UTC), zone=BERLIN) == datetime(
        2026, 7, 1, 2, tzinfo=UTC
    )


def test_a_day_with_a_clock_change_has_one_due_time() -> None:
    cadence = parse_cadence("30 2 * * *")
    assert cadence is not None
    moment: datetime | None = datetime(2026, 10, 24, 12, tzinfo=UTC)
    due = []
    for _ in range(3):
        assert moment is not None
        moment = cadence.next_after(moment, zone=BERLIN)
        due.append(moment)

    assert len({entry.astimezone(BERLIN).date() for entry in due if entry}) == 3


_moments = st.integers(0, 600_000_000).map(
    lambda seconds: datetime(2020, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
)


def test_a_schedule_of_every_hour_goes_on_through_a_clock_change() -> None:
    cadence = parse_cadence("*/30 * * * *")

    assert cadence is not None
    assert cadence.next_after(datetime(2026, 10, 25, 1, 10, tzinfo=UTC), zone=BERLIN) == datetime(
        2026, 10, 25, 1, 30, tzinfo=UTC
    )


def test_an_hour_that_is_skipped_is_made_up_for() -> None:
    cadence = parse_cadence("30 2 * * *")

    assert cadence is not None
    assert cadence.next_after(datetime(2026, 3, 28, 12, tzinfo=UTC), zone=BERLIN) == datetime(
        2026, 3, 29, 1, 30, tzinfo=UTC
    )


@given(
    moment=_moments,
    text=st.sampled_from(["every 7m", "*/5 * * * *", "0 4 * * 1", "30 2 * * *", "59 23 31 12 *"]),
)
@settings(deadline=None, max_examples=60)
def test_the_next_time_is_always_later_and_in_utc(moment: datetime, text: str) -> None:
    cadence = parse_cadence(text)
    assert cadence is not None

    due = cadence.next_after(moment, zone=BERLIN)

    assert due is not None
    assert due > moment
    assert due.tzinfo is UTC
