"""A yes says what was asked, where it is a plain yes to such a question."""

import pytest

from memory.claims.checks import Rejection
from memory.claims.claim import ClaimKind
from tests.helpers.claims import assistant, judged, person, proposal

Talk = tuple[str, ...]


def is_kept(claim: str, quoted: tuple[int, ...], talk: Talk) -> bool:
    said = [each.split(": ", 1) for each in talk]
    messages = [
        assistant(text, seq=seq) if who == "AI" else person(text, seq=seq, name=who)
        for seq, (who, text) in enumerate(said, 1)
    ]
    kind = ClaimKind.DECISION if "decided" in claim else ClaimKind.FACT
    proposed = proposal(claim, *((seq, said[seq - 1][1]) for seq in quoted), kind=kind)
    return not isinstance(judged(proposed, *messages), Rejection)


@pytest.mark.parametrize(
    ("claim", "quoted", "talk"),
    [
        (
            "Ann's boat is a catamaran.",
            (
                2,
                3,
            ),
            (
                "Ann: I need insurance for my boat.",
                "AI: Is your boat a catamaran?",
                "Ann: It isn't.",
            ),
        ),
        (
            "Ann's father lives with Ann.",
            (2,),
            (
                "Ann: tax form",
                "AI: Does your father live with you?",
                "Ann: Yes",
            ),
        ),
        (
            "Ann's father lives with Ann.",
            (
                2,
                3,
            ),
            (
                "Ann: tax form",
                "AI: Does your father live with you?",
                "Ann: No",
            ),
        ),
        (
            "Ann wants tea.",
            (
                2,
                3,
            ),
            (
                "Ann: drinks",
                "AI: Do you want tea or coffee?",
                "Ann: Yes",
            ),
        ),
        (
            "Ann的车是电动的。",
            (
                1,
                2,
            ),
            (
                "AI: 你的车是电动的吗？",
                "Ann: 不是",
            ),
        ),
        (
            "Ann的车是电动的。",
            (2,),
            (
                "Ann: 你的车是电动的吗？",
                "Bob: 是的",
            ),
        ),
        (
            "Ann decided to replace the boiler.",
            (
                1,
                2,
            ),
            (
                "AI: You could replace the boiler or hire a plumber.",
                "Ann: I've decided to hire a plumber.",
            ),
        ),
        (
            "Oscar will bake the cake.",
            (
                1,
                2,
            ),
            (
                "Ann: Can you bake the cake?",
                "Oscar: Yes, assuming you bring the flour",
            ),
        ),
        (
            "Oscar bakes the cake on Sunday.",
            (
                1,
                2,
            ),
            (
                "Ann: Can you bake the cake on Sunday?",
                "Oscar: Yes but on Monday",
            ),
        ),
        (
            "Ann的猫打了疫苗。",
            (
                1,
                2,
            ),
            (
                "AI: 你的猫打了疫苗吗？",
                "Ann: 没有",
            ),
        ),
    ],
)
def test_what_no_plain_yes_said_is_rejected(claim: str, quoted: tuple[int, ...], talk: Talk) -> None:
    assert not is_kept(claim, quoted, talk)


@pytest.mark.parametrize(
    ("claim", "quoted", "talk"),
    [
        (
            "Ann's boat is a catamaran.",
            (
                2,
                3,
            ),
            (
                "Ann: I need insurance for my boat.",
                "AI: Is your boat a catamaran?",
                "Ann: It is.",
            ),
        ),
        (
            "Ann's father lives with Ann.",
            (
                2,
                3,
            ),
            (
                "Ann: tax form",
                "AI: Does your father live with you?",
                "Ann: He does, yes",
            ),
        ),
        (
            "Ann's father lives with Ann.",
            (3,),
            (
                "Ann: tax form",
                "AI: Does your father live with you?",
                "Ann: Yes",
            ),
        ),
        (
            "Ann的车是电动的。",
            (
                1,
                2,
            ),
            (
                "AI: 你的车是电动的吗？",
                "Ann: 是的",
            ),
        ),
        (
            "Bob的车是电动的。",
            (2,),
            (
                "Ann: 你的车是电动的吗？",
                "Bob: 是的",
            ),
        ),
    ],
)
def test_what_holds_after_all_that_was_said_is_kept(claim: str, quoted: tuple[int, ...], talk: Talk) -> None:
    assert is_kept(claim, quoted, talk)
