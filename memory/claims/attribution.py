"""Who a claim says it is about, held against who the record says spoke."""

import re
from collections.abc import Collection, Sequence
from datetime import UTC

from memory.claims.anchors import AnchorKind, mentions
from memory.claims.anchors.names import OPENERS, PERSON, is_common
from memory.claims.meaning import tells_of_asking
from memory.claims.passages import Passage
from memory.claims.text import HAN, UPPER, clauses, fold, is_han
from memory.claims.words import HAN_KIN, KIN, akin, content
from memory.messages import AssistantMessage, UserMessage

_LEAD = re.compile(
    r"^\s*(?:on [^,]{3,30},\s*|according to\s+|(?:perhaps|maybe|probably|possibly|currently|so far|apparently|only|both|yesterday|tomorrow|today)\s+|as of [^,]{3,30},\s*|\W+)?(?:the\s+)?",
    re.IGNORECASE,
)
_VERBS_OF_SAYING = (
    r"(?:said|says|say|decided|decides|agreed|agrees|told|asked|asks|wants|wanted|promised|promises|suggested|suggests|proposed"
    r"|proposes|confirmed|confirms|stated|states|mentioned|mentions|thinks|believes|prefers|requested|requests|plans|chose|chooses"
    r"|offered|offers|reported|reports)"
)
_WORD = rf"(?-i:[{UPPER}])[^\W\d{HAN}]*(?:-[^\W\d{HAN}]+)*"
_NAME = rf"{_WORD}(?: {_WORD})?"
_NAMED_SAYER = re.compile(rf"\b(?P<name>{_NAME}) (?:has |also |already )?{_VERBS_OF_SAYING}\b")
_ACCORDING = re.compile(
    rf"\b(?:according to|(?:said|decided|asked|agreed|told|promised|proposed|suggested|confirmed|chosen|requested|reported) by) (?P<name>{_NAME})"
)
_GERUND = re.compile(r"[^\W\d]+ing$")
_OPENING_NAME = re.compile(rf"(?P<name>{_NAME})(?:'s?\b)?(?!\w|-\d)")
_USER = re.compile(r"(?:users?|owner|member|person|speaker)\b|用户|主人|对方", re.IGNORECASE)
_ASSISTANT = re.compile(r"(?:assistant|bot|ai|mneme)\b|助手|助理|机器人", re.IGNORECASE)
_HAN_SAYER = re.compile(
    r"(?:^|[,。;\s\"(])(?P<name>[\u4e00-\u9fff]{2,4}?)(?:说|表示|决定|同意|认为|提议|建议|打算|希望|答应|承诺|询问|要求|确认|提到|告诉|想|问|要|会|将|在|住|不|没|有|是|喜欢|付|去|明天|今天|后天|下周|的)"
)
_NO_PERSON = re.compile(
    "用户|主人|我们|大家|他们|她们|他|她|我|你|您|对方|团队|助手|助理|会议|航班|项目|预算|晚饭|火车|飞机|价格|电话|地址|密码|订单|房租|门票|合同|快递|酒店|开会|周[一二三四五六日末]|生日|双方|公司|这|那"
)
_FIRST_PERSON = re.compile(
    r"\b(?:i|we|i'm|i'll|i've|i'd|we're|we'll|we've|we'd|me|my|let's|lets|us|our)\b|我|咱", re.IGNORECASE
)
_FRAMES = re.compile(
    r"\b(?:i|we) (?:also |just |really )?(?:think|hope|know|heard|guess|believe|met|saw|told|learned|understand|suppose|expect|remember|said|mean|bet|assume)\b"
    r"|我(?:觉得|听说|知道|认为|希望|猜|想起|记得|以为)",
    re.IGNORECASE,
)
_OTHERS_FIRST = re.compile(
    rf"^\W*(?:(?P<pronoun>he|she|they|you)\b|(?P<owned>my|our|his|her|their|your) (?P<whom>[a-z]+)|(?P<name>{_NAME})(?=\s(?:is|was|has|had|will|would|can|said|told|came|went|made|took|got|sent|paid|bought|met|wrote|brought|left|[a-z]+s|[a-z]+ed)\b)"
    rf"|(?P<han>他|她|你|您)|(?:我(?:的)?)?(?P<kin>{HAN_KIN})|(?P<told>{PERSON.pattern}?)(?=(?:昨天|今天|刚才?)?(?:告诉|跟我说|对我说|说)))",
    re.IGNORECASE,
)
_BY = r"(?:\bby |由|被|让|派)"
_IS_KIN = re.compile(KIN)
_PRONOUNS = re.compile(r"\b(?:he|she|they|him|her|his|their|them)\b|他|她", re.IGNORECASE)


