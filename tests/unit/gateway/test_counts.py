"""Numbers with their nouns."""

import pytest

from gateway.replies import Say, counted, say


@pytest.mark.parametrize(
    ("number", "noun", "plural", "told"),
    [
        (0, "line", "", "0 lines"),
        (1, "line", "", "1 line"),
        (2000, "line", "", "2,000 lines"),
        (1, "try", "tries", "1 try"),
        (2, "try", "tries", "2 tries"),
    ],
)
def test_one_is_singular_and_all_else_is_plural(number: int, noun: str, plural: str, told: str) -> None:
    assert counted(number, noun, plural) == told


def test_a_sentence_agrees_with_its_numbers() -> None:
    one, two = (say(Say.FORGOTTEN, messages=count, claims=0, lines=count) for count in (1, 2))

    assert one == "Erased, with whatever repeats it: 1 message, 0 claims, 1 line of my notes."
    assert two == "Erased, with whatever repeats it: 2 messages, 0 claims, 2 lines of my notes."
