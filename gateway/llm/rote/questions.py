"""Which sentences ask and which ones tell, in English and Chinese (pure)."""

import re

_SENTENCE = re.compile(r"\S.*?(?:[!?](?=\s|$)|\.(?=\s|$)|[。！？]|\n|$)")

_AUXILIARY = (
    r"(?:is|are|was|were|am|do|does|did|can|could|will|would|shall|should|has|have|had|may|might|must"
    r"|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|can't|couldn't|won't|wouldn't|haven't|hasn't)"
)
_SUBJECT = r"(?:i|you|we|he|she|it|they|this|that|these|those|there|my|your|our|his|her|its|their|the|a|an|any|any\w+|some\w+)"
_ENGLISH_OPENING = re.compile(
    rf"""(?:(?:and|so|but|ok|okay|hey|hi|hello|please|well|now|then)[\s,]+)*
    (?: (?:when|where)(?:'s|'re|’s|’re|\s+{_AUXILIARY})\b
      | (?:what|which|whose|who|whom|why|how)\b(?!\s+(?:a|an)\b)
      | {_AUXILIARY}\s+{_SUBJECT}\b
      | (?:tell|show|give)\s+me\b
      | remind\s+me\s+(?:of|about|when|where|what|which|who|whose|why|how)\b
      | (?:find|recall|list|look\s+up|search)\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_CHINESE_ASKING = re.compile(
    r"[吗呢][\s。！，,.!~～]*$"
    r"|什么时候|什麼時候|何时|何時|哪[里裡儿兒个個天年位些种種]|是谁|是誰|谁[的是说有在]|誰[的是說有在]|多少|几[点點号號岁歲个個]"
    r"|(?:是|叫|有|说|說|在|要|吃|喝|做|去|为|為)(?:了|过|過)?什[么麼]|怎[么麼]样|怎麼樣|为什么|為什麼"
    r"|是不是|有没有|有沒有|能不能|会不会|會不會|记不记得|記不記得|还记得|還記得"
    r"|^(?:请|請)?(?:告诉我|告訴我|提醒我一下|找一?下|查一?下|搜一?下)"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, verbatim and in order; ends of lines end sentences too."""
    return [found.group().strip() for found in _SENTENCE.finditer(text)]


def asks(sentence: str) -> bool:
    """Whether a sentence asks something, be it without a question mark."""
    closing = sentence.rstrip("\"'”’）)] \t")
    if closing.endswith(("?", "？")):
        return True
    if sentence.isascii():
        return bool(_ENGLISH_OPENING.match(sentence))
    return bool(_ENGLISH_OPENING.match(sentence) or _CHINESE_ASKING.search(sentence))


def told(text: str) -> str:
    """What a text tells: its sentences without those that ask."""
    return "\n".join(sentence for sentence in sentences(text) if not asks(sentence))


def asked(text: str) -> str:
    """What a text asks: its sentences without those that tell."""
    return "\n".join(sentence for sentence in sentences(text) if asks(sentence))
