"""Two plain statements side by side of which one explains the other, without a word that says so.

"I can't do Tuesdays, I've got choir": beside what cannot, must or will not be stands why. "The cup broke, I glued it":
beside what went wrong stands what was done about it.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from memory.claims import chinese, english_force
from memory.claims.case import Case, Passage
from memory.claims.directions import causes
from memory.claims.text import clauses, sentences
from memory.claims.words import akin, either, stems

_HELD_BACK = either(english_force.HELD_BACK, chinese.HELD_BACK)
_ANSWERS = either(english_force.ANSWERS, chinese.ANSWERS)
_WENT_WRONG = either(english_force.WENT_WRONG, chinese.WENT_WRONG)
_OWN = either(english_force.OWN, chinese.OWN)
_JOINED = either(english_force.JOINED, chinese.JOINED)
_DIGITS = re.compile(r"\w*\d\w*", re.ASCII)
_NO_REASON = either(english_force.NO_REASON, chinese.NO_REASON)


def explains(case: Case) -> bool:
    """Whether the evidence has the claim's cause and its effect side by side so that the one explains the other."""
    pairs = [pair for each in case.given for pair in _explained(each)]
    return any(_fits(said, claimed) for said in pairs for claimed in causes(case.text))


def _explained(passage: Passage) -> Iterator[tuple[str, str]]:
    """Cause and effect in neighbouring clauses that nothing but a comma parts."""
    for sentence in sentences(passage.text):
        written = passage.text[sentence.start : sentence.end]
        if _NO_REASON.search(written) or written.endswith("?"):
            continue
        for one, other in pairwise(written[each.start : each.end] for each in clauses(written)):
            if not other.startswith((",", ";", ":", " - ")) or _JOINED.match(other):
                continue
            if _HELD_BACK.search(one) and not _HELD_BACK.search(other) and _OWN.search(other):
                yield other, one
            elif _WENT_WRONG.search(one) and _ANSWERS.match(other):
                yield one, other


def _fits(said: tuple[str, str], claimed: tuple[str, str]) -> bool:
    """Whether the claim's cause is from the one, its effect from the other, more than the other way round."""
    cause, effect = _shared(said[0], claimed[0]), _shared(said[1], claimed[1])
    turned = _shared(said[1], claimed[0]) + _shared(said[0], claimed[1])
    return bool(cause and effect) and cause + effect > turned


def _shared(text: str, claimed: str) -> int:
    """How many of the claim's words the text has; what has digits in it is none."""
    known = stems(_DIGITS.sub(" ", text))
    return sum(any(akin(word, each) for each in known) for word in stems(_DIGITS.sub(" ", claimed)))
