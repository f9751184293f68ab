"""Whether a claim says more than its evidence: always, all, only, the best, exactly, or because of what."""

import re
from dataclasses import dataclass

from memory.claims import chinese
from memory.claims import english_force as english
from memory.claims.case import Case
from memory.claims.explained import explains
from memory.claims.words import either


@dataclass(frozen=True, slots=True)
class _Strength:
    """Words that strengthen, and the words of the evidence that bear one of them out."""

    words: re.Pattern[str]
    borne_out_by: re.Pattern[str]


_STRENGTHS = tuple(
    _Strength(either(*pair[0]), either(*pair[0], *pair[1]))
    for pair in (
        ((english.ALWAYS, chinese.ALWAYS), (english.LIKE_ALWAYS, chinese.LIKE_ALWAYS)),
        ((english.EACH_DAY, chinese.EACH_DAY), (english.LIKE_EACH_DAY, chinese.LIKE_EACH_DAY)),
        ((english.ALL, chinese.ALL), (english.LIKE_ALL, chinese.LIKE_ALL)),
        ((english.ONLY, chinese.ONLY), (english.LIKE_ONLY, chinese.LIKE_ONLY)),
        ((english.MOST, chinese.MOST), (english.LIKE_MOST, chinese.LIKE_MOST)),
        ((english.EXACTLY, chinese.EXACTLY), (english.LIKE_EXACTLY, chinese.LIKE_EXACTLY)),
        ((english.CAUSE, chinese.CAUSE), (english.LIKE_CAUSE, chinese.LIKE_CAUSE)),
    )
)
_UNKNOWN_CAUSE = either(english.UNKNOWN_CAUSE, chinese.UNKNOWN_CAUSE)
_CAUSE = _STRENGTHS[-1]


def overstated(case: Case) -> str | None:
    """The word of the claim that strengthens what the evidence says without one of its kind."""
    evidence = "\n".join(f"{each.before}\n{each.text}" for each in case.given)
    evidence = _UNKNOWN_CAUSE.sub("", evidence)
    for strength in _STRENGTHS:
        found = strength.words.search(case.text)
        if found and not strength.borne_out_by.search(evidence):
            if strength is _CAUSE and explains(case):
                continue
            return found.group()
    return None
