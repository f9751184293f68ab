"""Times that a query names."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from memory.archive.dates import Span, closeness, days_told, spans

NOW = datetime(2024, 9, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("what did I do on May 2?", date(2024, 5, 2), date(2024, 5, 2)),
        ("on the 2nd of May, 2022", date(2022, 5, 2), date(2022, 5, 2)),
        ("since 2023-02-28", date(2023, 2, 28), date(2023, 2, 28)),
        ("in July", date(2024, 7, 1), date(2024, 7, 31)),
        ("in December", date(2023, 12, 1), date(2023, 12, 31)),
        ("5月2日我去了哪里", date(2024, 5, 2), date(2024, 5, 2)),
        ("2023年2月", date(2023, 2, 1), date(2023, 2, 28)),
        ("yesterday", date(2024, 9, 19), date(2024, 9, 19)),
        ("前天", date(2024, 9, 18), date(2024, 9, 18)),
        ("two days ago", date(2024, 9, 18), date(2024, 9, 18)),
        ("one year ago", date(2023, 7, 10), date(2023, 12, 3)),
        ("三天前", date(2024, 9, 17), date(2024, 9, 17)),
        ("五月二十三号", date(2024, 5, 23), date(2024, 5, 23)),
        ("十二月", date(2023, 12, 1), date(2023, 12, 31)),
        ("十月十日", date(2023, 10, 10), date(2023, 10, 10)),
        ("what did we say last Friday", date(2024, 9, 13), date(2024, 9, 13)),
        ("last Wednesday", date(2024, 9, 18), date(2024, 9, 18)),
        ("上周三我们聊了什么", date(2024, 9, 11), date(2024, 9, 11)),
        ("上个星期天", date(2024, 9, 15), date(2024, 9, 15)),
        ("上上周三去了哪里", date(2024, 9, 4), date(2024, 9, 4)),
        ("上上周", date(2024, 9, 2), date(2024, 9, 10)),
        ("上上个月", date(2024, 7, 2), date(2024, 8, 11)),
        ("上周末去了哪里", date(2024, 9, 11), date(2024, 9, 19)),
        ("last week, as told on May 2", date(2024, 5, 2), date(2024, 5, 2)),
    ],
)
def test_a_named_time_is_understood(query: str, first: date, last: date) -> None:
    assert spans(query, now=NOW) == [Span(first=first, last=last)]


@pytest.mark.parametrize(
    "query",
    [
        "may I ask something",
        "the march of time",
        "30 February",
        "13月45日",
        "at 5 o'clock",
        "meet me on Friday",
        "周五见",
    ],
)
def test_what_is_no_time_gives_none(query: str) -> None:
    assert spans(query, now=NOW) == []


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Yesterday we went bowling", {date(2024, 9, 19)}),
        ("昨天去打了保龄球", {date(2024, 9, 19)}),
        ("Twisted my knee last Friday", {date(2024, 9, 13)}),
        ("The dentist is on 12 October", {date(2024, 10, 12)}),
        ("We flew on 12 May and come back tomorrow", {date(2024, 5, 12), date(2024, 9, 21)}),
        ("后天出发", {date(2024, 9, 22)}),
        ("on 12 May 2019", {date(2019, 5, 12)}),
        ("nothing new today", set()),
        ("last month was long", set()),
        (" ".join(f"2024-01-{day:02} ok" for day in range(1, 32)), set()),
        ("x" * 3000 + " yesterday", set()),
    ],
)
def test_a_message_tells_of_single_days_other_than_its_own(text: str, days: set[date]) -> None:
    assert days_told(text, at=NOW) == days


def test_a_message_of_the_day_fits_best_and_one_near_it_less() -> None:
    day = spans("on May 2", now=NOW)
    fits = [
        closeness(int(datetime(2024, 5, at, tzinfo=UTC).timestamp()), named=day, now=NOW) for at in (2, 4, 12)
    ]

    assert fits[0] == 1.0
    assert 0 < fits[1] < 1
    assert fits[2] == 0.0


def test_the_day_is_that_of_the_one_who_asks() -> None:
    tokyo = NOW.astimezone(timezone(timedelta(hours=9)))
    late = int(datetime(2024, 5, 1, 20, tzinfo=UTC).timestamp())

    assert closeness(late, named=spans("on May 2", now=tokyo), now=tokyo) == 1.0
