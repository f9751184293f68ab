"""Values for planted claims: how somebody wrote one, how else it may truly be written, and how it would be wrong."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta

ENGLISH_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
HAN = "零一二三四五六七八九"


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One slot of a scene: as said, true spellings for a claim, and wrong ones by the way in which they are wrong."""

    said: str
    true: tuple[str, ...]
    wrong: dict[str, str] = field(default_factory=dict)


Maker = Callable[[random.Random, date], Value]


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


def _english_day(day: date) -> str:
    return f"{day.day} {ENGLISH_MONTHS[day.month - 1]}"


def relative_day(rng: random.Random, today: date) -> Value:
    """A day by its distance; the usual mistakes are the day of saying and one day off."""
    weekday = rng.randrange(7)
    ahead = 7 - today.weekday() + weekday
    words, days = rng.choice(
        [
            ("tomorrow", 1),
            ("the day after tomorrow", 2),
            (f"in {rng.choice(['three', '3'])} days", 3),
            ("in two weeks", 14),
            (f"on {WEEKDAYS[weekday]} next week", ahead),
        ]
    )
    day = today + timedelta(days=days)
    off = day + timedelta(days=rng.choice([-1, 1]))
    return Value(
        said=words,
        true=(
            words,
            f"on {day.isoformat()}",
            f"on {_english_day(day)}",
            f"on {_english_day(day)} {day.year}",
        ),
        wrong={
            "relative date off by a day": f"on {off.isoformat()}",
            "relative date taken as the day of saying": f"on {today.isoformat()}",
        },
    )


def written_day(rng: random.Random, today: date) -> Value:
    """A day with its month."""
    day = today + timedelta(days=rng.randrange(20, 90))
    month = ENGLISH_MONTHS[day.month - 1]
    other = day + timedelta(days=rng.choice([-9, -3, 2, 31]))
    said = rng.choice([f"on {month} {day.day}", f"on {_english_day(day)}", f"on {day.isoformat()}"])
    return Value(
        said=said,
        true=(
            f"on {day.isoformat()}",
            f"on {_english_day(day)}",
            f"on {month} {day.day}",
            f"on {month} {day.day}, {day.year}",
        ),
        wrong={"wrong date": f"on {rng.choice([other.isoformat(), _english_day(other)])}"},
    )


def clock(rng: random.Random, _today: date) -> Value:
    """A time of day."""
    hour, minute = rng.randrange(7, 12), rng.choice([10, 15, 30, 45, 50])
    if rng.random() < 0.5:
        said = f"{hour}:{minute} pm"
        true: tuple[str, ...] = (said, f"{hour + 12}:{minute}")
        wrong = rng.choice([f"{hour}:{minute} am", f"{hour - 1}:{minute} pm", f"{hour + 12}:{minute - 5:02}"])
    else:
        said = f"{hour}:{minute} am"
        true = (said, f"{hour:02}:{minute}", f"{hour}.{minute} am")
        wrong = rng.choice([f"{hour}:{minute} pm", f"{hour + 1}:{minute} am"])
    return Value(said=said, true=true, wrong={"wrong time": wrong})


def amount(rng: random.Random, _today: date) -> Value:
    """Money: a digit wrong, or another currency."""
    number = rng.randrange(1_100, 9_800, 10) + rng.randrange(1, 10)
    digits = f"{number:,}"
    turned = int(str(number)[1] + str(number)[0] + str(number)[2:])
    other = turned if turned != number and turned > 999 else number + 100
    choices: list[tuple[str, tuple[str, ...]]] = [
        (f"€{digits}", (f"€{digits}", f"{digits} euros", f"{number} EUR")),
        (f"${digits}", (f"${digits}", f"{number} dollars", f"USD {digits}")),
        (f"{digits} euros", (f"€{number}", f"{digits} euros")),
    ]
    said, true = rng.choice(choices)
    is_euro = "€" in said or "euro" in said
    return Value(
        said=said,
        true=true,
        wrong={
            "wrong amount": f"{'€' if is_euro else '$'}{other:,}",
            "wrong currency": f"{'$' if is_euro else '€'}{digits}",
        },
    )


def count(rng: random.Random, _today: date) -> Value:
    """A small number, as a word or in digits."""
    words = {3: "three", 7: "seven", 12: "twelve", 25: "twenty-five", 40: "forty", 18: "eighteen", 6: "six"}
    number = rng.choice(list(words))
    return Value(
        said=rng.choice([words[number], str(number)]),
        true=(words[number], str(number)),
        wrong={"wrong number": str(number + rng.choice([-1, 1, 10]))},
    )