def misattribution(claim: str, *, given: Sequence[Passage], speakers: Collection[str]) -> str | None:
    """What the tidy claim gets wrong about who spoke, or None. `speakers` are all of the summarised range."""
    lead = _LEAD.match(claim)
    opening = claim[lead.end() if lead else 0 :]
    if _ASSISTANT.match(opening) and not any(isinstance(each.message, AssistantMessage) for each in given):
        return "the evidence is not the assistant's words"
    if _USER.match(opening):
        people = [each for each in given if isinstance(each.message, UserMessage)]
        return _about_speaker(claim, people, name="the user", count=len(given))
    for name in subjects(claim, opening=opening, speakers=speakers):
        own = [each for each in given if is_name_of(name, each.speaker)]
        wrong = _about_speaker(claim, own, name=name, count=len(given)) if own else _about_other(name, given)
        is_speaker = any(is_name_of(name, each) for each in speakers)
        told = [each for each in given if not is_speaker or isinstance(each.message, UserMessage)]
        if wrong and not any(is_told_of(name, each) for each in told):
            return wrong
    return None


def is_user(claim: str) -> bool:
    """Whether the claim is about "the user", whoever that is."""
    lead = _LEAD.match(claim)
    return _USER.match(claim, lead.end() if lead else 0) is not None


def subjects(claim: str, *, opening: str, speakers: Collection[str]) -> list[str]:
    """The names of whom the claim says that they said, did or are something."""
    found = [match["name"] for pattern in (_NAMED_SAYER, _ACCORDING) for match in pattern.finditer(claim)]
    opener = _OPENING_NAME.match(opening)
    if opener and not _GERUND.match(opener.group()):
        found.append(opener["name"])
    found += [
        match["name"] for match in _HAN_SAYER.finditer(claim) if _may_be_person(match["name"], speakers)
    ]
    found += [each for each in speakers if re.search(rf"{_BY}{re.escape(each)}", claim)]
    found += [each for each in speakers if is_han(each) and opening.startswith(each)]
    return list(dict.fromkeys(name for each in found if (name := _proper(each))))


def _proper(name: str) -> str:
    """The name without common words before it: "Perhaps Ann" is Ann."""
    words = name.split()
    while words and (is_common(words[0]) or words[0].casefold() in OPENERS):
        del words[0]
    return " ".join(words)


def is_name_of(name: str, speaker: str) -> bool:
    """Whether a claim's name for somebody is the record's, or a part of it."""
    folded, known = fold(name).removesuffix("'s"), fold(speaker)
    if is_han(folded):
        return folded in known or known in folded
    return set(folded.split()) <= set(re.findall(r"[\w'-]+", known))


def is_told_of(name: str, passage: Passage) -> bool:
    """Whether the passage says something of the one with this name, and is not said to them or about another."""
    place = re.search(
        rf"(?<!\w){re.escape(fold(name))}(?!\w)" if name.isascii() else re.escape(fold(name)), passage.folded
    )
    if not place:
        return bool(_PRONOUNS.search(passage.text)) and fold(name) in fold(passage.before)
    before, after = passage.folded[: place.start()], passage.folded[place.end() :]
    if re.search(rf"{_BY}$", before):
        return True
    if re.match(r"\s*[,:!]", after) and (
        not before.strip() or re.search(r"[@,]\s*$|^\W*(?:hi|hey|hello|dear|ok|thanks)\s+$", before)
    ):
        return False
    if re.search(r"[,@]\s*$", before) and re.match(r"\s*[.!?]?\s*$", after):
        return False
    if re.match(r"\s*(?:that |,\s*)?(?:i|we|i'm|i'll|i've|i'd|we'll|we're)\b|\s*,?(?:我(?!的)|咱)", after):
        return False
    frames = _FRAMES.sub("", before[clauses(before)[-1].start :])
    return not re.search(r"\b(?:i|we|i'll|i'm|i've|i'd|we'll|we're|we've|let's)\b|我(?!的)|咱", frames)


