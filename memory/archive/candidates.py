"""Which messages are worth ranking: the postings of the question's terms, the rarest first."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from memory.archive.bounds import Allowed
from memory.archive.dates import Span
from memory.archive.documents import PLACES
from memory.archive.index import IndexFile
from memory.archive.question import Question
from memory.archive.ranking import ABSENT, SITTING, Evidence, around, inverse_frequency
from memory.archive.terms import is_pair


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """What one search may cost: the postings that it reads, and the messages that it ranks."""

    postings: int
    ranked: int


THOROUGH = Effort(postings=10_000, ranked=200)
"""For whoever asks: common terms find nothing that 10,000 postings of rarer ones miss. A few milliseconds."""
QUICK = Effort(postings=1_500, ranked=30)
"""For what runs before every turn: about one millisecond, however long the history is."""
# For each ranked message, how many are looked at with their neighbours and make up the sittings' scores.
_LIKELY = 1.5
# Messages that hold all of the terms, should these be so common that no postings were read; or the very words.
_WITH_ALL = 50
_MOST_TOGETHER = 8
# Those of a named day that hold no term at all.
_OF_THE_DAY = 100
_LONGEST_DAY = timedelta(days=8)
# An answer often has no word of the question; it is one of the turns beside one that has.
_BESIDE = (-1, 0, 1, 2)


def evidence_for(file: IndexFile, question: Question, effort: Effort) -> Evidence:
    """Read the postings of the question's terms, the rarest first, as many as the effort allows."""
    postings = effort.postings
    frequencies = {term: file.frequency(term) for term in question.terms}
    known = sorted((term for term, count in frequencies.items() if count), key=frequencies.__getitem__)
    weights = {term: _weight(term, count, file.messages) for term, count in frequencies.items()}
    held: dict[int, float] = {}
    prefixes: dict[int, float] = {}
    for term in known:
        postings -= frequencies[term]
        if postings < 0:
            break
        # Twice, because a remembered frequency may be a little old.
        found = file.postings(term, limit=2 * frequencies[term])
        _add(held, found, weights[term])
        if term.endswith("*"):
            _add(prefixes, found, weights[term])
    if known and not held:
        _add(held, file.postings(*known[:_MOST_TOGETHER], limit=_WITH_ALL), sum(weights.values()))
    for term in question.whole:
        _add(held, file.postings(term, limit=_WITH_ALL), sum(weights.values()))
    return Evidence(
        weights=weights,
        held=held,
        prefixes=prefixes,
        sittings=_sittings(held),
        here=_where_present(question, file.present),
        average_length=max(1.0, file.length / max(1, file.messages)),
    )


def _weight(term: str, count: int, messages: int) -> float:
    weight = inverse_frequency(count, of=messages)
    # Nobody wrote that pair of characters: as likely it is the end of one word with the beginning of the next.
    return weight / 2 if not count and is_pair(term) else weight


def candidates(
    file: IndexFile, question: Question, evidence: Evidence, *, allowed: Allowed, limit: int
) -> list[int]:
    """The `limit` most promising messages that are allowed, and those of a day that the question names."""
    held = evidence.held
    sittings, here = evidence.sittings, evidence.here

    def promise(id_: int, score: float) -> float:
        sitting = id_ >> PLACES
        score += SITTING * sittings.get(sitting, 0.0)
        return score if here is None or sitting in here else score * (1 - ABSENT)

    within = held if allowed.everything else allowed.of(file, held)
    likely = _largest({id_: promise(id_, held[id_]) for id_ in within}, int(_LIKELY * limit))
    beside = {id_ + step for id_ in likely for step in _BESIDE}
    promising = {id_: promise(id_, held.get(id_, 0.0) + around(id_, held)) for id_ in beside}
    return list(dict.fromkeys([*_largest(promising, limit), *_of_the_day(file, question)]))


def _largest(scores: Mapping[int, float], count: int) -> list[int]:
    """The ids of the `count` highest scores, the newest of equals."""
    if len(scores) <= count:
        return list(scores)
    least = sorted(scores.values(), reverse=True)[count - 1]
    above = [id_ for id_, score in scores.items() if score > least]
    equal = sorted((id_ for id_, score in scores.items() if score == least), reverse=True)
    return above + equal[: count - len(above)]


def _add(scores: dict[int, float], ids: Iterable[int], weight: float) -> None:
    for id_ in ids:
        scores[id_] = scores.get(id_, 0.0) + weight


def _sittings(held: Mapping[int, float]) -> dict[int, float]:
    """The length of the vector of a sitting's scores: one strong message says more than several weak ones."""
    squares: dict[int, float] = {}
    for id_, weight in held.items():
        sitting = id_ >> PLACES
        squares[sitting] = squares.get(sitting, 0.0) + weight * weight
    return {sitting: square**0.5 for sitting, square in squares.items()}


def _where_present(question: Question, present: Mapping[str, set[int]]) -> AbstractSet[int] | None:
    """The sittings in which somebody whom the question names has spoken; None where it names nobody."""
    if not question.names:
        return None
    first, *others = (present[name] for name in question.names)
    return first.union(*others) if others else first


def _of_the_day(file: IndexFile, question: Question) -> list[int]:
    found: list[int] = []
    for span in question.spans:
        if span.last - span.first <= _LONGEST_DAY:
            first, last = _moments(span, question.now)
            found.extend(file.between(first, last, limit=_OF_THE_DAY))
    return found


def _moments(span: Span, now: datetime) -> tuple[int, int]:
    first = datetime.combine(span.first, time.min, now.tzinfo)
    last = datetime.combine(span.last, time.max, now.tzinfo)
    return int(first.timestamp()), int(last.timestamp())