def chosen(options: tuple[str, ...], way: str) -> Maker:
    """One of a set of words; another of the set is wrong."""

    def make(rng: random.Random, _today: date) -> Value:
        right, wrong = rng.sample(options, 2)
        return Value(said=right, true=(right,), wrong={way: wrong})

    return make


def altered(
    way: str, make: Callable[[random.Random], str], *, also: Callable[[str], tuple[str, ...]] | None = None
) -> Maker:
    """A string that is wrong with one character changed."""

    def value(rng: random.Random, _today: date) -> Value:
        right = make(rng)
        places = [index for index, char in enumerate(right) if char.isalnum() and index > len(right) // 2]
        place = rng.choice(places)
        other = rng.choice(
            [char for char in ("3478" if right[place].isdigit() else "bdkz") if char != right[place]]
        )
        wrong = right[:place] + other + right[place + 1 :]
        return Value(said=right, true=(right, *(also(right) if also else ())), wrong={way: wrong})

    return value


def _hex(rng: random.Random, length: int) -> str:
    return "".join(rng.choice("0123456789abcdef") for _ in range(length - 2)) + "a7"


def _word(rng: random.Random) -> str:
    return rng.choice(["harbor", "lumen", "quartz", "meadow", "falcon", "cobalt", "willow", "ember"])


link = altered(
    "altered link",
    lambda rng: f"https://{_word(rng)}.example.org/{_word(rng)}/{rng.randrange(100, 999)}",
    also=lambda right: (right.removeprefix("https://"),),
)
path = altered("altered path", lambda rng: f"/srv/{_word(rng)}/{_word(rng)}/config{rng.randrange(2, 9)}.toml")
mail = altered(
    "altered address", lambda rng: f"{_word(rng)}.{rng.randrange(10, 99)}@{_word(rng)}.example.net"
)
phone = altered(
    "altered phone number",
    lambda rng: f"+49 {rng.randrange(151, 179)} {rng.randrange(1_000_000, 9_999_999)}",
    also=lambda right: (right.replace(" ", ""), right.replace(" ", "-", 1)),
)
ticket = altered(
    "altered identifier", lambda rng: f"{rng.choice(['INV', 'OPS', 'CRM'])}-{rng.randrange(1_000, 99_999)}"
)
digest = altered("altered identifier", lambda rng: _hex(rng, 10))
version = altered(
    "altered identifier", lambda rng: f"{rng.randrange(1, 9)}.{rng.randrange(10, 40)}.{rng.randrange(10, 19)}"
)
address = altered(
    "altered address",
    lambda rng: f"10.{rng.randrange(10, 99)}.{rng.randrange(10, 99)}.{rng.randrange(100, 250)}",
)
city = chosen(("Lisbon", "Oslo", "Prague", "Genoa", "Krakow", "Porto", "Ghent", "Turin"), "invented name")
place = chosen(("Cafe Luna", "Harbour House", "Room Kestrel", "Villa Flora", "Studio Nord"), "invented name")
firm = chosen(
    ("Halden Optics", "Brightfield", "Norra Labs", "Kestrel Freight", "Umbra Design"), "invented name"
)
friend = chosen(("Mila", "Jonas", "Priya", "Oskar", "Lena", "Tarek"), "invented name")
title = chosen(("Northern Lights", "Paper Boats", "Second Harvest", "Quiet Rivers"), "altered quotation")


def chinese_relative_day(rng: random.Random, today: date) -> Value:
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


def chinese_day(rng: random.Random, today: date) -> Value:
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


def chinese_clock(rng: random.Random, _today: date) -> Value:
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


def chinese_amount(rng: random.Random, _today: date) -> Value:
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


def chinese_count(rng: random.Random, _today: date) -> Value:
    """A small number of things or people."""
    number = rng.randrange(3, 40)
    return Value(
        said=rng.choice([han(number), str(number)]),
        true=(han(number), str(number)),
        wrong={"wrong number": rng.choice([han(number + 1), str(number + 2)])},
    )


chinese_city = chosen(("杭州", "成都", "厦门", "西安", "青岛", "昆明", "大连"), "invented name")
chinese_friend = chosen(("王老师", "李医生", "张经理", "陈律师", "刘阿姨"), "invented name")
chinese_title = chosen(("夜航船", "长安的风", "小镇来信", "蓝色房间"), "altered quotation")
