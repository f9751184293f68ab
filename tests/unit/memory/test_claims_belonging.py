"""Whose it is, how much of it and on what condition: relatives of relatives, units, owners."""

import pytest

from tests.helpers.claims import verdict


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("My husband's sister keeps bees in Kent.", "Ann's sister keeps bees in Kent."),
        ("My husband's sister keeps bees in Kent.", "Ann keeps bees in Kent."),
        ("My husband's sister keeps bees in Kent.", "Ann's niece keeps bees in Kent."),
        ("My husband's sister keeps bees in Kent.", "Ann's brother-in-law keeps bees in Kent."),
        ("My sister's son plays the cello.", "Ann's niece plays the cello."),
        ("My sister's son plays the cello.", "Ann's son plays the cello."),
        ("My daughter had a baby, a girl, she's called Ida.", "Ann has a grandson named Ida."),
        ("My mother's brother drives a tram.", "Ann's brother drives a tram."),
        ("我姐生了个女儿，取名叫小雨。", "Ann有个女儿叫小雨。"),
        ("我姐生了个女儿，取名叫小雨。", "Ann有个外甥叫小雨。"),
        ("我哥哥的儿子考上了医学院。", "Ann的儿子考上了医学院。"),
        ("我哥哥的儿子考上了医学院。", "Ann考上了医学院。"),
        ("我老公的姐姐开了家花店。", "Ann的姐姐开了家花店。"),
        ("我的车是红的，他的车是蓝的。", "Ann的车是蓝的。"),
        ("我的包在楼上，妹妹的包在楼下。", "Ann的包在楼下。"),
        ("同学觉得榴莲臭，我倒喜欢。", "Ann认为榴莲很臭。"),
        ("I had the scan on Monday and met the surgeon on Friday", "Ann had the scan on Friday."),
        ("The bus leaves before nine and the tram before ten.", "The tram leaves before nine."),
        ("The oven has to stay at 200 °C.", "The oven must stay at 200 degrees Fahrenheit."),
        ("The balcony has 6 m².", "The balcony has 6 metres."),
        ("I need two dozen cups.", "Ann needs 12 cups."),
        ("The wall leans by 4 cm.", "There is a 4 mm lean in the wall."),
        ("I'm painting the shed this week.", "Ann was painting the shed in the week of 2 March 2026."),
        ("主刀的是我表弟的导师。", "主刀的是Ann的导师。"),
        ("That's my cousin's tutor over there.", "Ann's tutor is over there."),
        ("The flat belongs to my boss's uncle.", "The flat belongs to Ann's uncle."),
        ("照片里是我室友的狗。", "照片里是Ann的狗。"),
        ("我下雨天打车上班。", "Ann每天打车上班。"),
        ("Server A has 64 GB of RAM, server B only 16.", "Server B has 64 GB of RAM."),
        ("Box A weighs 5 kg and box B 9 kg.", "Box B weighs 5 kg."),
        ("车位一个月四百。", "Ann的车位每周400元。"),
        ("I'll order the tiles once the kitchen is measured.", "Ann orders the tiles in Graz."),
        ("I'll order the tiles if the bank approves the loan.", "Ann will order the tiles with the loan."),
        ("If I get the visa, I'll move to Oslo.", "Ann moves to Oslo."),
        ("如果老板批准，我就去培训。", "Ann去培训。"),
    ],
)
def test_what_belongs_to_another_is_rejected(said: str, claim: str) -> None:
    assert verdict(said, claim) is not None


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("My husband's sister keeps bees in Kent.", "Ann's sister-in-law keeps bees in Kent."),
        ("My husband's sister keeps bees in Kent.", "Ann's husband's sister keeps bees in Kent."),
        ("My sister's son plays the cello.", "Ann's nephew plays the cello."),
        ("My daughter had a baby, a girl, she's called Ida.", "Ann has a granddaughter named Ida."),
        ("My mother's brother drives a tram.", "Ann's uncle drives a tram."),
        ("我姐生了个女儿，取名叫小雨。", "Ann有个外甥女叫小雨。"),
        ("我哥哥的儿子考上了医学院。", "Ann的侄子考上了医学院。"),
        ("我老公的姐姐开了家花店。", "Ann的大姑子开了家花店。"),
        ("合同里禁止养狗，我也没辙。", "Ann的合同不准养狗。"),
        ("奶奶总念叨，说后院那棵枣树有百年了。", "Ann的奶奶说后院的枣树有百年了。"),
        ("同学觉得榴莲臭，我倒喜欢。", "Ann的同学认为榴莲很臭。"),
        ("车位一个月四百，每月五号交。", "Ann的车位每月400元，每月5日交。"),
        (
            "I had the scan on Monday and met the surgeon on Friday",
            "Ann had the scan before meeting the surgeon.",
        ),
        ("The oven has to stay at 200 °C.", "The oven must stay at 200 degrees Celsius."),
        ("The balcony has 6 m².", "The balcony has 6 square metres."),
        ("阳台才6㎡。", "阳台只有6平方米。"),
        ("I need two dozen cups.", "Ann needs 24 cups."),
        ("The wall leans by 4 cm.", "There is a 4 cm lean in the wall."),
        ("I'm painting the shed this week.", "Ann was painting the shed in the week of 9 March 2026."),
        ("主刀的是我表弟的导师。", "主刀的是Ann表弟的导师。"),
        ("The flat belongs to my boss's uncle.", "The flat belongs to the uncle of Ann's boss."),
        ("Server A has 64 GB of RAM, server B only 16.", "Server A has 64 GB of RAM."),
        (
            "I'll order the tiles once the kitchen is measured.",
            "Ann plans to order the tiles after the kitchen is measured.",
        ),
        ("I'd sell the piano if the loft gets damp.", "Ann would sell the piano if the loft gets damp."),
        ("The blue folder is in the safe, in case you need it.", "The blue folder is in the safe."),
        ("如果老板批准，我就去培训。", "若老板批准，Ann就去培训。"),
        ("Grandma turns 90 on Sunday.", "Ann's grandmother turns 90 on Sunday."),
    ],
)
def test_what_says_so_in_other_words_is_kept(said: str, claim: str) -> None:
    assert verdict(said, claim) is None
