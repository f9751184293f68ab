"""Values of Chinese planted claims: dates, times and sums in numerals and digits, places, people, titles."""

import random
from datetime import date, timedelta

from tests.bench.planted_values import Value, chosen

HAN = "零一二三四五六七八九"


def han(number: int) -> str:
    """A whole number below ten thousand in Chinese numerals."""
    written, started = "", False
    for scale, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // scale % 10
        if digit:
            written += ("零" if started and written[-1:] == "0" else "") + HAN[digit] + name
            started = True
        elif started and number % scale and not written.endswith("零"):
            written += "零"
    return written.removeprefix("一") if 10 <= number < 20 else written or HAN[0]


def relative_day(rng: random.Random, today: date) -> Value:
    """明天, 后天, 三天后, 下周三."""
    weekday = rng.randrange(7)
    words, days = rng.choice(
        [
            ("明天", 1),
            ("后天", 2),
            ("大后天", 3),
            ("三天后", 3),
            (f"下周{'一二三四五六日'[weekday]}", 7 - today.weekday() + weekday),
        ]
    )
    day = today + timedelta(days=days)
    off = day + timedelta(days=rng.choice([-1, 1]))
    return Value(
        said=words,
        true=(
            words,
            f"{day.month}月{day.day}日",
            f"{han(day.month)}月{han(day.day)}日",
            f"{day.year}年{day.month}月{day.day}日",
        ),
        wrong={
            "relative date off by a day": f"{off.month}月{off.day}日",
            "relative date taken as the day of saying": f"{today.month}月{today.day}日",
        },
    )


def day(rng: random.Random, today: date) -> Value:
    """A day in Chinese numerals or digits."""
    day = today + timedelta(days=rng.randrange(20, 80))
    other = day + timedelta(days=rng.choice([-10, -2, 3, 30]))
    numerals, digits = f"{han(day.month)}月{han(day.day)}号", f"{day.month}月{day.day}日"
    return Value(
        said=rng.choice([numerals, digits]),
        true=(numerals, digits, f" {day.isoformat()} "),
        wrong={
            "wrong date": rng.choice(
                [f"{other.month}月{other.day}日", f"{han(other.month)}月{han(other.day)}日"]
            )
        },
    )


def clock(rng: random.Random, _today: date) -> Value:
    """A time of the afternoon or the morning."""
    hour = rng.randrange(1, 8)
    if rng.random() < 0.5:
        return Value(
            said=f"下午{han(hour)}点半",
            true=(f"下午{hour}点半", f"{hour + 12}:30", f"下午{han(hour)}点三十分"),
            wrong={"wrong time": rng.choice([f"上午{hour}点半", f"下午{hour + 1}点半", f"{hour + 12}:15"])},
        )
    return Value(
        said=f"早上{hour + 4}点",
        true=(f"早上{hour + 4}点", f"上午{han(hour + 4)}点", f"早上{hour + 4:02}:00"),
        wrong={"wrong time": rng.choice([f"晚上{hour + 4}点", f"早上{hour + 5}点"])},
    )


def amount(rng: random.Random, _today: date) -> Value:
    """Money in numerals or digits."""
    number = rng.randrange(11, 98) * 100
    numerals = han(number)
    return Value(
        said=rng.choice([f"{numerals}块", f"{number}元", f"{number:,}元"]),
        true=(f"{number}元", f"{numerals}元", f"{number:,}元"),
        wrong={
            "wrong amount": f"{number + rng.choice([-100, 100, 1000])}元",
            "wrong currency": f"{number}美元",
        },
    )


def count(rng: random.Random, _today: date) -> Value:
    """A small number of things or people."""
    number = rng.randrange(3, 40)
    return Value(
        said=rng.choice([han(number), str(number)]),
        true=(han(number), str(number)),
        wrong={"wrong number": rng.choice([han(number + 1), str(number + 2)])},
    )


city = chosen(("杭州", "成都", "厦门", "西安", "青岛", "昆明", "大连"), "invented name")
friend = chosen(("王老师", "李医生", "张经理", "陈律师", "刘阿姨"), "invented name")
title = chosen(("夜航船", "长安的风", "小镇来信", "蓝色房间"), "altered quotation")
