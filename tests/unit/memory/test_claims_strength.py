"""A claim may not say more than was said: always, all, only, most, exactly, because."""

import pytest

from memory.claims.reasons import Reason
from tests.helpers.claims import verdict


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("I take the tram to the office.", "Ann always takes the tram to the office."),
        ("Some of the plates were chipped.", "All the plates were chipped."),
        ("My pupils passed, three have to resit.", "Every one of Ann's pupils passed."),
        ("I drink tea in the morning.", "Ann only drinks tea in the morning."),
        ("Da Carlo is a good restaurant.", "Da Carlo is the best restaurant."),
        ("Some twenty people came to the wake.", "It was exactly twenty people who came to the wake."),
        ("I slept badly. The new pills came yesterday.", "Ann slept badly because of the new pills."),
        ("我坐电车上班。", "Ann总是坐电车上班。"),
        ("这批盘子有几只碎了。", "这批盘子全都碎了。"),
        ("我早上喝茶。", "Ann早上只喝茶。"),
        ("老灶台这家馆子不错。", "老灶台是最不错的馆子。"),
        ("婚礼来了近两百人。", "婚礼来了整整两百人。"),
        ("隔壁开了饭馆。这个月生意少了。", "隔壁开了饭馆导致这个月生意少了。"),
    ],
)
def test_what_strengthens_must_have_been_said(said: str, claim: str) -> None:
    assert verdict(said, claim) is Reason.OVERSTATED


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("I take the tram to the office every day.", "Ann always takes the tram to the office."),
        ("None of the plates is whole.", "All the plates are not whole."),
        ("I drink nothing but tea in the morning.", "Ann only drinks tea in the morning."),
        ("My favourite restaurant is Da Carlo.", "Ann thinks that Da Carlo is the best restaurant."),
        ("The train leaves at 9 sharp.", "The train leaves at exactly 9."),
        ("I slept badly, so I took a pill.", "Ann took a pill because she slept badly."),
        ("We meet on Mondays at noon.", "Ann's group meets every Monday at noon."),
        ("我从不迟到，每天坐电车上班。", "Ann总是坐电车上班。"),
        ("我早上就喝茶。", "Ann早上只喝茶。"),
        ("我买了三只杯子。", "Ann买了三只杯子。"),
        ("下雨了，所以没去爬山。", "因为下雨，Ann没去爬山。"),
        ("最近在学游泳。", "Ann最近在学游泳。"),
    ],
)
def test_what_was_said_as_strongly_is_kept(said: str, claim: str) -> None:
    assert verdict(said, claim) is not Reason.OVERSTATED
