from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.service.clock import ManualClock
from memory.consolidation.cooldown import FILE, CoolDowns
from memory.consolidation.parts import LINE_TOKENS, RESULT_TOKENS, readable, take_part, words_tokens
from memory.consolidation.plan import (
    Pressure,
    bounded_end,
    end_for_budget,
    end_for_recent,
    shown_tokens,
)
from memory.messages import AssistantMessage, Message, ToolMessage
from memory.tokens import count
from memory.view.budget import Budget
from memory.view.turns import begins_round, begins_turn
from tests.helpers.conversations import answer, call, result, say

WORDS = st.text(st.sampled_from("ab 文\n"), max_size=300)


def numbered(messages: list[Message]) -> list[Message]:
    return [replace(message, seq=number) for number, message in enumerate(messages, start=1)]


# ---------------------------------------------------------------- parts


@given(st.lists(WORDS, max_size=12), st.integers(120, 600))
@settings(deadline=None, max_examples=60)
def test_parts_fit_and_together_hold_every_word_in_order(texts: list[str], room: int) -> None:
    messages = readable(numbered([say(text) for text in texts]), session="telegram:42")
    rest, parts = list(messages), []
    while rest:
        part, rest = take_part(rest, room=room)
        parts.append(part)
    read: dict[int, str] = {}
    for part in parts:
        for message in part:
            read[message.seq] = read.get(message.seq, "") + message.content

    assert all(sum(words_tokens(each) + LINE_TOKENS for each in part) <= room for part in parts)
    assert {seq: text.split() for seq, text in read.items()} == {
        seq: text.split() for seq, text in enumerate(texts, start=1) if text.strip()
    }
    assert list(read) == sorted(read)


def test_a_word_is_not_cut_in_two_where_there_are_blanks() -> None:
    text = " ".join(f"word{number}" for number in range(300))
    [message] = readable([say(text)], session="telegram:42")
    part, rest = take_part([message], room=200)

    assert set(part[0].content.split()) | set(rest[0].content.split()) == set(text.split())


def test_of_tool_output_the_beginning_and_the_end_are_read_and_of_calls_nothing() -> None:
    read = readable([call(), result("start " + "x " * 5000 + " end"), answer("")], session="telegram:42")

    assert len(read) == 1
    assert count(read[0].content) <= RESULT_TOKENS
    assert read[0].content.startswith("start")
    assert read[0].content.endswith("end")


# ---------------------------------------------------------------- plan

TURNS = st.lists(st.tuples(st.integers(1, 200), st.integers(0, 4), st.booleans()), min_size=1, max_size=12)


def history(turns: list[tuple[int, int, bool]]) -> list[Message]:
    """Turns of so many tokens a message, with so many rounds, answered or not."""
    messages: list[Message] = []
    for number, (tokens, rounds, answered) in enumerate(turns):
        turn: list[Message] = [say(f"question {number}")]
        for at in range(rounds):
            turn += [call(f"c{number}-{at}"), result(call_id=f"c{number}-{at}")]
        turn += [answer()] if answered else []
        messages += [replace(message, turn=f"t{number}", tokens=tokens) for message in turn]
    return numbered(messages)


def pressure(window: int = 1000, overhead: int = 0, factor: float = 1.0) -> Pressure:
    budget = Budget(window=window, max_output=window // 4)
    return Pressure(budget=budget, target=0.5, overhead_tokens=overhead, factor=factor)


@given(TURNS, st.integers(300, 3000), st.integers(0, 200), st.floats(0.5, 4))
@settings(deadline=None, max_examples=100)
def test_a_cut_for_the_budget_stands_at_a_border_and_leaves_no_more_than_the_target_or_the_last_turn(
    turns: list[tuple[int, int, bool]], window: int, overhead: int, factor: float
) -> None:
    messages = history(turns)
    weight = pressure(window, overhead, factor)
    end = end_for_budget(messages, pressure=weight, max_messages=500)
    left = [message for message in messages if message.seq > end]
    fits = weight.excess_tokens(left) <= 0

    assert end < messages[-1].seq
    if end:
        assert begins_turn(messages, end) or begins_round(messages, end)
        assert begins_turn(messages, end) or len(turns) == 1
    assert fits or not any(begins_turn(left, at) for at in range(1, len(left)))
    assert not end or weight.excess_tokens(messages) > 0


@given(TURNS, st.integers(0, 30))
@settings(deadline=None, max_examples=100)
def test_a_cut_that_keeps_the_recent_ones_keeps_the_whole_of_their_turns(
    turns: list[tuple[int, int, bool]], keep: int
) -> None:
    messages = history(turns)
    end = end_for_recent(messages, keep=keep)
    left = [message for message in messages if message.seq > end]

    assert len(left) >= min(max(keep, 1), len(messages))
    assert begins_turn(left, 0)
    if end:
        borders = [at for at in range(1, len(left)) if begins_turn(left, at)]
        assert not borders or len(left) - borders[0] < max(keep, 1)


@given(TURNS, st.integers(1, 1500))
@settings(deadline=None, max_examples=100)
def test_a_bounded_stretch_goes_forward_ends_at_a_border_and_is_as_large_as_it_may_be(
    turns: list[tuple[int, int, bool]], most: int
) -> None:
    messages = history(turns)
    wanted = messages[-1].seq
    end = bounded_end(messages, end=wanted, max_tokens=most)
    taken = [message for message in messages if message.seq <= end]
    borders = [at for at in range(1, len(taken)) if begins_turn(messages, at) or begins_round(messages, at)]

    assert 0 < end <= wanted
    if end < wanted:
        assert begins_turn(messages, end) or begins_round(messages, end)
    assert sum(message.tokens for message in taken) <= most or not borders


def test_more_messages_than_a_view_may_have_are_brought_down_however_short_they_are() -> None:
    messages = history([(1, 0, True)] * 30)
    end = end_for_budget(messages, pressure=pressure(100_000), max_messages=40)

    assert len(messages) - end == 20


def test_output_that_a_view_cuts_presses_no_more_than_it_shows() -> None:
    long = replace(result("x" * 160_000), tokens=40_000)

    assert isinstance(long, ToolMessage)
    assert shown_tokens(long) == 4000
    assert isinstance(answer(), AssistantMessage)


# ---------------------------------------------------------------- cool-down


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"failures": "x", "until": 3}', b"\xff\xfe"])
async def test_a_damaged_file_pauses_nobody(tmp_path: Path, damage: bytes) -> None:
    folder = tmp_path / "memory" / "person-ann"
    folder.mkdir(parents=True)
    (folder / FILE).write_bytes(damage)
    cooldowns = CoolDowns(tmp_path, now=ManualClock().now)

    assert not await cooldowns.is_cooling("person-ann")
    await cooldowns.failed("person-ann")
    assert await cooldowns.is_cooling("person-ann")


async def test_a_clock_that_was_set_back_pauses_nobody_for_a_year(tmp_path: Path) -> None:
    clock = ManualClock()
    await CoolDowns(tmp_path, now=lambda: clock.now() + timedelta(days=365)).failed("person-ann")

    assert not await CoolDowns(tmp_path, now=clock.now).is_cooling("person-ann")


async def test_what_worked_is_asked_again_at_once(tmp_path: Path) -> None:
    cooldowns = CoolDowns(tmp_path, now=ManualClock().now)
    await cooldowns.worked("person-ann")
    await cooldowns.failed("person-ann")
    await cooldowns.worked("person-ann")

    assert not await cooldowns.is_cooling("person-ann")
