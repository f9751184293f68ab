"""Anchors: the same value in every spelling, and relative dates by when they were said."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.claims.anchors import mentions
from memory.claims.anchors.numerals import chinese_number, english_number
from memory.claims.text import tidy
from tests.bench.planted_chinese import han
from tests.helpers.claims import AT


def values(text: str, *, at: datetime = AT, zone: tzinfo = UTC) -> set[str]:
    return {min(each.reads) for each in mentions(tidy(text), said_at=at, zone=zone)}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,000 people", "n:1000"),
        ("1000 people", "n:1000"),
        ("a thousand people", "n:1000"),
        ("一千个人", "n:1000"),
        ("１０００人", "n:1000"),
        ("twenty-five chairs", "n:25"),
        ("三百五十把椅子", "n:350"),
        ("房租三千五", "n:3500"),
        ("€30", "money EUR:30"),
        ("30 euros", "money EUR:30"),
        ("EUR 30", "money EUR:30"),
        ("三十欧元", "money EUR:30"),
        ("$1.2k", "money USD:1200"),
        ("3万块", "money CNY:30000"),
        ("80%", "%:80"),
        ("百分之八十", "%:80"),
        ("a 5-hour flight", "hour:5"),
        ("12 March 2026", "day:2026-03-12"),
        ("March 12, 2026", "day:2026-03-12"),
        ("2026年3月12日", "day:2026-03-12"),
        ("二零二六年三月十二日", "day:2026-03-12"),
        ("12.03.2026", "day:2026-03-12"),
        ("on 12 March", "day:--03-12"),
        ("三月十二号", "day:--03-12"),
        ("9:30 pm", "time:21:30"),
        ("half past nine in the evening", "time:21:30"),
        ("晚上九点半", "time:21:30"),
        ("下午3点", "time:15:00"),
        ("noon", "time:12:00"),
        ("see https://Example.com/A?b=1.", "link:example.com/A?b=1"),
        ("see www.example.com/A?b=1", "link:example.com/A?b=1"),
        ("in ~/notes/today.md, please", "path:~/notes/today.md"),
        ("at /etc/app/main.conf", "path:/etc/app/main.conf"),
        ("report.pdf", "path:report.pdf"),
        ("write to A.B@example.com", "mail:a.b@example.com"),
        ("+49 170 1234567", "phone:491701234567"),
        ("13812345678", "phone:13812345678"),
        ("ticket OPS-123", "id:OPS-123"),
        ("v1.2.3", "version:1.2.3"),
        ("10.0.3.17", "ip:10.0.3.17"),
        ("commit deadbeef12", "id:deadbeef12"),
        ("123E4567-e89b-12d3-a456-426614174000", "id:123e4567-e89b-12d3-a456-426614174000"),
        ("set max_turns", "id:max_turns"),
        ("the book “Quiet Rivers”", "quote:quiet rivers"),
        ("《小镇来信》", "quote:小镇来信"),
        ("we meet in Berlin", "name:berlin"),
        ("我去北京", "name:北京"),
        ("王老师来了", "name:王老师"),
    ],
)
def test_a_spelling_has_the_value_of_every_other_spelling(text: str, value: str) -> None:
    assert value in values(text)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("today", "2026-03-12"),
        ("tomorrow", "2026-03-13"),
        ("the day after tomorrow", "2026-03-14"),
        ("yesterday", "2026-03-11"),
        ("in 3 days", "2026-03-15"),
        ("two weeks ago", "2026-02-26"),
        ("next Tuesday", "2026-03-17"),
        ("last Friday", "2026-03-06"),
        ("Friday next week", "2026-03-20"),
        ("明天", "2026-03-13"),
        ("后天", "2026-03-14"),
        ("大后天", "2026-03-15"),
        ("昨天", "2026-03-11"),
        ("三天后", "2026-03-15"),
        ("两周前", "2026-02-26"),
        ("下周五", "2026-03-20"),
        ("上周五", "2026-03-06"),
    ],
)
def test_a_relative_date_is_the_day_that_it_was_when_said(text: str, day: str) -> None:
    assert f"day:{day}" in values(text)


def test_tomorrow_is_a_day_where_the_people_are() -> None:
    late = datetime(2026, 3, 12, 20, tzinfo=UTC)

    assert values("tomorrow", at=late, zone=ZoneInfo("Asia/Shanghai")) == {"day:2026-03-14"}


def test_next_tuesday_said_on_a_monday_may_be_either() -> None:
    (found,) = mentions("next Tuesday", said_at=datetime(2026, 3, 9, tzinfo=UTC), zone=UTC)

    assert found.reads == {"day:2026-03-10", "day:2026-03-17"}


def test_a_relative_date_beyond_the_calendar_is_its_own_words() -> None:
    assert values("tomorrow", at=datetime(9999, 12, 31, tzinfo=UTC)) == {"said:tomorrow"}


@pytest.mark.parametrize(
    "text", ["十分好", "万一下雨", "我们一起去", "星期", "一些人", "this one", "one of us"]
)
def test_words_with_a_numeral_in_them_count_nothing(text: str) -> None:
    assert not [each for each in mentions(tidy(text), said_at=AT, zone=UTC) if each.firm]


@settings(deadline=None, max_examples=100)
@given(st.integers(min_value=0, max_value=9_999))
def test_chinese_numerals_are_read_as_they_are_written(number: int) -> None:
    assert chinese_number(han(number)) == number


def test_english_number_words_are_summed() -> None:
    assert english_number("two thousand three hundred and fifty-one") == 2351


@settings(deadline=None, max_examples=80)
@given(st.text(max_size=80))
def test_any_text_has_anchors_within_it(text: str) -> None:
    written = tidy(text)

    for mention in mentions(written, said_at=AT, zone=UTC):
        assert 0 <= mention.start < mention.end <= len(written)
        assert mention.reads


@settings(deadline=None, max_examples=80)
@given(
    st.lists(
        st.sampled_from(
            [
                "3",
                "月",
                "12",
                "日",
                "年",
                "点",
                "周",
                "五",
                "下",
                ":",
                ".",
                " ",
                "-",
                "/",
                "万",
                "in ",
                "on ",
                "days ",
                "9",
                "pm",
                "00",
            ]
        ),
        max_size=14,
    ).map("".join)
)
def test_pieces_of_dates_and_numbers_in_any_order_raise_nothing(text: str) -> None:
    assert isinstance(values(text), set)


def test_the_last_days_of_the_calendar_raise_nothing() -> None:
    end = datetime(9999, 12, 31, tzinfo=UTC)

    assert isinstance(values("tomorrow, on the 5th, in 9999 years, next week, 下周五, 三个月后", at=end), set)