def _may_be_person(name: str, speakers: Collection[str]) -> bool:
    if _NO_PERSON.search(name):
        return False
    return bool(PERSON.fullmatch(name)) or any(is_name_of(name, each) for each in speakers)


def _about_other(name: str, given: Sequence[Passage]) -> str | None:
    """A name that is no speaker's is wrong where the evidence has it in another part, or a record of ours has it."""
    first = name.split(maxsplit=1)[0]
    stands = [each for each in given if fold(name) in each.folded or fold(first) in each.folded]
    said = ", ".join(sorted({each.speaker for each in given}))
    if not stands:
        return f"said by {said}, not by {name}"
    if not first.isascii() or any(first in each.text for each in stands):
        return f"said by {said} of somebody else, not of {name}"
    return None


def _about_speaker(claim: str, own: Sequence[Passage], *, name: str, count: int) -> str | None:
    """A claim about a speaker needs words of theirs that are about themselves and share something with it."""
    if not own:
        return f"none of the evidence was said by {name}"
    words = [each.stem for each in content(claim) if not akin(each.stem, fold(name))]
    values = {
        value
        for each in mentions(claim, said_at=own[0].message.at, zone=UTC)
        if each.kind is not AnchorKind.NAME
        for value in each.offers
    }
    reasons = [_other_than_speaker(claim, each, name=name) for each in own]
    if all(reasons):
        return reasons[0]
    shares = len(own) == count or any(
        any(akin(word, use.word.stem) for word in words for use in each.uses)
        or any(values & mention.offers for mention in each.mentions)
        for each in own
    )
    return (
        None
        if shares or tells_of_asking(claim) or not words
        else f"what {name} said is not what the claim says"
    )


def _other_than_speaker(claim: str, passage: Passage, *, name: str) -> str | None:
    """Whom the passage is about when it is not its speaker and the claim does not name them."""
    first = _OTHERS_FIRST.match(passage.text)
    if not first:
        return _named_instead(claim, passage, name=name)
    if first["pronoun"] or first["han"]:
        return (
            None
            if _FIRST_PERSON.search(passage.text) or _PRONOUNS.search(claim)
            else f"it is not about {name}"
        )
    whom = first["whom"] or first["kin"] or first["told"] or first["name"]
    if whom == first["name"] and (
        is_common(whom)
        or whom.casefold() in OPENERS
        or is_name_of(whom, passage.speaker)
        or _FIRST_PERSON.search(whom)
    ):
        return None
    stems = [each.stem for each in content(claim)]
    about = [each.stem for each in content(whom.casefold() if whom.isascii() else whom)]
    if not about or any(akin(word, stem) for word in about for stem in stems):
        return None
    if (
        first["owned"]
        and first["owned"].casefold() in {"my", "our"}
        and not _IS_KIN.fullmatch(whom.casefold())
    ):
        return None
    return f"it is about {whom}, not about {name}"


def _named_instead(claim: str, passage: Passage, *, name: str) -> str | None:
    """Somebody in the place that the claim gives to the speaker, who doesn't speak of themselves."""
    if _FIRST_PERSON.search(passage.text) or not re.search(rf"{_BY}{re.escape(name)}", claim, re.IGNORECASE):
        return None
    other = re.search(rf"{_BY}(?P<name>[\u4e00-\u9fff]{{2}}|{_NAME})", passage.text, re.IGNORECASE)
    return f"it is about {other['name']}, not about {name}" if other else None
