"""A yes to a question says what was asked: the question's words, told by who answers."""

import re
from collections.abc import Mapping
from datetime import tzinfo

from memory.claims import chinese, english
from memory.claims.case import Passage
from memory.claims.meaning import is_doubtful, is_question
from memory.claims.text import clauses, sentences, tidy
from memory.claims.trust import speaker_of
from memory.claims.words import either
from memory.messages import Message, UserMessage

_YES = either(rf"^\W*(?:{english.YES})\b", f"^\\W*(?:{chinese.YES})(?=\\W|$)")
_NOTHING_BUT_YES = either(rf"^(?:\W*(?:{english.YES})\b)+\W*$", f"^(?:\\W*(?:{chinese.YES}))+\\W*$")
_OPEN = either(english.OPEN_QUESTION, chinese.OPEN_QUESTION)
_DENYING = either(r"\bnot\b|n't\b", "不|没(?!有?$)")
_BUT = either(
    r"\b(?:but|except|only|although|though|assuming|provided|unless|not any ?more)\b",
    "但|不过|只是|除了|只有",
)
_TURNED = {"you": "I", "your": "my", "yours": "mine", "yourself": "myself", "你": "我", "您": "我"}
_YOU = re.compile(r"\b(?:yourself|yours|your|you)\b|[你您]", re.IGNORECASE)
_ASKS = re.compile(r"(?:[吗呢么]|了?没有?)?\s*\?*\s*$")


def says_yes_alone(quote: str) -> bool:
    """Whether a quote is a yes and nothing more."""
    return _NOTHING_BUT_YES.search(tidy(quote)) is not None


def answered(message: Message, *, messages: Mapping[int, Message], zone: tzinfo) -> Passage | None:
    """What a person's plain yes says; None where no question stands right before it that yes or no answers."""
    answer = tidy(message.content)
    if not isinstance(message, UserMessage) or not _YES.search(answer):
        return None
    if is_doubtful(answer) or is_question(answer) or _BUT.search(answer):
        return None
    before = messages.get(max((seq for seq in messages if seq < message.seq), default=message.seq))
    if before is None or before.erased or speaker_of(before) == speaker_of(message):
        return None
    text = tidy(before.content)
    spans = sentences(text)
    asked = text[spans[-1].start : spans[-1].end] if spans else ""
    last = asked[clauses(asked)[-1].start :] if asked else ""
    if not is_question(asked) or _OPEN.search(asked) or _DENYING.search(last.rstrip("? ")):
        return None
    told = _YOU.sub(lambda found: _TURNED[found.group().casefold()], _ASKS.sub("", asked))
    return Passage(message=message, text=told, before=" ".join(text[: spans[-1].start].split()), zone=zone)
