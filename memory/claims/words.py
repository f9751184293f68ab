"""The words of a text that carry its meaning, in a form that their inflections share."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memory.claims.text import HAN, is_han


def listed(words: str) -> list[str]:
    """The words of a list that is written as a text."""
    return words.split()


STOP_WORDS = frozenset(
    listed(
        "a an the and or nor but of in on at to for from by with about into onto over under than as is am are was were be"
        " been being do does did done have has had having will would shall should can could may might must i me my mine"
        " myself we us our ours you your yours he him his she her hers it its they them their theirs this that these those"
        " there here who whom whose which what when where why how if then so too very just also only still even up down out"
        " off again once not no never don't doesn't didn't isn't aren't wasn't weren't won't wouldn't can't cannot couldn't"
        " shouldn't haven't hasn't hadn't i'm i'll i've i'd we're we'll we've we'd you're you'll you've he's she's it's they're"
        " they'll that's there's let's let please ok okay yes yeah well oh now both each per via around since until while"
        " because although though unless anymore any some s t ll ve re d m am pm dont cant wont im one ones"
    )
)
"""Words that say nothing by themselves."""

REPORTING = frozenset(
    listed(
        "user users assistant bot ai person people owner member someone somebody speaker he she they said say says saying"
        " told tell tells states stated mentions mentioned mention notes noted reports reported asks asked ask asking wants"
        " want wanted wishes plans plan planned planning decides decided decide decision agrees agreed agree chooses chose"
        " prefers requests requested request confirms confirmed suggests suggested proposes proposed thinks thought believes"
        " believed intends going according question wonders wondered currently now"
    )
)
"""Words with which a summary tells who says something; they need not stand in what was said."""

COMMON = frozenset(
    listed(
        "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february march april"
        " may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec"
    )
)

KIN = (
    r"(?:brother|sister|mother|father|mum|mom|dad|wife|husband|son|daughter|friend|colleague|boss|neighbou?r|partner|girlfriend"
    r"|boyfriend|uncle|aunt|cousin|grandmother|grandfather|manager|flatmate|roommate|parents|kids|team|doctor|landlord)s?"
)
"""People whom others have, for use in a regular expression: "my brother" is not me."""

HAN_KIN = "哥哥|弟弟|姐姐|妹妹|爸爸|妈妈|爸|妈|爷爷|奶奶|老婆|老公|妻子|丈夫|儿子|女儿|朋友|同事|老板|邻居|室友|同学|表妹|表弟|表哥|表姐"
"""The same in Chinese."""

_IRREGULAR = {
    form: base
    for base, forms in {
        "go": "goes went gone going", "buy": "bought", "pay": "paid", "meet": "met", "take": "took taken", "give": "gave given",
        "get": "got gotten", "make": "made", "come": "came", "see": "saw seen", "leave": "left", "live": "lives",
        "eat": "ate eaten", "drink": "drank drunk", "drive": "drove driven", "fly": "flew flown", "send": "sent",
        "speak": "spoke spoken", "write": "wrote written", "read": "reads", "know": "knew known", "begin": "began begun",
        "sell": "sold", "keep": "kept", "lose": "lost", "find": "found", "bring": "brought", "teach": "taught",
        "think": "thought", "choose": "chose chosen", "sleep": "slept", "spend": "spent", "build": "built", "run": "ran",
        "break": "broke broken", "forget": "forgot forgotten", "hold": "held", "hear": "heard", "feel": "felt",
        "mother": "mum mom", "father": "dad", "child": "children", "person": "people", "wife": "wives", "knife": "knives", "move": "moved", "use": "used",
        "owe": "owed owes", "sit": "sat", "win": "won", "wear": "wore worn", "grow": "grew grown", "lead": "led",
    }.items()
    for form in listed(forms)
}  # fmt: skip
_PAST_FORMS = frozenset(_IRREGULAR) - frozenset(
    listed(
        "goes going gone lives reads owes children people wives knives taken given gotten seen eaten drunk driven"
    )
)
_LETTERS = rf"[^\W\d_{HAN}]"
_WORD = re.compile(rf"{_LETTERS}+(?:['-]{_LETTERS}+)*|[{HAN}]+")
# What joins or frames Chinese words; cut out before the characters between are compared in pairs.
_HAN_FRAME = re.compile(
    "用户|主人|可以|以及|助手|助理|表示|提到|决定|认为|计划|打算|希望|询问|说过|说|告诉|确认|同意|建议|提议|是否|什么|怎么|为什么|我们|你们|他们|她们|大家|自己|目前|现在|已经|"
    "不要|不会|不能|不想|不再|不用|没有|并非|没|不|别|未|无|勿|非"
    "|[的了是在和与也都就把被我你他她它这那吧呢吗啊呀哦嘛要会将想给跟对从到于为让请能可很还有个]"
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word that carries meaning, where it stands; of Chinese a pair of characters, or one that stands alone."""

    stem: str
    start: int
    end: int


def content(text: str) -> Iterator[Word]:
    """The words of a tidy text that carry meaning, in reading order."""
    for match in _WORD.finditer(text):
        if is_han(match.group()):
            yield from _han_words(match.group(), at=match.start())
            continue
        for part in re.finditer(r"[^-]+", match.group().casefold()):
            if part.group() not in STOP_WORDS:
                start = match.start() + part.start()
                yield Word(stem(part.group()), start, start + len(part.group()))


def _han_words(run: str, *, at: int) -> Iterator[Word]:
    start = 0
    for frame in [*_HAN_FRAME.finditer(run), None]:
        end = frame.start() if frame else len(run)
        for place in range(start, max(end - 1, start + 1) if end > start else start):
            yield Word(run[place : min(place + 2, end)], at + place, at + min(place + 2, end))
        start = frame.end() if frame else end


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """What the forms of an English word share; harmless for other languages, alike on both sides."""
    bare = re.sub(r"'\w*$", "", word)
    bare = _IRREGULAR.get(bare, bare)
    for ending, least in (("ies", 4), ("ing", 5), ("ied", 4), ("ed", 4), ("es", 5), ("s", 4)):
        if bare.endswith(ending) and len(bare) >= least + (ending == "s") - 1 and not bare.endswith("ss"):
            bare = bare[: -len(ending)] + ("y" if ending in {"ies", "ied"} else "")
            break
    if len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "aeiousl":
        bare = bare[:-1]
    return bare.removesuffix("e") if len(bare) > 3 else bare


def is_past_form(word: str) -> bool:
    """Whether a verb, where it is one, stands in the past."""
    return word in _PAST_FORMS or (word.endswith("ed") and len(word) > 4)


_AKIN_CHARS = 5


def akin(a: str, b: str) -> bool:
    """Whether two stems are forms of one word: equal, or alike in all but their endings."""
    if a == b:
        return True
    if ":" in a or ":" in b or "@" in a or "@" in b:
        return False
    if is_han(a) or is_han(b):
        return (len(a) == 1 and a in b) or (len(b) == 1 and b in a)
    shared = 0
    for left, right in zip(a, b, strict=False):
        if left != right:
            break
        shared += 1
    return shared >= _AKIN_CHARS and shared * 5 >= max(len(a), len(b)) * 3
