"""What has ended is not told as going on, and a denial may be told in other words."""

import pytest

from tests.helpers.claims import verdict


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        (
            "My subscription to the gardening magazine ended in autumn.",
            "Ann subscribes to the gardening magazine.",
        ),
        ("We sold our boat last summer.", "Ann's family has a boat."),
        ("I retired from the fire brigade.", "Ann works for the fire brigade."),
        ("My dog died in March.", "Ann has a dog."),
        ("I resigned as treasurer.", "Ann is the treasurer."),
        ("I left the choir in June.", "Ann sings in the choir."),
        ("The museum is closed on Mondays.", "The museum is open on Mondays."),
        ("I'll come along unless it rains.", "Ann will come along."),
        ("I don't know where the spare key is.", "Ann knows where the spare key is."),
        ("我从部队退役了。", "Ann在部队服役。"),
        ("我把店转让之前已经把车卖了。", "Ann有车。"),
        ("那家书店倒闭了。", "那家书店还在营业。"),
        ("我已经把会员注销了。", "Ann是会员。"),
        ("我不吃辣的菜。", "Ann吃辣的菜。"),
        ("合同里不准转租。", "合同允许转租。"),
        ("今年说不定会涨价。", "今年会涨价。"),
        ("我还没决定去。", "Ann决定去。"),
        ("我在那家公司被辞退了。", "Ann在那家公司上班。"),
        ("My passport expired in May.", "Ann's passport is valid."),
    ],
)
def test_what_ended_or_is_denied_told_as_so_is_rejected(said: str, claim: str) -> None:
    assert verdict(said, claim) is not None


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("I retired from the fire brigade.", "Ann is no longer with the fire brigade."),
        ("I sold the Volvo and bought a bike.", "Ann has bought a bike."),
        ("I sold the Volvo and bought a bike.", "Ann sold the Volvo."),
        ("We sold 30 cakes at the fair.", "Ann's group sold 30 cakes at the fair."),
        ("My dog died in March.", "Ann had a dog."),
        ("I stepped down as coach of the youth team.", "Ann no longer coaches the youth team."),
        ("I left my keys at the office.", "Ann's keys are at the office."),
        ("The clinic isn't open on Fridays.", "The clinic is closed on Fridays."),
        ("The museum is closed on Mondays.", "The museum is not open on Mondays."),
        ("I'll come along unless it rains.", "Ann will come along if it doesn't rain."),
        ("I don't know where the spare key is.", "Ann doesn't know where the spare key is."),
        ("I don't smoke any more.", "Ann stopped smoking."),
        ("我从部队退役了。", "Ann已经退役。"),
        ("我退休了，住在北京。", "Ann住在北京。"),
        ("孩子认生，见陌生人就哭。", "孩子怕生，见不认识的人就哭。"),
        ("我不吃辣的菜。", "Ann不吃辣的菜。"),
        ("合同里不准转租。", "合同禁止转租。"),
        ("今年说不定会涨价。", "今年有可能涨价。"),
        ("我们还没商量好去哪儿。", "Ann他们尚未商定去哪儿。"),
        ("店里六月要关了。", "店六月将关闭。"),
    ],
)
def test_what_says_so_in_other_words_is_kept(said: str, claim: str) -> None:
    assert verdict(said, claim) is None
