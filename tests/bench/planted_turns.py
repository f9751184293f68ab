"""Sentences that careless summaries turn round: denied, doubted, asked, past, opposite, of something else."""

from dataclasses import dataclass

from memory.claims.claim import ClaimKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A message, what is true of it, and what a careless summary makes of it in this way."""

    said: str
    true: tuple[str, ...]
    false: tuple[str, ...]
    way: str
    kind: ClaimKind = ClaimKind.FACT


NEGATION = "negation dropped"
ADDED = "negation added"
HEDGE = "hedge dropped"
ASKED = "question told as fact"
PAST = "former times told as now"
OPPOSITE = "opposite"
CROSSED = "value of something else"

TURNS = (
    Turn(
        said="I don't eat shellfish, but I love oysters' cousins, mushrooms.",
        true=("{who} doesn't eat shellfish.", "{who} loves mushrooms."),
        false=("{who} eats shellfish.", "The user eats shellfish."),
        way=NEGATION,
    ),
    Turn(
        said="We won't renew the lease of the workshop.",
        true=("The lease of the workshop won't be renewed.", "They will not renew the workshop's lease."),
        false=("They renew the lease of the workshop.", "The workshop's lease will be renewed."),
        way=NEGATION,
        kind=ClaimKind.DECISION,
    ),
    Turn(
        said="The backup never ran on the old laptop.",
        true=("The backup never ran on the old laptop.",),
        false=("The backup ran on the old laptop.",),
        way=NEGATION,
    ),
    Turn(
        said="I'm no longer a member of the rowing club.",
        true=(
            "{who} is no longer a member of the rowing club.",
            "{who} isn't a member of the rowing club any more.",
        ),
        false=("{who} is a member of the rowing club.",),
        way=NEGATION,
    ),
    Turn(
        said="Nobody has tested the payment page yet.",
        true=("The payment page has not been tested yet.", "Nobody tested the payment page."),
        false=("The payment page has been tested.",),
        way=NEGATION,
    ),
    Turn(
        said="I can't come to the rehearsal because of my knee.",
        true=("{who} can't come to the rehearsal.",),
        false=("{who} can come to the rehearsal.", "{who} comes to the rehearsal."),
        way=NEGATION,
    ),
    Turn(
        said="My sister speaks fluent Portuguese.",
        true=("{who}'s sister speaks fluent Portuguese.",),
        false=("{who}'s sister doesn't speak Portuguese.", "{who}'s sister never spoke fluent Portuguese."),
        way=ADDED,
    ),
    Turn(
        said="I take sugar in my tea.",
        true=("{who} takes sugar in tea.",),
        false=("{who} does not take sugar in tea.", "{who} takes tea without sugar."),
        way=ADDED,
    ),
    Turn(
        said="The landlord allows pets in the flat.",
        true=("The landlord allows pets in the flat.",),
        false=("The landlord doesn't allow pets in the flat.", "The landlord forbids pets in the flat."),
        way=ADDED,
    ),
    Turn(
        said="Maybe I'll sell the piano in autumn.",
        true=("{who} may sell the piano in autumn.", "Perhaps {who} sells the piano in autumn."),
        false=("{who} will sell the piano in autumn.", "{who} sells the piano in autumn."),
        way=HEDGE,
    ),
    Turn(
        said="We might hire a second gardener.",
        true=("They might hire a second gardener.",),
        false=("They hire a second gardener.", "They will hire a second gardener."),
        way=HEDGE,
    ),
    Turn(
        said="If the grant comes through, I'll study in Ghent.",
        true=("{who} will study in Ghent if the grant comes through.",),
        false=("{who} will study in Ghent.",),
        way=HEDGE,
    ),
    Turn(
        said="I'm not sure the parcel has arrived.",
        true=("{who} is not sure the parcel has arrived.",),
        false=("The parcel has arrived.", "The parcel has not arrived."),
        way=HEDGE,
    ),
    Turn(
        said="Does the museum open on Mondays?",
        true=("{who} asked whether the museum opens on Mondays.",),
        false=("The museum opens on Mondays.",),
        way=ASKED,
    ),
    Turn(
        said="Should we book the ferry for the whole group?",
        true=("{who} asked whether to book the ferry for the whole group.",),
        false=("The ferry is booked for the whole group.",),
        way=ASKED,
    ),
    Turn(
        said="I used to play the cello in an orchestra.",
        true=("{who} used to play the cello in an orchestra.",),
        false=("{who} plays the cello in an orchestra.",),
        way=PAST,
    ),
    Turn(
        said="I formerly lived near the lighthouse.",
        true=("{who} formerly lived near the lighthouse.",),
        false=("{who} lives near the lighthouse.",),
        way=PAST,
    ),
    Turn(
        said="I hate the red curtains in the hall.",
        true=("{who} hates the red curtains in the hall.",),
        false=("{who} likes the red curtains in the hall.", "{who} hates the blue curtains in the hall."),
        way=OPPOSITE,
    ),
    Turn(
        said="My brother sold the boat.",
        true=("{who}'s brother sold the boat.",),
        false=("{who}'s brother bought the boat.", "{who}'s sister sold the boat."),
        way=OPPOSITE,
    ),
    Turn(
        said="The library closes at 18:00 and the pool closes at 21:00.",
        true=("The library closes at 18:00.", "The pool closes at 21:00."),
        false=("The pool closes at 18:00.", "The library closes at 21:00."),
        way=CROSSED,
    ),
    Turn(
        said="Jonas owes me 45 euros. Mila owes me 60 euros.",
        true=("Jonas owes {who} 45 euros.", "Mila owes {who} 60 euros."),
        false=("Jonas owes {who} 60 euros.", "Mila owes {who} 45 euros."),
        way=CROSSED,
    ),
    Turn(
        said="我不吃辣，也不喝酒。",
        true=("{who}不吃辣。", "用户不喝酒。"),
        false=("{who}吃辣。", "用户喝酒。"),
        way=NEGATION,
    ),
    Turn(
        said="我们没有续租那间工作室。",
        true=("工作室没有续租。",),
        false=("工作室续租了。", "他们续租了那间工作室。"),
        way=NEGATION,
    ),
    Turn(
        said="我已经不在出版社上班了。",
        true=("{who}已经不在出版社上班了。",),
        false=("{who}在出版社上班。",),
        way=NEGATION,
    ),
    Turn(
        said="我对花粉过敏。",
        true=("{who}对花粉过敏。", "用户对花粉过敏。"),
        false=("{who}对花粉不过敏。", "用户不对花粉过敏。"),
        way=ADDED,
    ),
    Turn(said="房东允许养猫。", true=("房东允许养猫。",), false=("房东不允许养猫。",), way=ADDED),
    Turn(
        said="我可能秋天把钢琴卖掉。",
        true=("{who}可能秋天把钢琴卖掉。",),
        false=("{who}秋天把钢琴卖掉。", "用户秋天要卖掉钢琴。"),
        way=HEDGE,
    ),
    Turn(
        said="如果奖学金下来，我就去根特读书。",
        true=("如果奖学金下来，{who}就去根特读书。",),
        false=("{who}去根特读书。",),
        way=HEDGE,
    ),
    Turn(
        said="博物馆周一开门吗？",
        true=("{who}问博物馆周一是否开门。",),
        false=("博物馆周一开门。",),
        way=ASKED,
    ),
    Turn(
        said="我以前在乐团拉大提琴。",
        true=("{who}以前在乐团拉大提琴。",),
        false=("{who}在乐团拉大提琴。",),
        way=PAST,
    ),
    Turn(
        said="我讨厌客厅的红色窗帘。",
        true=("{who}讨厌客厅的红色窗帘。",),
        false=("{who}喜欢客厅的红色窗帘。", "{who}讨厌客厅的蓝色窗帘。"),
        way=OPPOSITE,
    ),
    Turn(
        said="图书馆六点关门，游泳馆九点关门。",
        true=("图书馆六点关门。", "游泳馆9点关门。"),
        false=("游泳馆六点关门。", "图书馆9点关门。"),
        way=CROSSED,
    ),
)
