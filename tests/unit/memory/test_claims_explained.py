"""Two statements side by side of which one explains the other may be told with 'because'; others may not."""

import pytest

from tests.helpers.claims import verdict


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("I can't do Tuesdays any more, I've got choir.", "Ann has choir because she can't do Tuesdays."),
        ("I won't join the hike, my knee hurts.", "Ann's knee hurts because of the hike."),
        ("The kettle broke, I bought a lamp this morning.", "Ann bought a lamp because the kettle broke."),
        (
            "I can't come on Friday. My cousin moved to Oslo.",
            "Ann can't come on Friday because her cousin moved to Oslo.",
        ),
        (
            "I can't come on Friday, and my cousin moved to Oslo.",
            "Ann can't come on Friday because her cousin moved to Oslo.",
        ),
        ("I deployed at three, the site crashed at four.", "The site crashed because Ann deployed at three."),
        (
            "The site crashed at four, I have no idea why, I deployed at three.",
            "The site crashed because Ann deployed at three.",
        ),
        ("I moved to Graz, I have a dog.", "Ann moved to Graz because she has a dog."),
        ("I don't eat meat, but I have three cats.", "Ann doesn't eat meat because she has three cats."),
        ("我周二不行了，要去合唱团。", "Ann要去合唱团，因为周二不行。"),
        ("三点发的版，四点网站挂了，还不知道原因。", "三点的发版导致网站四点挂了。"),
        ("我周五去不了，而且表弟搬到了青岛。", "Ann周五去不了，因为表弟搬到了青岛。"),
        ("我养了只猫，买了辆车。", "Ann买了辆车，因为养了只猫。"),
        (
            "I don't like jazz, my brother plays the drums.",
            "Ann doesn't like jazz because her brother plays the drums.",
        ),
        ("I can't swim, I'm a nurse.", "Ann can't swim because she is a nurse."),
        (
            "I can't find my keys, the plumber comes at nine.",
            "Ann can't find the keys because the plumber comes at nine.",
        ),
        ("My car broke down, I can't come tomorrow.", "The car broke down because Ann can't come tomorrow."),
        ("We won the match, I took the bus home.", "Ann took the bus home because the team won the match."),
        (
            "The vase broke, I cleaned the kitchen that evening.",
            "Ann cleaned the kitchen because the vase broke.",
        ),
        ("我不吃香菜，老公是厨师。", "Ann不吃香菜，因为老公是厨师。"),
    ],
)
def test_a_cause_that_nobody_gave_is_rejected(said: str, claim: str) -> None:
    assert verdict(said, claim) is not None


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        (
            "I can't do Tuesdays any more, I've got choir.",
            "Ann is not available on Tuesdays because she has choir.",
        ),
        ("I won't join the hike, my knee hurts.", "Ann won't join the hike because her knee hurts."),
        (
            "Commit 7f3 broke the form, I reverted it this morning.",
            "Ann reverted commit 7f3 because it broke the form.",
        ),
        ("我周二不行了，要去合唱团。", "Ann周二不行，因为要去合唱团。"),
        ("我周五去不了，要加班。", "Ann周五去不了，因为要加班。"),
        ("I can't come tomorrow, my car broke down.", "Ann can't come tomorrow because the car broke down."),
        (
            "I have to skip lunch, the dentist moved me to noon.",
            "Ann has to skip lunch because the dentist moved her to noon.",
        ),
        ("我不能喝酒，正在吃药。", "Ann不能喝酒，因为正在吃药。"),
        (
            "We have to leave early, our bus goes at nine.",
            "They have to leave early because their bus goes at nine.",
        ),
    ],
)
def test_what_says_so_in_other_words_is_kept(said: str, claim: str) -> None:
    assert verdict(said, claim) is None
