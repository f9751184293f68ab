from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.tools.when import FARTHEST, When, read_when, shown_when
from gateway.tools.when_chinese import read_chinese

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 4, 6, tzinfo=UTC)  # a Wednesday; 14:00 in Shanghai


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=SHANGHAI).astimezone(UTC)


@pytest.mark.parametrize(
    ("text", "due", "words"),
    [
        ("三分钟后 喝茶", NOW + timedelta(minutes=3), "喝茶"),
        ("三分钟后喝茶", NOW + timedelta(minutes=3), "喝茶"),
        ("20分钟以后，关火", NOW + timedelta(minutes=20), "关火"),
        ("过二十五分钟后叫我", NOW + timedelta(minutes=25), "叫我"),
        ("半小时后开会", NOW + timedelta(minutes=30), "开会"),
        ("一个半小时后开会", NOW + timedelta(minutes=90), "开会"),
        ("两个小时之后 打电话", NOW + timedelta(hours=2), "打电话"),
        ("三刻钟后走", NOW + timedelta(minutes=45), "走"),
        ("10分钟 喝茶", NOW + timedelta(minutes=10), "喝茶"),
        ("三天后交作业", NOW + timedelta(days=3), "交作业"),
        ("两周后复查", NOW + timedelta(days=14), "复查"),
        ("明天下午三点 开会", at("2026-03-05 15:00"), "开会"),
        ("明天下午三点开会", at("2026-03-05 15:00"), "开会"),
        ("明天开会", at("2026-03-05 09:00"), "开会"),
        ("后天早上八点半跑步", at("2026-03-06 08:30"), "跑步"),
        ("大后天中午吃饭", at("2026-03-07 12:00"), "吃饭"),
        ("今晚八点一刻看球", at("2026-03-04 20:15"), "看球"),
        ("明早七点起床", at("2026-03-05 07:00"), "起床"),
        ("今天晚上十二点睡觉", at("2026-03-05 00:00"), "睡觉"),
        ("明天凌晨十二点半出发", at("2026-03-05 00:30"), "出发"),
        ("明天中午一点吃饭", at("2026-03-05 13:00"), "吃饭"),
        ("下周一九点 交报告", at("2026-03-09 09:00"), "交报告"),
        ("下周三九点交报告", at("2026-03-11 09:00"), "交报告"),
        ("下下周五聚餐", at("2026-03-20 09:00"), "聚餐"),
        ("周五下午六点下班", at("2026-03-06 18:00"), "下班"),
        ("周三九点交报告", at("2026-03-11 09:00"), "交报告"),
        ("这周日爬山", at("2026-03-08 09:00"), "爬山"),
        ("星期天爬山", at("2026-03-08 09:00"), "爬山"),
        ("5月1日上午10点 放假", at("2026-05-01 10:00"), "放假"),
        ("二月三号回家", at("2027-02-03 09:00"), "回家"),
        ("2030年5月1日9点5分给安打电话", at("2030-05-01 09:05"), "给安打电话"),
        ("3号交房租", at("2026-04-03 09:00"), "交房租"),
        ("三点开会", at("2026-03-04 15:00"), "开会"),
        ("一点开会", at("2026-03-05 01:00"), "开会"),
        ("下午三点零五分开会", at("2026-03-04 15:05"), "开会"),
        ("上午九点开会", at("2026-03-05 09:00"), "开会"),
        ("晚上８：３０ 看球", at("2026-03-04 20:30"), "看球"),
    ],
)
def test_a_time_to_come_is_read_in_the_persons_zone(text: str, due: datetime, words: str) -> None:
    assert read_chinese(text, now=NOW, zone=SHANGHAI) == (When(at=due), words)


@pytest.mark.parametrize(
    ("text", "due", "repeats"),
    [
        ("每天早上八点 吃药", at("2026-03-05 08:00"), "0 8 * * *"),
        ("每天吃药", at("2026-03-05 09:00"), "0 9 * * *"),
        ("每个工作日下午五点半打卡", at("2026-03-04 17:30"), "30 17 * * 1-5"),
        ("每周一九点开例会", at("2026-03-09 09:00"), "0 9 * * 1"),
        ("每周一三五 健身", at("2026-03-06 09:00"), "0 9 * * 1,3,5"),
        ("每周二、四晚上八点健身", at("2026-03-05 20:00"), "0 20 * * 2,4"),
        ("每周一三点开会", at("2026-03-09 03:00"), "0 3 * * 1"),
        ("每周一一起吃饭", at("2026-03-09 09:00"), "0 9 * * 1"),
        ("每个星期天晚上给妈妈打电话", at("2026-03-08 20:00"), "0 20 * * 0"),
    ],
)
def test_what_repeats_says_when_it_is_due_first(text: str, due: datetime, repeats: str) -> None:
    found = read_chinese(text, now=NOW, zone=SHANGHAI)

    assert found is not None
    assert found[0] == When(at=due, repeats=repeats)


@pytest.mark.parametrize(
    ("text", "was"),
    [
        ("昨天下午三点开会", at("2026-03-03 15:00")),
        ("今天上午九点开会", at("2026-03-04 09:00")),
        ("这周一九点开会", at("2026-03-02 09:00")),
        ("2020年5月1日开会", at("2020-05-01 09:00")),
    ],
)
def test_a_time_that_is_over_is_told_apart_from_none(text: str, was: datetime) -> None:
    found = read_chinese(text, now=NOW, zone=SHANGHAI)

    assert found == (When(at=was), "开会")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "喝茶",
        "三",
        "三个苹果",
        "5 apples",
        "明",
        "每",
        "周末爬山",
        "二十五点开会",
        "13月1日",
        "2月30日开会",
        "每周一三五健身",
        "周一三五 健身",
        "每天九点到周五 吃药",
        "12:00 yesterday x",
    ],
)
def test_what_names_no_time_is_none(text: str) -> None:
    assert read_chinese(text, now=NOW, zone=SHANGHAI) is None


@settings(deadline=None, max_examples=300)
@given(
    st.text(
        alphabet="零一两三九十百0123456789:年月日号天周星期下这今明后大每个半点分秒小时钟刻早晚上午 开会",
        max_size=14,
    )
)
def test_whatever_is_written_gives_a_time_within_reach_or_none(text: str) -> None:
    found = read_chinese(text, now=NOW, zone=SHANGHAI)

    assert found is None or found[0].at <= NOW + FARTHEST
    assert found is None or text.endswith(found[1])


def test_a_moment_is_shown_with_its_zone_and_with_seconds_where_there_are_any() -> None:
    found = read_when("20m", now=NOW.replace(second=7), zone=SHANGHAI)

    assert found is not None
    assert shown_when(found[0].at, zone=SHANGHAI) == "2026-03-04 14:20:07 Asia/Shanghai"
    assert shown_when(NOW, zone=SHANGHAI) == "2026-03-04 14:00 Asia/Shanghai"
