"""What a speaker corrected afterwards is told as corrected."""

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
            "Ann wants a room for three nights.",
            (1,),
            (
                "Ann: A room for three nights, please.",
                "AI: Three nights.",
                "Ann: Make it five.",
            ),
        ),
        (
            "Ann's lesson is on Tuesday.",
            (1,),
            (
                "Ann: My lesson is on Tuesday.",
                "Ann: Sorry, my lesson is on Wednesday.",
            ),
        ),
        (
            "The train leaves at 9:15.",
            (1,),
            (
                "Ann: The train leaves at 9:15.",
                "AI: ok",
                "Ann: Oops, the train leaves at 9:45.",
            ),
        ),
        (
            "The meeting is on Monday.",
            (1,),
            (
                "Ann: The meeting is on Monday.",
                "AI: ok",
                "Ann: The meeting was moved to Thursday.",
            ),
        ),
        (
            "Ann订了三张票。",
            (1,),
            (
                "Ann: 我订了三张票。",
                "AI: 好的",
                "Ann: 改成五张。",
            ),
        ),
        (
            "Ann的考试在周一。",
            (1,),
            (
                "Ann: 我的考试在周一。",
                "AI: 好的",
                "Ann: 不对，考试在周三。",
            ),
        ),
        (
            "聚会在七点开始。",
            (1,),
            (
                "Ann: 聚会七点开始。",
                "AI: 好的",
                "Ann: 聚会推迟到八点了。",
            ),
        ),
        (
            "Ann wants the lift serviced on Tuesday at nine.",
            (
                1,
                3,
            ),
            (
                "Ann: Please have the lift serviced on Tuesday.",
                "AI: ok",
                "Ann: No, I meant Monday, at nine.",
            ),
        ),
        (
            "Ann从苏州出发。",
            (
                1,
                2,
            ),
            (
                "AI: 您从苏州出发？",
                "Ann: 不是苏州，我从杭州走。",
            ),
        ),
        (
            "Ann needs four tickets.",
            (1,),
            (
                "Ann: I need four tickets for the show.",
                "AI: Four.",
                "Ann: Hang on, I need five tickets, my aunt joins.",
            ),
        ),
        (
            "The rent is 900 euros.",
            (1,),
            (
                "Ann: The rent is 900 euros.",
                "AI: ok",
                "Ann: I was wrong, the rent is 950 euros.",
            ),
        ),
        (
            "Ann arrives at 5 pm.",
            (1,),
            (
                "Ann: I arrive at 5 pm.",
                "AI: Noted.",
                "Ann: Scratch that, 6 pm.",
            ),
        ),
        (
            "Ann's flight lands at 10:20.",
            (1,),
            (
                "Ann: My flight lands at 10:20.",
                "AI: ok",
                "Ann: The airline says it lands at 11:50 now.",
            ),
        ),
        (
            "Ann的房租是三千元。",
            (1,),
            (
                "Ann: 房租是三千元。",
                "AI: 好",
                "Ann: 说错了，是三千五百元。",
            ),
        ),
        (
            "Ann周五到。",
            (1,),
            (
                "Ann: 我周五到。",
                "AI: 好",
                "Ann: 哦不，周六到。",
            ),
        ),
    ],
)
def test_what_was_taken_back_is_rejected(claim: str, quoted: tuple[int, ...], talk: Talk) -> None:
    assert not is_kept(claim, quoted, talk)


@pytest.mark.parametrize(
    ("claim", "quoted", "talk"),
    [
        (
            "Ann wants a room for five nights.",
            (
                1,
                3,
            ),
            (
                "Ann: A room for three nights, please.",
                "AI: Three nights.",
                "Ann: Make it five.",
            ),
        ),
        (
            "Ann wants a room for three nights.",
            (1,),
            (
                "Ann: A room for three nights, please.",
                "AI: Three nights.",
                "Bob: Make it five for me.",
            ),
        ),
        (
            "Ann's lesson is on Tuesday.",
            (1,),
            (
                "Ann: My lesson is on Tuesday.",
                "Ann: Sorry, the dentist comes on Wednesday.",
            ),
        ),
        (
            "Ann's lesson is on Tuesday.",
            (1,),
            (
                "Ann: My lesson is on Tuesday.",
                "Ann: My lesson lasts an hour, actually.",
            ),
        ),
        (
            "Ann's lesson is on Tuesday.",
            (1,),
            (
                "Ann: My lesson is on Tuesday.",
                "Ann: I'm 40 years old.",
            ),
        ),
        (
            "The train leaves at 9:45.",
            (
                1,
                3,
            ),
            (
                "Ann: The train leaves at 9:15.",
                "AI: ok",
                "Ann: Oops, the train leaves at 9:45.",
            ),
        ),
        (
            "The meeting moved from Monday to Thursday.",
            (
                1,
                3,
            ),
            (
                "Ann: The meeting is on Monday.",
                "AI: ok",
                "Ann: The meeting was moved to Thursday.",
            ),
        ),
        (
            "Ann的考试在周一。",
            (1,),
            (
                "Ann: 我的考试在周一。",
                "AI: 好的",
                "Ann: 其实我周三才有空。",
            ),
        ),
        (
            "Ann的考试在周三。",
            (
                1,
                3,
            ),
            (
                "Ann: 我的考试在周一。",
                "AI: 好的",
                "Ann: 不对，考试在周三。",
            ),
        ),
        (
            "Ann wants the lift serviced on Monday at nine.",
            (
                1,
                3,
            ),
            (
                "Ann: Please have the lift serviced on Tuesday.",
                "AI: ok",
                "Ann: No, I meant Monday, at nine.",
            ),
        ),
        (
            "Ann从杭州出发。",
            (
                1,
                2,
            ),
            (
                "AI: 您从苏州出发？",
                "Ann: 不是苏州，我从杭州走。",
            ),
        ),
        (
            "Ann's rent is 900 euros.",
            (1,),
            (
                "Ann: My rent is 900 euros.",
                "AI: ok",
                "Ann: Bob's rent is 950 euros.",
            ),
        ),
    ],
)
def test_what_holds_after_all_that_was_said_is_kept(claim: str, quoted: tuple[int, ...], talk: Talk) -> None:
    assert is_kept(claim, quoted, talk)
