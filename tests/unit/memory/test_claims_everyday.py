"""Everyday statements in both languages, told truly and falsely."""

import pytest

from tests.helpers.claims import verdict


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("billing服务调用ledger，ledger不调用别的。", "ledger服务调用billing。"),
        ("Tom欠Kim三百块。", "Kim欠Tom三百块。"),
        ("佳能坏了，尼康只是要换根背带。", "尼康坏了。"),
        ("洗衣机响得厉害，烘干机没问题。", "烘干机响得厉害。"),
        ("The lease expired in May.", "The lease is valid."),
        ("My dad passed away when I was nine.", "Ann's dad lives."),
        ("I gave up dairy in January.", "Ann eats dairy."),
        ("I'm hoping to get into the academy.", "Ann got into the academy."),
        ("I jogged to work.", "Ann jogs to work every day."),
        ("I haven't decided whether to sell the flat.", "Ann decided to sell the flat."),
        ("我妈说她不来过年。", "Ann不来过年。"),
        ("这里禁止吸烟。", "这里可以吸烟。"),
        ("我差点把车卖了。", "Ann把车卖了。"),
    ],
)
def test_what_was_not_said_is_rejected(said: str, claim: str) -> None:
    assert verdict(said, claim) is not None


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("billing服务调用ledger，ledger不调用别的。", "billing服务调用ledger。"),
        ("Tom欠Kim三百块。", "Tom欠Kim三百块。"),
        ("佳能坏了，尼康只是要换根背带。", "佳能坏了。"),
        ("My brother isn't vegetarian, he just dislikes pork.", "Ann's brother dislikes pork."),
        ("The pool has been closed since June.", "The pool is closed."),
        ("We closed the deal with Norsk on Monday.", "Ann's team closed the deal with Norsk on Monday."),
        ("Both kids finally finished school and we moved to Lund.", "Ann moved to Lund."),
        ("The lease expired, so we rent month to month.", "They rent month to month."),
        ("My dad passed away when I was nine.", "Ann's dad passed away when Ann was nine."),
        ("I gave up dairy in January.", "Ann gave up dairy in January."),
        ("I applied for the grant; the answer comes in May.", "Ann applied for the grant."),
        ("I was asked for my ID at the door.", "Ann was asked for ID at the door."),
        ("I asked for a window seat.", "Ann requested a window seat."),
        ("I like to swim before breakfast.", "Ann likes to swim before breakfast."),
        ("I go jogging every morning.", "Ann goes jogging daily."),
        ("I jog on weekdays.", "Ann jogs on weekdays."),
        ("I'll fly on Friday, after finishing the report.", "Ann will fly on Friday."),
        ("My wife will be away and I'll cook.", "Ann will cook."),
        (
            "We decided to repaint the hall because the old paint flaked.",
            "They decided to repaint the hall because the old paint flaked.",
        ),
        ("There were a dozen guests.", "There were 12 guests."),
        ("I haven't decided whether to sell the flat.", "Ann has not decided whether to sell the flat."),
        ("Nobody from my team can come.", "Ann's team can't come."),
        ("The shop doesn't accept cards.", "The shop rejects cards."),
        ("I said yes to the offer from Bosch.", "Ann accepted the offer from Bosch."),
        ("I cancelled my gym membership in May.", "Ann no longer has a gym membership."),
        ("I quit my job at the bank.", "Ann no longer works at the bank."),
        ("我辞职了，下月去青岛。", "Ann下月去青岛。"),
        ("我把旧相机卖了，换了新的。", "Ann卖了旧相机。"),
        ("爷爷去世前住在无锡。", "Ann的爷爷去世前住在无锡。"),
        ("我没买票。", "Ann没有买票。"),
        ("我每天喝两杯咖啡。", "Ann每天喝两杯咖啡。"),
        ("我申请了签证，已经批了。", "Ann的签证已经批了。"),
        ("他们离婚了，孩子跟妈妈。", "孩子跟妈妈。"),
        ("我在读博，导师姓陈。", "Ann在读博。"),
        ("我表弟的导师姓陈。", "Ann表弟的导师姓陈。"),
        ("我妈说她不来过年。", "Ann的妈妈说她不来过年。"),
        ("比赛取消了。", "比赛不办了。"),
        ("我打算下月搬家，要是能找到房子的话。", "Ann打算找到房子后下月搬家，如果能找到的话。"),
        ("我不认识路，只好打车。", "Ann不认识路。"),
        ("这里禁止吸烟。", "这里不能吸烟。"),
    ],
)
def test_what_says_so_in_other_words_is_kept(said: str, claim: str) -> None:
    assert verdict(said, claim) is None
