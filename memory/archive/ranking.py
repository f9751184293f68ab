"""How well a message answers a question: small pure measures, and how much each counts."""

from array import array
from collections.abc import Mapping
from typing import NamedTuple

from memory.archive.dates import closeness
from memory.archive.documents import ASKS, PLACES, ROLES, TELLS_WHEN, Document, fingerprint
from memory.archive.query import Query
from memory.archive.scores import Scores

K1 = 1.2
"""How soon a repeated term stops counting: the usual value of BM25."""
B = 0.3
"""How much length counts. Chat messages are short: a longer one says more rather than the same diluted."""
NEIGHBOURS = {-3: 0.13, -2: 0.22, -1: 0.6, 1: 0.15, 2: 0.2}
"""Share of the scores of the turns around. What is asked in one turn is answered in the next, and a turn rarely
repeats the words of the one before it, so that the turn before counts most."""
NOTHING: Mapping[int, float] = {}
_STEPS = tuple(NEIGHBOURS.items())
ANSWER = 0.1
"""Additional share of the turn before where that is a question."""
SITTING = 0.3
"""Share of the sitting's score: what it is about as a whole."""
SPEAKER = 0.4
"""What a message gains that is said by somebody whom the question names; more hurts where names are swapped."""
ABSENT = 0.4
"""What a message loses in a sitting in which nobody whom the question names has spoken."""
OTHER = 0.3
"""What a message loses that the user said where the assistant's words are asked for, or the other way round."""
ASKING = 0.35
"""What a message loses that asks: who searches wants the answer."""
TELLS = 8
"""With so many words that the question hasn't, it also tells something. People tell an assistant of themselves while
they ask it for something, so that it loses nothing where the question is what they said."""
WHEN = 0.2
"""What a message gains that says when, for a question that asks when."""
DATE = 2.0
"""What a message of the named day gains, in shares of the best score of all. A date is the surest word there is,
and much that was said on the day has no other word of the question."""
TOLD = 0.7
"""Share of that for a message of another day that tells of the named one: yesterday, on 3 May, tomorrow."""
VERBATIM = 2.0
"""What a message gains that holds the very words of the question in their order, in shares of the best score and
of itself: whoever quotes wants what is quoted."""
ALIKE = 0.3
"""What the message gains that is most like the question in meaning, in shares of the best score, the least alike
nothing: a small model mistakes the subject for the answer, so that it may decide between equals and no more."""
MUCH_ALIKE = 0.5
"""From where on the meaning alone makes a message one that was found."""
TOOL = 0.3
"""What a tool's output loses: it says much by the way, and nobody said it."""


def saturation(count: int, *, norm: float) -> float:
    """What `count` repeats of a term are worth: 1 for one in an average message, whose `norm` is K1."""
    return count * (1 + K1) / (count + norm)


class Ranked(NamedTuple):
    """A message with what it is worth: `own` for its own words, `related` where it has a term or may be an answer.

    `beside` is one with neither a word, the day nor much of the meaning of what was asked: it stands by one that has.
    """

    score: float
    relevance: float
    own: float
    related: bool
    beside: bool
    document: Document


def around(id_: int, held: Mapping[int, float]) -> float:
    """What the turns before and after add."""
    total = 0.0
    for step, share in _STEPS:
        if other := held.get(id_ + step):
            total += share * other
    return total


def own_score(document: Document, *, weights: Mapping[int, float], average_length: float) -> float:
    """BM25 of the message's own words; `weights` by fingerprint."""
    prints = document.prints
    held = [print_ for print_ in prints if print_ in weights]
    if not held:
        return 0.0
    norm = K1 * (1 - B + B * len(prints) / average_length)
    total = 0.0
    for print_ in {*held}:
        total += weights[print_] * saturation(held.count(print_), norm=norm)
    return total


def rank(
    documents: Mapping[int, Document],
    *,
    query: Query,
    scores: Scores,
    alike: Mapping[int, float] = NOTHING,
    told: Mapping[int, float] = NOTHING,
) -> list[Ranked]:
    """The documents, best first; the newer one first where scores are equal.

    `alike` says of messages how like the question they are in meaning, 0 to 1, as far as that is known, and `told` of
    those that tell of a named day how well that fits.
    """
    prints = {fingerprint(term): weight for term, weight in scores.weights.items() if not term.endswith("*")}
    own = {
        id_: own_score(document, weights=prints, average_length=scores.average_length)
        + scores.prefixes.get(id_, 0.0)
        for id_, document in documents.items()
    }
    best = max(own.values(), default=0.0) or 1.0
    asked = sum(scores.weights.values())
    scored: list[Ranked] = []
    for id_, document in documents.items():
        score = own[id_] + around(id_, scores.held) + SITTING * scores.sittings.get(id_ >> PLACES, 0.0)
        before = documents.get(id_ - 1)
        answers = before is not None and bool(before.flags & ASKS)
        if answers:
            score += ANSWER * own[id_ - 1]
        score *= _circumstances(document, query=query, scores=scores)
        score += VERBATIM * best * quoted(document, words=query.quotation)
        dated, likeness = 0.0, alike.get(id_, 0.0)
        if query.spans:
            said = closeness(document.at, named=query.spans, now=query.now)
            dated = max(said, TOLD * told.get(id_, 0.0))
            score += DATE * best * dated
        score += ALIKE * best * likeness
        is_related, is_beside = answers or own[id_] > 0, not (own[id_] or dated or likeness > MUCH_ALIKE)
        share = relevance(score, asked=asked)
        scored.append(Ranked(score, share, own[id_], is_related, is_beside, document))
    scored.sort(key=lambda found: (-found.score, -found.document.at, -found.document.id))
    return scored


def relevance(score: float, *, asked: float) -> float:
    """The score as a share of what is asked, `asked` being the weight of all terms: 0 to 1, one half where equal.

    Unlike the score it can be compared between questions, so that a floor can be set.
    """
    return score / (score + asked) if score > 0 else 0.0


def quoted(document: Document, *, words: "array[int]") -> float:
    """Which share of the message these words are, if they stand in it in this order: 0 to 1."""
    prints = document.prints
    if not words or len(words) > len(prints) or words[0] not in prints or words[-1] not in prints:
        return 0.0
    place = prints.tobytes().find(words.tobytes())
    return len(words) / len(prints) if place >= 0 and place % prints.itemsize == 0 else 0.0


def _circumstances(document: Document, *, query: Query, scores: Scores) -> float:
    """What who says it, and in which manner, multiplies the score by."""
    factor = 1.0
    if document.sender in query.names:
        factor *= 1 + SPEAKER
    elif scores.here is not None and document.id >> PLACES not in scores.here:
        factor *= 1 - ABSENT
    role = ROLES[document.role]
    if query.role and role != query.role:
        factor *= 1 - OTHER
    if document.flags & ASKS and not (query.role == "user" and _tells(document, query=query)):
        factor *= 1 - ASKING
    if query.asks_when and document.flags & TELLS_WHEN:
        factor *= 1 + WHEN
    return factor * (1 - TOOL) if role == "tool" else factor


def _tells(document: Document, *, query: Query) -> bool:
    return len({*document.prints}.difference(query.words)) >= TELLS
