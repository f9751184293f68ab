"""Words that exclude each other: a claim may not put one where its evidence has the other."""

import re

from memory.claims import chinese, english
from memory.claims.case import Case
from memory.claims.kinship import RELATIVES
from memory.claims.words import either

_DENIED = either(r"(?:\b(?:not|never|no longer)|n't)\s(?:\w+ly\s)?$", "(?:[不没未]|没有)$")

_DENIED_WORD = either(r"(?:\b(?:not|never|no longer)|n't)\s(?:\w+ly\s)?\w+")


def _sides(group: str) -> list[re.Pattern[str]]:
    """The words of each side of a group; a point in one stands for any character."""
    return [
        either(
            *(rf"(?<![\w-])(?<!\bex ){word}(?![\w-])" if word.isascii() else word for word in side.split())
        )
        for side in group.split("|")
    ]


_GROUPS = tuple(map(_sides, english.OPPOSITES + chinese.OPPOSITES))
_RELATIVES = tuple(side for group in (english.RELATIVES, chinese.RELATIVES) for side in _sides(group))
_OF_RELATIVES = tuple(
    side for name in RELATIVES if not any(each.search(name) for each in _RELATIVES) for side in _sides(name)
)
_SHORT = re.compile(r"(?<![哥弟姐妹])([哥弟姐妹])(?!\1)")


def opposite(case: Case) -> str | None:
    """The word of the claim whose opposite alone stands in the evidence; or a relative who doesn't stand there.

    Of two opposites the one denied is the other: who hates it doesn't like it.
    """
    evidence = " ".join(each.text for each in case.given)
    asserted = _DENIED_WORD.sub("", evidence)
    known = _SHORT.sub(r"\1\1", evidence)
    around = "\n".join([evidence, *(each.content for each in case.messages)])
    for relatives, said in ((_RELATIVES, known), (_OF_RELATIVES, around)):
        for relative in relatives:
            if (found := relative.search(case.text)) and not relative.search(said):
                return found.group()
    for sides in _GROUPS:
        absent = [side for side in sides if not side.search(evidence)]
        is_said = any(side.search(asserted if len(sides) == 2 else evidence) for side in sides)
        for side in absent if is_said else ():
            for found in side.finditer(case.text):
                if len(sides) > 2 or not _DENIED.search(case.text, 0, found.start()):
                    return found.group()
    return None
