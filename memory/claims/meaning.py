"""What the clauses of a text do with their words: deny, doubt, ask, or put them into the past."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memory.claims.anchors import AnchorKind, Mention
from memory.claims.text import clauses, sentences
from memory.claims.words import Word, content

_NOT_DENIALS = re.compile(
    r"\bnot only\b|\bnot just\b|\bdon'?t (?:forget|worry|hesitate|mind)\b|\bcan'?t wait\b|\bno (?:problem|worries|doubt|wonder)\b"
    r"|\bwhy (?:don'?t|not)\b|\bnot (?:bad|least)\b|\bnever mind\b|\bno (?:later|more|less|fewer) than\b|\b(?:isn't|aren't|doesn't|don't|won't)\s(?:it|they|he|she|you|we)\s?\?"
    r"|不错|不过(?!敏)|不久|差不多|不仅|不但|不光|不管|不论|无论|对不起|没问题|没关系|没事|不客气|非常|除非|有没有|([\u4e00-\u9fff])不\1|不少|不断|"
    r"不得不|不好意思|不同(?!意)|无线|未来|特别|分别|别[的人墅名]|区别|性别|级别|告别|非洲|南非|未婚|无锡|无限|忘不了|了不起|别忘了?|不如|不必客气|要不|除了.*[还也]|almost (?:all|every|always)|nearly (?:all|every|always)|差点[没不]",
    re.IGNORECASE,
)
_DENIALS = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|nowhere|neither|nor|without|cannot|\w+n't|dont|doesnt|didnt|cant|wont|isnt|hardly|barely"
    r"|unable|refus\w+|declin\w+|reject\w+|dislik\w+|hat(?:e|es|ed)|avoid\w*|stop(?:s|ped)?|quit|quits|fail(?:s|ed)?|lack(?:s|ed)?"
    r"|cancel\w*|against|impossible|no longer|instead of|rather than|forb\w+d\w*|drop(?:s|ped)?|forg[eo]t(?:s|ten)? to|turn(?:s|ed|ing)? down|almost|nearly|undecided|except)\b"
    r"|不|没|别|未|无|勿|并非|绝非|甭|讨厌|拒绝|停止|停[了掉用服]|取消|避免|反对|放弃|戒|忘|差点|差一点|险些|除了",
    re.IGNORECASE,
)
_FROM_HERE = frozenset({"not", "no", "against", "instead of", "rather than", "except", "除了"})
# After a denial: it denied what "but" puts something else in the place of, not the rest of the clause.
_CORRECTION = re.compile(
    r"but (?:rather )?(?:on|at|in|to|for|by|from|with|the|an?|\d|(?-i:[A-Z]))\b|[,;]?\s?(?:而是|是)",
    re.IGNORECASE,
)
_NEITHER = re.compile(r"\bneither\b", re.IGNORECASE)
_THREE_WORDS = re.compile(r"(?:\s+[\w'-]+){1,3}")
_AUXILIARY = re.compile(
    r"(?:\b(?:is|are|was|were|am|be|been|do|does|did|will|would|can|could|should|shall|have|has|had|may|might|must|it's|i'm|we're"
    r"|they're|he's|she's|that's|you're|i've|we've)|'(?:s|m|re|ve|ll|d))\s+(?:\w+ly\s+|still\s+|really\s+)?$",
    re.IGNORECASE,
)
_DOUBTS = re.compile(
    r"\b(?:might|maybe|perhaps|possibly|probably|presumably|likely|unlikely|not sure|unsure|uncertain|not certain|undecided"
    r"|consider(?:s|ing|ed)?|thinking (?:of|about)|thinks? about|in case|supposedly|apparently|tentative\w*|rumou?r\w*|wondering|would(?! (?:you|prefer|rather)\b)|'d (?:like|love)|wish(?:es)?"
    r"|(?<!no )doubt(?:s|ed|ful)?|thinks|thought|believes|suspects|suggests|recommends"
    r"|possible|guess(?:es)?|if|unless|whether|hop(?:es?|ing)|suppos(?:es?|ing)|imagine|assum(?:e|ing)|could(?! (?:you|i|we)\b))\b|(?<!\d )(?<!in )(?<!of )\b(?-i:may)\b(?!\s\d| i\b)"
    r"|可能|也许|或许|大概|说不定|没准|考虑|不确定|不一定|估计|恐怕|似乎|好像|如果|假如|要是|据说|听说|万一|怀疑|(?<!不)希望|但愿|[想觉认][要得为]?(?:应该|该)|想(?=[去买学换搬试飞])|假设|假定|还没定|还没决定",
    re.IGNORECASE,
)
_WISHES = re.compile(
    r"\b(?:want(?:s|ed)? to|wanna|(?:would|i'd|we'd|he'd|she'd|they'd) (?:love|like) to|dream(?:s|ing)? of|wish(?:es|ed)?|hop(?:e|es|ed|ing))\b"
    r"|希望|但愿|盼|(?<![思理设猜联感回着])想(?![起法象必不到])",
    re.IGNORECASE,
)
_PLANS = re.compile(
    r"\b(?:plan\w*|inten[dt]\w*|prefer\w*|like to|love to|aim\w*|decid\w*|look\w* forward|going to)\b|打算|计划|准备|愿|决定|(?<![重主必])要",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"(?<!know )(?<!see )(?<!ask )(?<!check )(?<!wonder )(?<!me )(?<!sure )(?<!as )(?<!even )\bif\b(?! (?:possible|needed|necessary|not|you)\b)"
    r"|\bunless\b|\bin case\b|如果|假如|要是",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\b(?:ask\w*|want\w*|request\w*|wonder\w*|would like|suggest\w*|propos\w*|question\w*|whether|need\w*|looking for|inquir\w*|enquir\w*"
    r"|check\w*|unclear|unknown|(?:still|left|remains?) open|open (?:question|point|issue))\b|(?<![访顾])问(?!题)|想|要求|希望|(?<![申邀])请(?!假)|建议|提议|需要|是否|打算|计划",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"\?[\"')」』]*\s*$|[吗呢]\s*[?。]?\s*$")
_TAG = re.compile(
    r",\s*(?:right|ok|okay|correct|yes|no|isn't it|don't you think)\?\s*$|[,，]\s*(?:对吧|好吗|行吗|可以吗|是吧)\?\s*$",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\bfrom\b|从|\b(?:used to|formerly|previously|no longer|anymore|any more|in the past|years ago|back then|was|were|had|lived|worked|owned|did|ex|former)\b"
    r"|以前|曾经|过去|从前|曾|原来|不再|过",
    re.IGNORECASE,
)
_ONCE = re.compile(
    r"\bused to(?= [a-z])(?!\s*(?:it|the|this|that)\b)|\bformerly\b|\bin the past\b|(?<![一二三四五六日天号点月年\d])以前|曾经|从前",
    re.IGNORECASE,
)
# Between these stands what was before the change: "moved from the 5th to the 9th".
_LEFT_BEHIND = re.compile(
    r"\b(?:mov\w+|chang\w+|switch\w+|postpon\w+|rescheduled|went|rais\w+|increas\w+|dropped|shift\w+)\b[^,;]*?\bfrom\b(?P<en>[^,;]{1,40}?)\bto\b"
    r"|从(?P<zh>[^,;。]{1,20}?)(?:改|搬|换|调|移|挪|推迟|提前|延|涨|升|降|转)[到成为]",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"(?:\b(?:will|shall|should|(?<!used )to|can|could|may|might|must|let's|gonna)|'(?:ll|d))(?:\s+(?:not|also|just|\w+ly))?\s+$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One word in its clause, and what is done with it there."""

    word: Word
    is_denied: bool
    is_doubted: bool
    is_wished: bool
    is_asked: bool
    is_past: bool
    is_ahead: bool


