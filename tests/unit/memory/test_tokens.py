import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory import tokens
from memory.tokens import TokenCounter, count, count_async, estimate, message_tokens, message_tokens_async
from tests.helpers.histories import answer, calls, result, user

CHINESE = "昨天晚上我们在码头等了很久，船还是没有来，于是决定改坐火车。" * 70
EMOJI = "🛶🪵🧭🇳🇴👩‍🔧" * 60
ENGLISH = "It was late, and the old keeper hadn't eaten; still he wrote on page 314 of his notebook. " * 40
MIXED = "Buy 3 kg 苹果 at 10:30 🍎, ok? Größe XL – naïve café.\n" * 40
CODE = "def area(w: int, h: int) -> int:\n    return w * h  # square metres\n" * 40


def test_a_text_costs_what_the_encoder_counts() -> None:
    assert count("") == 0
    assert count("hello world") == 2
    assert count("早上好") == 4


@pytest.mark.parametrize(
    "text",
    [
        "<|endoftext|>",
        "<|fim_prefix|> in a file name",
        "a\udc80b",
        "\ud83d",
        "\ude00\ud800",
        "\x00",
        "\ufffe",
    ],
)
def test_no_text_makes_counting_fail(text: str) -> None:
    assert count(text) > 0
    assert estimate(text) > 0


@given(st.text(st.characters(codec=None, categories=None), max_size=300))
@settings(max_examples=150, deadline=None)
def test_every_text_costs_at_most_its_bytes(text: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))

    assert count(text) <= size
    assert estimate(text) <= size


@pytest.mark.parametrize("text", [CHINESE, EMOJI, ENGLISH, MIXED, CODE, CHINESE + EMOJI + ENGLISH])
def test_the_estimate_is_at_least_nine_tenths_of_the_count(text: str) -> None:
    assert estimate(text) >= 0.9 * count(text)


def test_the_estimate_of_english_is_no_more_than_half_too_high() -> None:
    assert estimate(ENGLISH) <= 1.5 * count(ENGLISH)


@pytest.mark.parametrize("unit", ["a", "我", " ", "\n", "=", "😀"])
def test_counting_a_megabyte_takes_no_longer_in_one_run_than_its_length_asks_for(unit: str) -> None:
    text = unit * (1_000_000 // len(unit.encode())) + "."
    began = time.process_time()

    assert count(text) > 1000
    assert time.process_time() - began < 3


def test_counting_in_pieces_hardly_changes_the_count() -> None:
    whole = tokens._load_cl100k()

    assert len(whole(ENGLISH * 10)) <= count(ENGLISH * 10) <= len(whole(ENGLISH * 10)) + 10


@pytest.mark.parametrize(
    "error", [ImportError("not installed"), OSError("unreadable"), ValueError("bad hash")]
)
def test_without_an_encoder_the_estimate_takes_its_place_after_one_try(error: Exception) -> None:
    counter = TokenCounter(_Failing(error))

    assert counter.count(CHINESE) == estimate(CHINESE)
    assert counter.count("again") == estimate("again")
    assert counter.warm() is False
    assert counter._load.tries == 1  # type: ignore[attr-defined]  # the counter keeps what it was given


def test_many_threads_that_count_first_load_the_encoder_once() -> None:
    load = _Counting(lambda text: [0] * len(text))
    counter = TokenCounter(load)
    threads = [Thread(target=counter.count, args=("abc",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert load.tries == 1
    assert counter.ready


async def test_counting_off_the_loop_gives_the_same() -> None:
    assert await count_async("short") == count("short")
    assert await count_async(CHINESE * 20) == count(CHINESE * 20)


def test_importing_the_module_loads_no_encoder() -> None:
    script = "import sys, memory.tokens; sys.exit('tiktoken' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_message_costs_its_text_its_calls_its_reasoning_and_its_wrapping() -> None:
    plain = message_tokens(answer("done"))
    thinking = message_tokens(replace(answer("done"), reasoning="first look, then answer"))
    calling = message_tokens(calls("c1", text="done", arguments='{"path": "a.md"}'))

    assert plain > count("done")
    assert thinking == plain + count("first look, then answer")
    assert calling > plain + count('{"path": "a.md"}')
    assert message_tokens(result("c1", "done")) > plain
    assert message_tokens(user("look", media=("ab12",))) > message_tokens(user("look"))


async def test_a_message_costs_the_same_off_the_loop() -> None:
    message = result("c1", ENGLISH * 10)

    assert await message_tokens_async(message) == message_tokens(message)


class _Failing:
    def __init__(self, error: Exception) -> None:
        self.error = error
        self.tries = 0

    def __call__(self) -> tokens.Encode:
        self.tries += 1
        raise self.error


class _Counting:
    def __init__(self, encode: Callable[[str], list[int]]) -> None:
        self.encode = encode
        self.tries = 0

    def __call__(self) -> tokens.Encode:
        self.tries += 1
        return self.encode
