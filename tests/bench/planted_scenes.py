"""What people say in planted conversations, and the claims that are true of it."""

from dataclasses import dataclass, field

from memory.claims.claim import ClaimKind
from tests.bench import planted_values as values
from tests.bench.planted_values import Maker


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A message with slots, the words to quote from it, and true claims; `{who}` is its speaker."""

    said: str
    quote: str
    claims: tuple[str, ...]
    slots: dict[str, Maker] = field(default_factory=dict)
    kind: ClaimKind = ClaimKind.FACT


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A message, what is true of it, and what a careless summary makes of it in this way."""

    said: str
    true: tuple[str, ...]
    false: tuple[str, ...]
    way: str
    kind: ClaimKind = ClaimKind.FACT


ENGLISH = (
    Scene(
        said="Let's meet {day} at {time} at {place}.",
        quote="Let's meet {day} at {time}",
        claims=(
            "{who} decided to meet {day} at {time} at {place}.",
            "The meeting at {place} is {day} at {time}; {who} decided to meet there.",
        ),
        slots={"day": values.relative_day, "time": values.clock, "place": values.place},
        kind=ClaimKind.DECISION,
    ),
    Scene(
        said="Quick note: I paid {amount} for the camera in {city}. The receipt is in the drawer.",
        quote="I paid {amount} for the camera",
        claims=(
            "{who} paid {amount} for the camera in {city}.",
            "The user paid {amount} for a camera.",
            "The camera from {city} cost {amount}, which {who} paid.",
        ),
        slots={"amount": values.amount, "city": values.city},
    ),
    Scene(
        said="My cousin {friend} moves to {city} {day}, and I'm helping with the boxes.",
        quote="My cousin {friend} moves to {city}",
        claims=(
            "{who}'s cousin {friend} moves to {city} {day}.",
            "{who} said that their cousin {friend} is moving to {city} {day}.",
        ),
        slots={"friend": values.friend, "city": values.city, "day": values.written_day},
    ),
    Scene(
        said="The invoice is {ticket}. It's due {day} and it's about the roof.",
        quote="The invoice is {ticket}. It's due {day}",
        claims=("Invoice {ticket} is due {day}.", "The invoice {ticket} about the roof is due {day}."),
        slots={"ticket": values.ticket, "day": values.written_day},
    ),
    Scene(
        said="You can reach me at {mail}, or call {phone} in an emergency.",
        quote="reach me at {mail}, or call {phone}",
        claims=(
            "{who} can be reached at {mail}.",
            "In an emergency, call {who} on {phone}.",
            "{who}'s contacts: {mail}, {phone} in an emergency.",
        ),
        slots={"mail": values.mail, "phone": values.phone},
    ),
    Scene(
        said="The deployment reads {path}; the host answers on {address}.",
        quote="The deployment reads {path}; the host answers on {address}",
        claims=("The deployment reads {path}.", "The deployment host answers on {address}."),
        slots={"path": values.path, "address": values.address},
    ),
    Scene(
        said="We go with version {version} for the autumn release.",
        quote="We go with version {version}",
        claims=(
            "The autumn release uses version {version}.",
            "{who} decided to go with version {version} for the autumn release.",
        ),
        slots={"version": values.version},
        kind=ClaimKind.DECISION,
    ),
    Scene(
        said="For the garden party {day} we need {count} folding chairs, and {friend} brings the lanterns.",
        quote="we need {count} folding chairs, and {friend} brings the lanterns",
        claims=(
            "The garden party {day} needs {count} folding chairs.",
            "{friend} brings the lanterns to the garden party {day}.",
            "{count} folding chairs are needed for the garden party.",
        ),
        slots={"day": values.relative_day, "count": values.count, "friend": values.friend},
    ),
    Scene(
        said="The handbook lives at {link} now, please bookmark it.",
        quote="The handbook lives at {link}",
        claims=("The handbook is at {link}.", "{who} asked to bookmark the handbook at {link}."),
        slots={"link": values.link},
    ),
    Scene(
        said="Commit {digest} broke the upload form, I reverted it {day}.",
        quote="Commit {digest} broke the upload form",
        claims=(
            "Commit {digest} broke the upload form.",
            "{who} reverted commit {digest} because it broke the upload form.",
        ),
        slots={
            "digest": values.digest,
            "day": lambda _rng, _today: values.Value(said="this morning", true=("this morning",)),
        },
    ),
    Scene(
        said='We settled on "{title}" as the name of the exhibition. It opens {day}.',
        quote='We settled on "{title}" as the name of the exhibition. It opens {day}',
        claims=(
            'The exhibition is called "{title}".',
            'They settled on "{title}" as the exhibition\'s name; it opens {day}.',
        ),
        slots={"title": values.title, "day": values.written_day},
        kind=ClaimKind.DECISION,
    ),
    Scene(
        said="I've been working at {firm} for {count} years, mostly on the scheduling team.",
        quote="I've been working at {firm} for {count} years",
        claims=(
            "{who} has been working at {firm} for {count} years.",
            "The user works at {firm}, mostly on the scheduling team.",
        ),
        slots={"firm": values.firm, "count": values.count},
    ),
    Scene(
        said="The train to {city} leaves at {time} {day} and costs {amount}.",
        quote="The train to {city} leaves at {time}",
        claims=("The train to {city} leaves at {time} {day}.", "The train to {city} {day} costs {amount}."),
        slots={
            "city": values.city,
            "time": values.clock,
            "day": values.relative_day,
            "amount": values.amount,
        },
    ),
    Scene(
        said="Please always answer me in short sentences, and call me {friend}.",
        quote="Please always answer me in short sentences",
        claims=(
            "{who} wants answers in short sentences.",
            "{who} asks to be called {friend} and to be answered in short sentences.",
        ),
        slots={"friend": values.friend},
    ),
    Scene(
        said="{friend} will pick up the keys from {firm} {day}; I told the landlord already.",
        quote="{friend} will pick up the keys",
        claims=("{friend} will pick up the keys from {firm} {day}.", "{friend} picks up the keys {day}."),
        slots={"friend": values.friend, "firm": values.firm, "day": values.relative_day},
    ),
)

