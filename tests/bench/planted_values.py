"""Values of planted claims: how somebody wrote one, how else it may truly be written, and how it would be wrong."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One slot of a scene: as said, true spellings for a claim, and wrong ones by the way in which they are wrong."""

    said: str
    true: tuple[str, ...]
    wrong: dict[str, str] = field(default_factory=dict)


Maker = Callable[[random.Random, date], Value]


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
