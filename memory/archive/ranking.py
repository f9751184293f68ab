"""How well a message answers a query: small pure measures, and how much each counts."""

import math
from collections.abc import Iterable, Mapping, Sequence
from collections import Counter
from dataclasses import dataclass

from memory.archive.index import PLACES, Document, fingerprint

K1 = 1.2
"""How soon a repeated term stops counting: the usual value of BM25."""
B = 0.3
"""How much length counts. Chat messages are short, so a long one more often says more than it says less."""
NEIGHBOURS = {-2: 0.12, -1: 0.3, 1: 0.25, 2: 0.12}
"""Share of the scores of the turns around: what is asked in one turn is answered in the next."""
SITTING = 0.15
"""Share of the sitting's score: what it is about as a whole."""
SPEAKER = 0.2
"""What a message gains that is said by the one whom the query names; more hurts where names are swapped."""
COVERAGE = 0.5
"""What a message gains that holds every term of the query; one with half of them gains half."""
QUESTION = 0.25
"""What a message loses that asks: who searches wants the answer."""
DATE = 1.0
TOOL = 0.3
"""What a tool's output loses: it is long and says much by the way."""


def inverse_frequency(frequency: int, *, of: int) -> float:
    """How much a term tells that stands in `frequency` of `of` messages; never negative."""
    return math.log(1 + (of - frequency + 0.5) / (frequency + 0.5))


def saturation(count: int, *, length: float) -> float:
    """What `count` repeats of a term are worth, 0 to 1 + K1; `length` is relative to the average message."""
    return count * (1 + K1) / (count + K1 * (1 - B + B * length)) if count else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a query asks for: the weight of each term by fingerprint, and who is named in it."""

    weights: Mapping[int, float]
    names: frozenset[str] = frozenset()
    average_length: float = 1.0


def own_score(document: Document, wanted: Wanted) -> float:
    """BM25 of the message's own words."""
    length = len(document.prints) / wanted.average_length
    counts = document.prints
    return sum(
        weight * saturation(counts.count(print_), length=length)
        for print_, weight in wanted.weights.items()
        if print_ in counts
    )


def coverage(document: Document, wanted: Wanted) -> float:
    """Which share of the query's terms, by weight, stands in the message: 0 to 1."""
    held = set(document.prints)
    total = sum(wanted.weights.values())
    return (
        sum(weight for print_, weight in wanted.weights.items() if print_ in held) / total if total else 0.0
    )


def rank(
    documents: Mapping[int, Document], wanted: Wanted, sittings: Mapping[int, float], dates
) -> list[tuple[float, Document]]:
    """The documents with their scores, best first; the newer one first where scores are equal."""
    own = {id_: own_score(document, wanted) for id_, document in documents.items()}
    top = max(own.values(), default=1.0) or 1.0
    scored = []
    for id_, document in documents.items():
        score = own[id_]
        score += sum(share * own.get(id_ + step, 0.0) for step, share in NEIGHBOURS.items())
        score += SITTING * sittings.get(id_ >> PLACES, 0.0)
        score *= 1 + COVERAGE * coverage(document, wanted)
        if document.sender in wanted.names:
            score *= 1 + SPEAKER
        if document.question:
            score *= 1 - QUESTION
        if document.role == 2:
            score *= 1 - TOOL
        score += DATE * top * dates(document.at)
        scored.append((score, document))
    scored.sort(key=lambda pair: (-pair[0], -pair[1].at, -pair[1].id))
    return scored
