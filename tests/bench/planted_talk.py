"""Short conversations from a seed: lines that claims are made of, among small talk."""

import random
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from memory.messages import Message, UserMessage
from tests.bench.planted_scenes import CHINESE, ENGLISH, Scene
from tests.bench.planted_values import Value

_ENGLISH_PEOPLE = ("Ann", "Bertil", "Carla", "Deniz", "Ewa")
_CHINESE_PEOPLE = ("王芳", "陈浩", "刘洋", "赵琳")
_SMALL_TALK = (
    "Thanks, that helps.", "Good morning everyone!", "Ok, sounds good to me.", "The weather is awful again.",
    "好的，谢谢。", "早上好！", "今天天气不错。", "哈哈，知道了。",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message of a scene with the values that fill it."""

    scene: Scene
    values: dict[str, Value]
    speaker: str
    text: str
    quote: str

    def claim(self, rng: random.Random, template: str, **wrong: str) -> str:
        """A claim of the scene, each slot in one of its true spellings or in the given wrong one."""
        filled = {name: rng.choice(value.true) for name, value in self.values.items()} | wrong
        return template.format(who=self.speaker, **filled)


def some_day(rng: random.Random) -> date:
    """Any day of the year."""
    return date(2026, 1, 5) + timedelta(days=rng.randrange(300))


def people(scene_is_chinese: bool) -> tuple[str, ...]:
    """The cast of a conversation in that language."""
    return _CHINESE_PEOPLE if scene_is_chinese else _ENGLISH_PEOPLE


def some_line(rng: random.Random, today: date, *, scene: Scene | None = None, speaker: str = "") -> Line:
    scene = scene or rng.choice(ENGLISH + CHINESE if rng.random() < 0.5 else rng.choice([ENGLISH, CHINESE]))
    values = {name: make(rng, today) for name, make in scene.slots.items()}
    said = {name: value.said for name, value in values.items()}
    return Line(
        scene=scene,
        values=values,
        speaker=speaker or rng.choice(people(scene in CHINESE)),
        text=scene.said.format(**said),
        quote=scene.quote.format(**said),
    )


def talk(rng: random.Random, today: date, *lines: Line) -> tuple[dict[int, Message], list[int]]:
    """The lines among small talk and a scene that is not asked about; and where they stand."""
    start = rng.randrange(1, 500)
    at = datetime(today.year, today.month, today.day, rng.randrange(7, 20), tzinfo=UTC)
    messages: dict[int, Message] = {}
    places: list[int] = []

    def add(text: str, speaker: str) -> int:
        seq = start + len(messages)
        messages[seq] = UserMessage(
            seq=seq,
            content=text,
            at=at + timedelta(seconds=30 * len(messages)),
            sender=speaker.casefold(),
            sender_name=speaker,
        )
        return seq

    cast = people(lines[0].scene in CHINESE)
    add(rng.choice(_SMALL_TALK), rng.choice(cast))
    for line in lines:
        places.append(add(line.text, line.speaker))
        add(rng.choice(_SMALL_TALK), rng.choice(cast))
    return messages, places