CHINESE = (
    Scene(
        said="那就这么定了：{day}{time}在{city}见面。",
        quote="{day}{time}在{city}见面",
        claims=("{who}决定{day}{time}在{city}见面。", "大家决定{day}{time}在{city}见面。"),
        slots={"day": values.chinese_relative_day, "time": values.chinese_clock, "city": values.chinese_city},
        kind=ClaimKind.DECISION,
    ),
    Scene(
        said="相机我花了{amount}，发票在抽屉里。",
        quote="相机我花了{amount}",
        claims=("{who}买相机花了{amount}。", "用户的相机花了{amount}，发票在抽屉里。"),
        slots={"amount": values.chinese_amount},
    ),
    Scene(
        said="我表妹{day}搬到{city}，需要{count}个纸箱。",
        quote="我表妹{day}搬到{city}",
        claims=("{who}的表妹{day}搬到{city}。", "用户的表妹{day}搬到{city}，需要{count}个纸箱。"),
        slots={"day": values.chinese_day, "city": values.chinese_city, "count": values.chinese_count},
    ),
    Scene(
        said="合同编号是{ticket}，{friend}说{day}之前要签字。",
        quote="合同编号是{ticket}，{friend}说{day}之前要签字",
        claims=("合同{ticket}要在{day}之前签字。", "{friend}说合同{day}之前要签字。"),
        slots={"ticket": values.ticket, "friend": values.chinese_friend, "day": values.chinese_day},
    ),
    Scene(
        said="我的邮箱是{mail}，急事打{phone}。",
        quote="我的邮箱是{mail}，急事打{phone}",
        claims=("{who}的邮箱是{mail}。", "有急事可以打{who}的电话{phone}。"),
        slots={"mail": values.mail, "phone": values.phone},
    ),
    Scene(
        said="读书会下次读《{title}》，{count}个人参加，地点在{city}。",
        quote="读书会下次读《{title}》",
        claims=("读书会下次读《{title}》。", "读书会下次读《{title}》，有{count}个人参加。"),
        slots={"title": values.chinese_title, "count": values.chinese_count, "city": values.chinese_city},
    ),
    Scene(
        said="配置文件在{path}，文档在 {link} 。",
        quote="配置文件在{path}",
        claims=("配置文件在{path}。", "文档在 {link} 。"),
        slots={"path": values.path, "link": values.link},
    ),
    Scene(
        said="{friend}{day}{time}来家里吃饭，我做饭。",
        quote="{friend}{day}{time}来家里吃饭",
        claims=("{friend}{day}{time}来家里吃饭。", "{friend}{day}来{who}家里吃饭。"),
        slots={
            "friend": values.chinese_friend,
            "day": values.chinese_relative_day,
            "time": values.chinese_clock,
        },
    ),
    Scene(
        said="房租每个月{amount}，押金交了{count}天。",
        quote="房租每个月{amount}",
        claims=("房租每个月{amount}。", "用户的房租是每个月{amount}。"),
        slots={"amount": values.chinese_amount, "count": values.chinese_count},
    ),
    Scene(
        said="升级到版本 {version} 以后就好了，提交号 {digest} 。",
        quote="升级到版本 {version} 以后就好了，提交号 {digest}",
        claims=("升级到版本 {version} 以后就好了。", "提交号是 {digest} ，版本是 {version} 。"),
        slots={"version": values.version, "digest": values.digest},
    ),
)

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
