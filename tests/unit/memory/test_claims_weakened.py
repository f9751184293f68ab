"""A jest, a dream, a try, a suggestion and what is to come are not told as done; words of others not as one's own."""

import pytest

from tests.helpers.claims import verdict


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("We applied for a parking permit in May.", "Ann received a parking permit in May."),
        ("I'm trying to reach the landlord.", "Ann reached the landlord."),
        ("I tried to fix the tap.", "Ann repaired the tap."),
        ("I asked for a refund of the ticket.", "Ann obtained a refund of the ticket."),
        ("haha my backpack is heavier than a cow", "Ann's backpack is heavier than a cow."),
        (
            "I've told him a thousand times to lock the gate.",
            "Ann told him a thousand times to lock the gate.",
        ),
        ("Just kidding, I bought a castle in Spain!", "Ann bought a castle in Spain."),
        ("lol I'm starving to death here in the queue", "Ann is starving to death in the queue."),
        ("I dream of a cabin by the lake.", "Ann plans a cabin by the lake."),
        ("I'd love to see the northern lights someday.", "Ann intends to see the northern lights."),
        ("I'll be having the piano tuned on Monday.", "Ann has had the piano tuned."),
        ("The roof is going to be repaired in June.", "The roof has been repaired."),
        ('My neighbour wrote: "The baby arrived last night!"', "Ann's baby arrived last night."),
        ("I suspect mice chewed the cable.", "Mice chewed Ann's cable."),
        ("Mum was in hospital when we spoke.", "Ann's mum is in hospital."),
        ("我申请了奖学金。", "Ann获得了奖学金。"),
        ("我在找失踪的猫。", "Ann找到了失踪的猫。"),
        ("我试着修水管。", "Ann修好了水管。"),
        ("哈哈，我饿得能吃下一头牛，比牛还能吃。", "Ann比牛还能吃。"),
        ("我跟他说了八百遍别迟到。", "Ann跟他说了八百遍别迟到。"),
        ("我做梦都想去冰岛。", "Ann计划去冰岛。"),
        ("我正筹备一场展览。", "Ann办了一场展览。"),
        ("改天我把梯子借你。", "Ann把梯子借了出去。"),
        ("我建议聚会改在周五。", "聚会定在周五。"),
        ("表姐讲，她辞职了。", "Ann辞职了。"),
        ('同学发消息："拿到驾照了！"', "Ann拿到了驾照。"),
    ],
)
def test_more_than_was_said_is_rejected(said: str, claim: str) -> None:
    assert verdict(said, claim) is not None


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("We applied for a parking permit in May.", "Ann applied for a parking permit in May."),
        ("We applied for a parking permit and got it in May.", "Ann received a parking permit in May."),
        ("I tried to fix the tap and managed it.", "Ann repaired the tap."),
        ("I tried the new cafe, it was crowded.", "Ann visited the new cafe."),
        ("haha yes, I moved to Graz in May", "Ann moved to Graz in May."),
        ("lol I forgot my umbrella at work", "Ann forgot the umbrella at work."),
        ("I dream of a cabin by the lake.", "Ann dreams of a cabin by the lake."),
        ("I dream of Norway and plan to go to Norway in May.", "Ann plans to go to Norway in May."),
        ("I'll be having the piano tuned on Monday.", "Ann will have the piano tuned on Monday."),
        (
            'My neighbour wrote: "The baby arrived last night!"',
            "Ann's neighbour wrote that the baby arrived last night.",
        ),
        ('I told Bob: "The baby arrived last night!"', "Ann told Bob that the baby arrived last night."),
        ("Mum was in hospital when we spoke.", "Ann's mum was in hospital."),
        ("I am on a diet.", "Ann is on a diet."),
        ("我申请了奖学金。", "Ann申请了奖学金。"),
        ("我申请了奖学金，成功了。", "Ann成功申请到了奖学金。"),
        ("我修好了水管。", "Ann修好了水管。"),
        ("哈哈，我搬到青岛了。", "Ann搬到了青岛。"),
        ("我累得脚都肿了。", "Ann脚肿了。"),
        ("我做梦都想去冰岛。", "Ann梦想去冰岛。"),
        ("改天我把梯子借你。", "Ann改天会借出梯子。"),
        ("大家说好聚会定在周五。", "聚会定在周五。"),
        ("表姐讲，她辞职了。", "Ann的表姐辞职了。"),
        ("我回头看了一眼，车已经走了。", "Ann回头看了一眼。"),
        ("我们准备了三天，办了展览。", "Ann办了展览。"),
    ],
)
def test_what_says_so_in_other_words_is_kept(said: str, claim: str) -> None:
    assert verdict(said, claim) is None
