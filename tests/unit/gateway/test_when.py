from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.tools.when import FARTHEST, SHORTEST, When, next_time, read_when

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)  # a Sunday; 13:00 in Berlin
BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN).astimezone(UTC)


@pytest.mark.parametrize(
    ("text", "due", "words"),
    [
        ("20m tea", NOW + timedelta(minutes=20), "tea"),
        ("in 2 hours  call  Ann", NOW + timedelta(hours=2), "call  Ann"),
        ("20m 喝茶", NOW + timedelta(minutes=20), "喝茶"),
        ("2030-05-01 09:00 call Ann", at("2030-05-01 09:00"), "call Ann"),
        ("2030-05-01T9:05 call", at("2030-05-01 09:05"), "call"),
        ("2030-05-01 birthday", at("2030-05-01 09:00"), "birthday"),
        ("18:30 tea", at("2026-03-01 18:30"), "tea"),
        ("at 18:30 tea", at("2026-03-01 18:30"), "tea"),
        ("12:30 lunch", at("2026-03-02 12:30"), "lunch"),
        ("Tomorrow 8:15 run", at("2026-03-02 08:15"), "run"),
        ("tomorrow run", at("2026-03-02 09:00"), "run"),
        ("tomorrow at 8 run", at("2026-03-02 08:00"), "run"),
        ("tomorrow 9 apples", at("2026-03-02 09:00"), "9 apples"),
        ("at 7 pm tea", at("2026-03-01 19:00"), "tea"),
        ("today at 23:10 tea", at("2026-03-01 23:10"), "tea"),
        ("12pm tea", at("2026-03-02 12:00"), "tea"),
        ("12:05 am tea", at("2026-03-02 00:05"), "tea"),
        ("sunday tea", at("2026-03-08 09:00"), "tea"),
        ("on Friday at 6:30pm tea", at("2026-03-06 18:30"), "tea"),
        ("in 3 days at 9:30 call Mom", at("2026-03-04 09:30"), "call Mom"),
        ("in 2 weeks at 6 pm tea", at("2026-03-15 18:00"), "tea"),
        ("in 3 days call Mom", NOW + timedelta(days=3), "call Mom"),
        ("tomorrow at the station", at("2026-03-02 09:00"), "at the station"),
        ("20m everything in 5 boxes", NOW + timedelta(minutes=20), "everything in 5 boxes"),
        ("next monday tea", at("2026-03-02 09:00"), "tea"),
    ],
)
def test_a_time_to_come_is_read_in_the_persons_zone(text: str, due: datetime, words: str) -> None:
    assert read_when(text, now=NOW, zone=BERLIN) == (When(at=due), words)


@pytest.mark.parametrize(
    ("text", "due", "repeats"),
    [
        ("every 2h", NOW + timedelta(hours=2), "every 2h"),
        ("every day 9:00", at("2026-03-02 09:00"), "0 9 * * *"),
        ("every day", at("2026-03-02 09:00"), "0 9 * * *"),
        ("every weekday at 8:30", at("2026-03-02 08:30"), "30 8 * * 1-5"),
        ("every Friday 18:00", at("2026-03-06 18:00"), "0 18 * * 5"),
        ("every wed", at("2026-03-04 09:00"), "0 9 * * 3"),
        ("0 9 * * 1", at("2026-03-02 09:00"), "0 9 * * 1"),
    ],
)
def test_what_repeats_says_when_it_is_due_first(text: str, due: datetime, repeats: str) -> None:
    assert read_when(text, now=NOW, zone=BERLIN) == (When(at=due, repeats=repeats), "")


@pytest.mark.parametrize(
    "text",
    [
        "", "tea", "5 apples", "2020-01-01 09:00 past", "2030-13-01 no month", "every 10s flood",
        "every moon", "9999-12-31 23:59 never", "0001-01-01 00:00 long ago", "off", "in the evening",
        "25:00 tea", "tomorrow at 25:00 tea", "tomorrow 9:75 tea", "13pm tea", "0am tea", "today 9:00 is over", "at 24 tea", "every 400d x", "60 * * * * x",
        "at 12:00 yesterday x", "every day at 9 until friday x", "at 9 on Monday x", "20m every day x",
        "in 99999 days at 9:30 x", "in 3 days at 25:00 x", "at 9:30 in 3 days x",
    ],
)  # fmt: skip
def test_what_names_no_time_to_come_is_refused(text: str) -> None:
    found = read_when(text, now=NOW, zone=BERLIN)

    assert found is None or found[0].at <= NOW


@settings(deadline=None)
@given(st.text(max_size=30) | st.from_regex(r"(every |in |at )?[0-9:\- ]{1,12}[a-z]{0,4}", fullmatch=True))
def test_whatever_is_written_gives_a_time_within_reach_or_none(text: str) -> None:
    found = read_when(text, now=NOW, zone=BERLIN)
    when = found[0] if found is not None else None

    assert when is None or when.at <= NOW + FARTHEST
    if when is not None and when.repeats is not None:
        assert when.at > NOW
        after = next_time(when.repeats, after=when.at, now=when.at, zone=BERLIN)
        assert after is not None
        assert after - when.at >= SHORTEST


def test_a_repeated_one_stays_in_step_and_skips_what_was_missed() -> None:
    in_step = next_time("every 1h", after=NOW, now=NOW + timedelta(seconds=40), zone=BERLIN)
    missed = next_time("every 1h", after=NOW, now=NOW + timedelta(days=1), zone=BERLIN)

    assert in_step == NOW + timedelta(hours=1)
    assert missed == NOW + timedelta(days=1, hours=1)


def test_nine_in_the_morning_stays_nine_when_the_clocks_change() -> None:
    before = at("2026-03-28 09:00")
    after = next_time("0 9 * * *", after=before, now=before, zone=BERLIN)

    assert after == at("2026-03-29 09:00")
    assert after - before == timedelta(hours=23)
