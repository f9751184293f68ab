"""What people say in planted conversations, and the claims that are true of it."""

from dataclasses import dataclass, field

from memory.claims.claim import ClaimKind
from tests.bench import planted_chinese as chinese
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
        slots={"day": chinese.relative_day, "time": chinese.clock, "city": chinese.city},
        kind=ClaimKind.DECISION,
    ),
    Scene(
        said="相机我花了{amount}，发票在抽屉里。",
        quote="相机我花了{amount}",
        claims=("{who}买相机花了{amount}。", "用户的相机花了{amount}，发票在抽屉里。"),
        slots={"amount": chinese.amount},
    ),
    Scene(
        said="我表妹{day}搬到{city}，需要{count}个纸箱。",
        quote="我表妹{day}搬到{city}",
        claims=("{who}的表妹{day}搬到{city}。", "用户的表妹{day}搬到{city}，需要{count}个纸箱。"),
        slots={"day": chinese.day, "city": chinese.city, "count": chinese.count},
    ),
    Scene(
        said="合同编号是{ticket}，{friend}说{day}之前要签字。",
        quote="合同编号是{ticket}，{friend}说{day}之前要签字",
        claims=("合同{ticket}要在{day}之前签字。", "{friend}说合同{day}之前要签字。"),
        slots={"ticket": values.ticket, "friend": chinese.friend, "day": chinese.day},
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
        slots={"title": chinese.title, "count": chinese.count, "city": chinese.city},
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
            "friend": chinese.friend,
            "day": chinese.relative_day,
            "time": chinese.clock,
        },
    ),
    Scene(
        said="房租每个月{amount}，押金交了{count}天。",
        quote="房租每个月{amount}",
        claims=("房租每个月{amount}。", "用户的房租是每个月{amount}。"),
        slots={"amount": chinese.amount, "count": chinese.count},
    ),
    Scene(
        said="升级到版本 {version} 以后就好了，提交号 {digest} 。",
        quote="升级到版本 {version} 以后就好了，提交号 {digest}",
        claims=("升级到版本 {version} 以后就好了。", "提交号是 {digest} ，版本是 {version} 。"),
        slots={"version": values.version, "digest": values.digest},
    ),
)
