"""Whether a claim says more than its evidence: always, all, only, the best, exactly, or because of what."""

import re
from dataclasses import dataclass

from memory.claims import chinese, english_force
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
        ((english_force.ALWAYS, chinese.ALWAYS), (english_force.LIKE_ALWAYS, chinese.LIKE_ALWAYS)),
        ((english_force.EACH_DAY, chinese.EACH_DAY), (english_force.LIKE_EACH_DAY, chinese.LIKE_EACH_DAY)),
        ((english_force.ALL, chinese.ALL), (english_force.LIKE_ALL, chinese.LIKE_ALL)),
        ((english_force.ONLY, chinese.ONLY), (english_force.LIKE_ONLY, chinese.LIKE_ONLY)),
        ((english_force.MOST, chinese.MOST), (english_force.LIKE_MOST, chinese.LIKE_MOST)),
        ((english_force.EXACTLY, chinese.EXACTLY), (english_force.LIKE_EXACTLY, chinese.LIKE_EXACTLY)),
        ((english_force.CAUSE, chinese.CAUSE), (english_force.LIKE_CAUSE, chinese.LIKE_CAUSE)),
    )
)
_UNKNOWN_CAUSE = either(english_force.UNKNOWN_CAUSE, chinese.UNKNOWN_CAUSE)
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