def uses(text: str, *, marks: Iterable[Mention] = ()) -> list[Use]:
    """The meaning-bearing words of a tidy text, clause by clause; each value of `marks` counts as a word too."""
    found: list[Use] = []
    values = [mark for mark in marks if mark.kind not in {AnchorKind.NAME, AnchorKind.QUOTED}]
    for sentence in sentences(text):
        written = text[sentence.start : sentence.end]
        asked = is_question(written) and not _TAG.search(written)
        conditional = _CONDITION.search(written) is not None
        for span in clauses(written):
            clause = written[span.start : span.end]
            at = sentence.start + span.start
            left = _LEFT_BEHIND.search(clause)
            behind = left.span(left.lastgroup) if left and left.lastgroup else (0, 0)
            is_corrected = _CORRECTION.match(written, span.end) is not None
            is_past = _ONCE.search(clause) is not None
            found.extend(
                Use(
                    word=Word(word.stem, at + word.start, at + word.end),
                    is_denied=_denied(clause, word, is_corrected=is_corrected),
                    is_doubted=conditional or is_doubtful(clause),
                    is_wished=_WISHES.search(clause) is not None,
                    is_asked=asked,
                    is_past=is_past or behind[0] <= word.start < behind[1],
                    is_ahead=_AHEAD.search(clause, 0, word.start) is not None,
                )
                for word in [*_words(clause, at, values), *_marked(clause, at, values)]
            )
    return found


def _words(clause: str, at: int, values: Sequence[Mention]) -> Iterator[Word]:
    for word in content(clause):
        if not any(value.start <= at + word.start < value.end for value in values):
            yield word


def _marked(clause: str, at: int, values: Sequence[Mention]) -> Iterator[Word]:
    for value in values:
        if at <= value.start < at + len(clause):
            for each in sorted(value.offers):
                yield Word(each, value.start - at, value.end - at)


def is_question(sentence: str) -> bool:
    """Whether a tidy sentence ends as questions do."""
    return _QUESTION.search(sentence) is not None


def is_doubtful(text: str) -> bool:
    """Whether the text says that it may be otherwise, or on a condition."""
    return _DOUBTS.search(text) is not None


def tells_of_wish(text: str) -> bool:
    """Whether a claim says that somebody wants or means to do it, not that it is so."""
    return any(pattern.search(text) for pattern in (_WISHES, _PLANS))


def tells_of_asking(text: str) -> bool:
    """Whether a claim says that something was asked or wished for, not that it is so."""
    return _ASKING.search(text) is not None


def tells_of_past(text: str) -> bool:
    """Whether a claim says that something was so."""
    return _PAST.search(text) is not None


def _denied(clause: str, word: Word, *, is_corrected: bool) -> bool:
    """Whether an odd number of denials reach the word: one beside a verb the whole clause, "not X" what follows."""
    harmless = {place for match in _NOT_DENIALS.finditer(clause) for place in range(*match.span())}
    reaching = 0
    for match in _DENIALS.finditer(clause):
        if match.start() in harmless:
            continue
        word_of_denial = match.group().casefold()
        if word_of_denial == "nor" and _NEITHER.search(clause, 0, match.start()):
            continue
        if word_of_denial == "without":
            reach = _THREE_WORDS.match(clause, match.end())
            reaching += match.end() < word.end <= (reach.end() if reach else match.end())
            continue
        partial = is_corrected or (
            word_of_denial in _FROM_HERE and not _AUXILIARY.search(clause, 0, match.start())
        )
        reaching += not partial or word.end > match.end()
    return reaching % 2 == 1
